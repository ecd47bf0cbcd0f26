"""Where the panes stand."""
