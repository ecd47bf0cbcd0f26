"""BibTeX and BibLaTeX."""
