"""The words of a query: their interpretation, terms and spelling."""
