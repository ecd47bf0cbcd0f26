"""Papers as JSON Lines."""
