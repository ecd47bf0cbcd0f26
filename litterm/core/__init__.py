"""The lowest layer but `model`, which is all it imports of litterm: errors, tasks, settings, files."""
