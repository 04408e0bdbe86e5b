"""Running the agent's code: within a time limit, in any kind of program."""
