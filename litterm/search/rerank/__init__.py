"""Reranking: the first papers of a ranking put in order by a language model or by embeddings."""
