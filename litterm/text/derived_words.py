"""Words of one family that the stemmer keeps apart, such as "stable" and "stability" or "syntax" and "syntactic"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from litterm import data
from litterm.text.tokens import stem


def derived_words(word_stem: str) -> Mapping[str, str]:
    """The other stems of the family of `word_stem`, each with its usual word; mostly empty."""
    return _families().get(word_stem, {})


@lru_cache(maxsize=1)
def _families() -> Mapping[str, Mapping[str, str]]:
    families: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for line in Path(data.__file__).with_name("derived.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        # Of several words with one stem the first, most frequent one names it.
        word_by_stem = {stem(word): word for word in reversed(line.split())}
        for member in word_by_stem:
            families[member] |= {other: word for other, word in word_by_stem.items() if other != member}
    return families
