"""Work in the background, and what the screen says about it."""
