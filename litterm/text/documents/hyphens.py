"""Words that line ends split (`repre- sentation`): joined where the collection has the joined word elsewhere.

Some words of English keep their hyphen (`low-resource`); which ones is in a file of data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from litterm import data

_WORD_BYTES: Final = bytes(
    code + 32 if 65 <= code <= 90 else code if code >= 128 or code == 45 or 97 <= code <= 122 else 32
    for code in range(256)
)
"""Translation table: letters lower-cased, everything else but the hyphen a blank; UTF-8 letters stay whole."""
_GAP: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]+)- ([^\W\d_]+)")
_GAP_BYTES: Final = re.compile(rb"- (?=[a-zA-Z\x80-\xff])")
_LEFT_HALF: Final = re.compile(rb"(?<![a-z\x80-\xff])[a-z\x80-\xff]+$")
_RIGHT_HALF: Final = re.compile(rb"[a-z\x80-\xff]+")
_MAX_HALF_CHARS: Final = 40
_MIN_JOINED_COUNT: Final = 3
_MAX_BYTES: Final = 160 * 2**20
"""Running text kept until it is counted; what a larger collection holds beyond it is not counted."""

_SECOND_HALVES: Final = frozenset(
    """a an and as at but by for from in into is like nor not of on or the to up versus vs via vis with und oder bis
    et ou
    de des du le la les en y e o i og och ja""".split()
)
"""Words that follow a hyphen meant to hang (`pre- and postnominal`); never the rest of a broken word."""
COMPOUNDS_FILE: Final = Path(data.__file__).with_name("compounds.txt")
"""Made by `python -m litterm_training.compounds`: a line of words for each of `KINDS`, its name first."""
KINDS: Final = ("first", "second", "hyphened", "joined")
"""Elements that take a hyphen behind and before them, compounds of other elements, and words that are none."""
_MIN_SECOND_CHARS: Final = 3
"""Shorter halves are endings: `low-er`."""


class HyphenStatistics:
    """The gaps of one collection: show it all text with `add_text`, run `count` to its end, then `rejoin`.

    Nothing is rejoined before `count` has ended.
    """

    def __init__(self) -> None:
        self._unseen: list[bytes] = []
        self._size = 0
        self._forms: set[bytes] = set()
        self.counts: Counter[str] = Counter()
        """How often each joined and each hyphenated form occurs."""

    def add_text(self, text: bytes) -> None:
        """Adds running text of the collection, in UTF-8; it may contain markup."""
        if self._size > _MAX_BYTES:
            return
        self._size += len(text)
        self._unseen.append(text)
        for gap in _GAP_BYTES.finditer(text):
            first_half = _LEFT_HALF.search(text[max(0, gap.start() - _MAX_HALF_CHARS) : gap.start()].lower())
            right = _RIGHT_HALF.match(text[gap.end() : gap.end() + _MAX_HALF_CHARS].lower())
            if first_half and right:
                self._forms.add(first_half.group() + right.group())
                self._forms.add(first_half.group() + b"-" + right.group())

    def count(self) -> Iterator[None]:
        """Counts joined and hyphenated forms; yields after every text so that the caller can show progress."""
        is_form = self._forms.__contains__
        while self._unseen and self._forms:
            words = self._unseen.pop().translate(_WORD_BYTES).split()
            for form, count in Counter(filter(is_form, words)).items():
                self.counts[form.decode("utf-8", "replace")] += count
            yield
        self._unseen.clear()

    def rejoin(self, text: str) -> str:
        """`text` with a gap closed where the joined form occurs at least 3 times and the hyphenated never."""
        return _GAP.sub(self._close_gap, text) if "- " in text else text

    def _close_gap(self, match: re.Match[str]) -> str:
        first, second = match.groups()
        return first + second if self.is_one_word(first, second) else match.group()

    def is_one_word(self, first: str, second: str) -> bool:
        """Whether `first- second` is one word broken at a line end."""
        first, second = first.lower(), second.lower()
        if second in _SECOND_HALVES:
            return False
        return self.counts[first + second] >= _MIN_JOINED_COUNT and not self.counts[f"{first}-{second}"]


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
