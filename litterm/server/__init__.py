"""A library for a group: the engine's verbs over HTTP, and the client that uses them instead of a library on disk."""
