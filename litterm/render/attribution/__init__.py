"""Draft marks with their candidates, and what an agent did, as lines and data."""
