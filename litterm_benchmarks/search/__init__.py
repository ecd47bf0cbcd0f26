"""Benchmarks of retrieval: rankings of papers for questions with known answers."""
