"""Document frequencies of words in a background corpus: a word that half of all papers use says little."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from litterm import data

FREQUENCY_FILE = Path(data.__file__).with_name("background.txt")
"""Made by `python -m litterm_training.document_frequency`: lines of a level and the stems at it, the most common ones
first.
"""

MIN_PAPER_SHARE = 0.03
"""Stems in a smaller share of papers than this are not listed; all of them count as this rare."""
LEVELS_PER_E_FOLD = 4
"""Levels a factor of e in the share of papers."""
_MIN_RARITY = 0.1


def rarity(stem: str) -> float:
    """Weight of a stem by the share of papers it occurs in: .1 for all of them, 3.6 for 3 % and fewer."""
    level = _read_levels().get(stem)
    return _MIN_RARITY + (
        level / LEVELS_PER_E_FOLD
        if level is not None
        else round(-LEVELS_PER_E_FOLD * math.log(MIN_PAPER_SHARE)) / LEVELS_PER_E_FOLD
    )


@lru_cache(maxsize=1)
def _read_levels() -> Mapping[str, int]:
    """Without the file all stems are equally rare: the paper's own frequencies still tell them apart."""
    if not FREQUENCY_FILE.exists():
        return {}
    lines = (line.split() for line in FREQUENCY_FILE.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {stem: int(line[0]) for line in lines for stem in line[1:]}
