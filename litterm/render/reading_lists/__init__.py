"""Reading lists as lines, JSON, Markdown and HTML."""
