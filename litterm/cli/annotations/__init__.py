"""Commands that change what the user notes about papers: `mark` and `undo`."""
