"""What a server does on request: the table of operations, and functions where no method of the engine is enough."""
