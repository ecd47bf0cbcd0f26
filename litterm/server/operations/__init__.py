"""The operations of the server: each calls the engine for one kind of request."""
