"""The aspects of a query."""
