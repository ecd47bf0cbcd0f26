"""Superscripts and subscripts as Unicode where every character has one."""

from __future__ import annotations

from collections.abc import Mapping

from litterm.text.latex.symbols import RAISED, SUBSCRIPTS


def to_superscript(text: str) -> str | None:
    """`text` as a superscript; `None` if it has no exact and readable form."""
    return _shift(text, RAISED)


def to_subscript(text: str) -> str | None:
    """`text` as a subscript; `None` if it has no exact and readable form."""
    return _shift(text, SUBSCRIPTS)


def _shift(text: str, forms: Mapping[str, str]) -> str | None:
    # Whole words in tiny letters are exact but nobody can read them.
    if not text or sum(character.isalpha() for character in text) > 1:
        return None
    shifted = [forms.get(character) for character in text.replace(" ", "")]
    return None if None in shifted else "".join(character for character in shifted if character)
