"""The content of a page as PDF writes it: operators, fonts and the state of the graphics."""
