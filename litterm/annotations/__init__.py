"""What the user decides and writes about papers, with undo."""
