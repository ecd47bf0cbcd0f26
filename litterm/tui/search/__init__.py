"""The query and the results."""
