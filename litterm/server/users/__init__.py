"""Users of the server: authentication, rate limits and the audit log."""
