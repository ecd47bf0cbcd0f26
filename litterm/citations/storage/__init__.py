"""Files of the citations folder: the citation graph, as lines and packed, and the citation counts of services."""
