"""A library for a group: the engine over HTTP, and the client that uses it instead of a library on disk."""
