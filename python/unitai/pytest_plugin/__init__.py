"""UnitAI in pytest: a fixture, and a report of what the agent did when a test fails."""
