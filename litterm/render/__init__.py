"""Output of results as lines, JSON, HTML, BibTeX, RIS and CSL-JSON, and their words for the screen."""
