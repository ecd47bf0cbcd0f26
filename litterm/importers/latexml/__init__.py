"""LaTeXML: articles of arXiv as HTML."""
