"""arXiv: its API, and the full texts of papers."""
