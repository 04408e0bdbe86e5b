"""The in-process door: model traffic of the agent's own HTTP clients, answered or watched where it leaves."""
