"""Crash, concurrency and hostile-input suites as one command with counts: `python -m tests.attack`."""
