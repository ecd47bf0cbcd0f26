"""BioC XML and JSON."""
