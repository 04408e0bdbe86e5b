"""What a run leaves behind, and how a test asserts on it."""
