"""Candidates of an excerpt in numbers: what the learned ranking weighs."""
