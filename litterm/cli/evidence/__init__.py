"""Commands that judge papers: `evidence`, with a model, and the matrix."""
