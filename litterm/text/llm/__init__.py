"""Text to a language model and back: prompts, the JSON in replies, and the shapes it must have."""
