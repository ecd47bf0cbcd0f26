"""The layout of the panes."""
