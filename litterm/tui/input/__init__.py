"""Keyboard input: the key table, the command line, completion, and typed text told from commands."""
