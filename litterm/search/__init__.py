"""Search: a query to a ranking of the library's papers, without network or language model unless asked for."""
