"""Measuring time and memory: searches, keys, imports, large libraries, servers and clusters."""
