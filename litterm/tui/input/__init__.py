"""What is typed: letters told from commands, and values that a field completes."""
