"""Zotero's own database, and the folder it lies in."""
