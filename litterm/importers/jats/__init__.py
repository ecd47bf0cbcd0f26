"""JATS: journal articles as XML."""
