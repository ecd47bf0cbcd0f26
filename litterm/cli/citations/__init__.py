"""Commands that follow citations: `refs`, `cited-by` and `first`."""
