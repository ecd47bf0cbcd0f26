"""Options of the screen, themes, and the choices that are stored."""
