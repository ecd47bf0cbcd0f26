"""Measuring: speed against other engines, quality against qrels."""
