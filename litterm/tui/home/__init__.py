"""What one comes back to: its sections, where they stand, and what can be done in them."""
