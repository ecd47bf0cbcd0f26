"""Commands on the agreement of people and the model."""
