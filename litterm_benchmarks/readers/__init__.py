"""Readers of benchmark files as they are published."""
