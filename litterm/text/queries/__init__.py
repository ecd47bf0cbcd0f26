"""Queries as they are typed."""
