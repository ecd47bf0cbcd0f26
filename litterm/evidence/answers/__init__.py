"""Answers to questions, made of the sentences of papers of the library."""
