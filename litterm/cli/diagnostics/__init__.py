"""The `doctor` command, the log, and the report of a damaged library."""
