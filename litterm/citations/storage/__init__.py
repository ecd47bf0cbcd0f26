"""The citation graph on disk: resolved lists as lines and as a packed file."""
