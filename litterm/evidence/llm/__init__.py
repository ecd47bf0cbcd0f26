"""Evidence sentences chosen by a language model."""
