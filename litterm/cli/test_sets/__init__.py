"""Commands that make test sets from the user's library."""
