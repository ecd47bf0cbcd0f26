"""The workbench and what is around it: Textual, signals, garbage collection, other programs."""
