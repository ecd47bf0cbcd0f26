"""Queries of several aspects: decomposition, scores, grades."""
