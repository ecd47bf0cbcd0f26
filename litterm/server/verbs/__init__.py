"""What the server answers, a verb a function of the engine and a request."""
