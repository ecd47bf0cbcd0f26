"""Imports and matrices as tasks of a Ray cluster: files that are parsed, segments that are built, cells."""
