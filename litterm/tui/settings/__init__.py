"""Options of the screen, themes, and what of them is kept."""
