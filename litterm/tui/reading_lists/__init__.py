"""Reading lists in the workbench."""
