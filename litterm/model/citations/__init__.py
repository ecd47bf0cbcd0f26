"""Who cites whom, and how often papers are cited."""
