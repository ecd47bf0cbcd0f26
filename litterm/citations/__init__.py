"""Citations: the graph of who cites whom in the library, citation counts, reference lists, first papers."""
