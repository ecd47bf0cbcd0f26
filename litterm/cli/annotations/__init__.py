"""Commands that change what the user notes about papers: `mark`, `collections` and `undo`."""
