"""The four panes: each draws one frozen state and says what the user wants."""
