"""Which words of English take a hyphen between their halves (`low-resource`), and which are written as one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from litterm import data

COMPOUNDS_FILE: Final = Path(data.__file__).with_name("compounds.txt")
"""Made by `python -m litterm_training.compounds`: a line of words for each of `KINDS`, its name first."""
KINDS: Final = ("first", "second", "hyphened", "joined")
"""Elements that take a hyphen behind and before them, compounds of other elements, and words that are none."""
_MIN_SECOND_CHARS: Final = 3
"""Shorter halves are endings: `low-er`."""


def takes_hyphen(first: str, second: str) -> bool | None:
    """Whether the word that a line end divides after `first` keeps its hyphen; `None` where nothing is known of it."""
    first, second = first.casefold(), second.casefold()
    lists = _read_lists()
    if first + second in lists["joined"]:
        return False
    if f"{first}-{second}" in lists["hyphened"] or second in lists["second"]:
        return True
    return True if first in lists["first"] and len(second) >= _MIN_SECOND_CHARS else None


@lru_cache(maxsize=1)
def _read_lists() -> Mapping[str, frozenset[str]]:
    """Without the file nothing is known: the paper's own words still tell much."""
    text = COMPOUNDS_FILE.read_text("utf-8") if COMPOUNDS_FILE.exists() else ""
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    known = {words[0]: frozenset(words[1:]) for words in lines if words}
    return {kind: known.get(kind, frozenset()) for kind in KINDS}
