"""Bytes to papers; recognised by content, never by name; no network."""
