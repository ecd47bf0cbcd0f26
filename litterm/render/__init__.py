"""Nouns to lines, JSON, BibTeX, RIS and CSL."""
