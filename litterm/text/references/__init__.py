"""Parses references and titles, compares them, and resolves them to papers."""
