"""Excerpt to the paper it cites."""
