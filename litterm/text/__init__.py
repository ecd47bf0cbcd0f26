"""Pure functions between strings and nouns."""
