"""Reading and patching of manuscripts with citation marks, in LaTeX, Markdown and plain text."""
