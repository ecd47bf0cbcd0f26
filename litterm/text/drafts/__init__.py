"""Manuscripts with citation marks."""
