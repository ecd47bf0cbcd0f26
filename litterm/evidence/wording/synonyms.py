"""Words that papers use for one another: tumour and neoplasm, corpus and dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from litterm import data
from litterm.text.tokens import stem, words


def synonyms_of(word: str) -> frozenset[str]:
    """Stems of the words that stand in a group with the stem `word`, without itself; mostly empty."""
    return _groups().get(word, frozenset())


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, frozenset[str]]:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for line in Path(data.__file__).with_name("kindred.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            group = {stem(word) for word in words(line)}
            for member in group:
                groups[member] |= group - {member}
    return {member: frozenset(others) for member, others in groups.items()}
