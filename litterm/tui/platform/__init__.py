"""The workbench's environment: Textual, signals, garbage collection, other programs."""
