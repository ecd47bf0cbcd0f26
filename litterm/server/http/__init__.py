"""The server itself: routes, threads, deadlines, imports, and tools for a language model."""
