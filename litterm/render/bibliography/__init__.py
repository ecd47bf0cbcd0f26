"""BibTeX, RIS and CSL-JSON entries of papers."""
