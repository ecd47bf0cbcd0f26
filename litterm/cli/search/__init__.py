"""Commands that search: `search`, its aspects and reranking, `watch`."""
