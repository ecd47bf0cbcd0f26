"""The library in the workbench: imports, full texts, synchronising, duplicates, exports."""
