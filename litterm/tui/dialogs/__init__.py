"""What is asked or told over the workbench, one step at a time."""
