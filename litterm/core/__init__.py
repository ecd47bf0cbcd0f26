"""The lowest layer, which imports nothing of litterm: errors, tasks, settings, files."""
