"""The nouns: frozen, slotted, made of tuples; one module a family."""
