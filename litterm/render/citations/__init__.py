"""Citation counts and first papers, in words and as data."""
