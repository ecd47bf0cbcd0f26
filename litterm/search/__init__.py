"""Query to ranking."""
