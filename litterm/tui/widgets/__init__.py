"""Widgets and text styles that all panes share."""
