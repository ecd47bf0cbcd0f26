"""The workbench in the terminal: one folder for each feature, as in the core."""
