"""Finds damage in a library, sets damaged segments aside, and rebuilds the list of segments."""
