"""Measuring citation attribution, and the resolution of reference lists."""
