"""Agreement of people with people and of people with the model."""
