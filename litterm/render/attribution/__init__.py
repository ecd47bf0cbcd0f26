"""Marks of a draft with their candidates, and steps of the agent, as lines and data."""
