"""The query language: text as typed to a `Query`, and what kind of query it is."""
