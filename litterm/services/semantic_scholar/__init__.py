"""Semantic Scholar: its Academic Graph, and papers as it names and describes them."""
