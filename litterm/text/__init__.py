"""Pure functions on text: cleaning, tokens, parsing of queries, references, drafts and full texts."""
