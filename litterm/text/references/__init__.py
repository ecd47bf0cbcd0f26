"""References and titles: read, compared and resolved."""
