"""Candidate sentences in numbers: what weights and verdict are fitted to."""
