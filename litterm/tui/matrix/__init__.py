"""The matrix pane."""
