"""The evidence pane."""
