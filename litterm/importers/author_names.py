"""Splits printed names into `Author`."""

from __future__ import annotations

import re
from typing import Final

from litterm.model.paper import Author
from litterm.text.clean import prose

_PARTICLES: Final = frozenset(
    """af al ap ben bin d' da dal de degli dei del della den der des di do dos du el ibn la le ter ten 't te van vom von
    zu zum zur""".split()
)
"""Lower-case words that belong to the family name behind them."""
_SUFFIX_PATTERN: Final = re.compile(r"(?:jr|sr|[ivx]{2,4})\.?", re.IGNORECASE)


def author_from_name(name: str) -> Author | None:
    """`Given Family` or `Family, Given` as an author; `None` if nothing is left of it."""
    words = prose(name).strip(" ,;")
    if not words:
        return None
    if "," in words:
        return _split_reversed(words)
    parts = words.split(" ")
    size = len(parts)
    first = size - 1
    if first > 1 and _SUFFIX_PATTERN.fullmatch(parts[first]):
        first -= 1
    if first > 2 and parts[first - 1].lower() in _PARTICLES and parts[first - 2] in _PARTICLES:
        # Jean de La Fontaine.
        first -= 1
    # Lower case only: with a capital they are mostly names themselves.
    while first > 1 and parts[first - 1] in _PARTICLES:
        first -= 1
    if first == 1 and parts[0] in _PARTICLES:
        first = 0
    return Author(" ".join(parts[first:]), " ".join(parts[:first]))


def _split_reversed(name: str) -> Author:
    parts = [part.strip() for part in name.split(",")]
    # "Martin Luther King, Jr." is not turned around.
    if len(parts) == 2 and _SUFFIX_PATTERN.fullmatch(parts[1]):
        return author_from_name(parts[0]) or Author(parts[0])
    if len(parts) > 2 and _SUFFIX_PATTERN.fullmatch(parts[1]):
        return Author(f"{parts[0]} {parts[1]}", " ".join(parts[2:]))
    return Author(parts[0], " ".join(part for part in parts[1:] if part))
