"""Test sets made from the user's own library, in the forms in which the field publishes them."""
