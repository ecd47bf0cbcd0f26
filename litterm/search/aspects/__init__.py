"""Queries with several aspects: splitting, offline scores, grades by a language model."""
