"""Background jobs, and what the screen says about them."""
