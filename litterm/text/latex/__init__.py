"""LaTeX to Unicode."""
