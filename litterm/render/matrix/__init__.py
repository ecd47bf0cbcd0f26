"""The evidence matrix as text, CSV, HTML, JSON and Markdown."""
