"""Tables of columns as text, JSON, CSV, Markdown and HTML."""
