"""Words that papers use for one another: tumour and neoplasm, corpus and dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from litterm import data
from litterm.text.tokens import stem, words


def kindred(asked: str) -> frozenset[str]:
    """Stems of the words that stand in a group with the stem `asked`, without itself; mostly empty."""
    return _groups().get(asked, frozenset())


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in Path(data.__file__).with_name("kindred.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            group = {stem(word) for word in words(line)}
            for member in group:
                found[member] |= group - {member}
    return {member: frozenset(others) for member, others in found.items()}
