"""What the commands write to the terminal: data, progress, and the end by an interrupt."""
