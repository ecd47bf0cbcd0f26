"""The user's own data as one file, and back."""
