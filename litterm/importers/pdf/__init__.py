"""PDF: pages to papers."""
