"""Repeating a test: as often as the question needs, each run by itself, judged as one."""
