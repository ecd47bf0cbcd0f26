"""The user's decisions, notes, tags and projects."""
