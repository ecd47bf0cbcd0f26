"""Queries with several aspects: split, scored offline, graded by a language model."""
