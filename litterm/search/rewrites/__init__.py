"""Other queries for a request, written by a language model or the user, searched with it and fused."""
