"""Rankings ordered again by a model or by embeddings."""
