"""Reading lists: a topic to papers in the order in which a newcomer best reads them."""
