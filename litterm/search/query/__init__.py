"""The words of a query: how they are interpreted, turned into terms, and spelt."""
