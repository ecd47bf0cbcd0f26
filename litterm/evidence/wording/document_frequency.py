"""Document frequencies of words in a background corpus: a word that half of all papers use says little."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from litterm import data

FILE = Path(data.__file__).with_name("background.txt")
"""Made by `python -m litterm_training.document_frequency`: lines of a level and the stems at it, the most common ones
first.
"""

FLOOR = 0.03
"""Stems in a smaller share of papers than this are not listed; all of them count as this rare."""
LEVELS = 4
"""Levels a factor of e in the share of papers."""
_LEAST = 0.1


def rarity(stem: str) -> float:
    """Weight of a stem by the share of papers it occurs in: .1 for all of them, 3.6 for 3 % and fewer."""
    level = _levels().get(stem)
    return _LEAST + (level / LEVELS if level is not None else round(-LEVELS * math.log(FLOOR)) / LEVELS)


@lru_cache(maxsize=1)
def _levels() -> Mapping[str, int]:
    """Without the file all stems are equally rare: the paper's own frequencies still tell them apart."""
    if not FILE.exists():
        return {}
    lines = (line.split() for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {stem: int(line[0]) for line in lines for stem in line[1:]}
