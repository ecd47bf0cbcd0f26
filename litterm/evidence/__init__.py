"""Hypothesis and document to evidence sentences."""
