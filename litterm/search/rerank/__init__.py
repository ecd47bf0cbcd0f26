"""Reranking the first papers of a ranking with a language model or an embedding model."""
