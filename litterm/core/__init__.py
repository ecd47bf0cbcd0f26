"""What everything else stands on: errors, tasks, settings, files."""
