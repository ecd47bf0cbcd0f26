"""Text search in a paper: all hits and the current one."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from litterm.tui.widgets.highlight import Range

MAX_HITS = 5000


@dataclass(frozen=True, slots=True)
class TextSearch:
    """The text searched and its hits; empty without a search."""

    wanted: str = ""
    hits: tuple[tuple[int, int], ...] = ()
    """Half-open characters, in order."""
    current: int = 0
    """Index into `hits`."""

    @property
    def hit_start(self) -> int | None:
        """Where the current hit starts; `None` without hits."""
        return self.hits[self.current][0] if self.hits else None

    def ranges(self) -> list[Range]:
        """All hits, the current one distinct."""
        return [(a, b, "hit-now" if index == self.current else "hit") for index, (a, b) in enumerate(self.hits)]

    def status_words(self) -> str:
        """`3 of 12`, or that there is none."""
        if not self.wanted:
            return ""
        return f"{self.current + 1} of {len(self.hits)}" if self.hits else "not in this paper"

    def step(self, by: int) -> TextSearch:
        """The next or previous hit, around the end."""
        return TextSearch(self.wanted, self.hits, (self.current + by) % len(self.hits)) if self.hits else self


def search_text(text: str, words: str, *, start: int = 0) -> TextSearch:
    """All hits of `words` in `text`, ignoring case; the first from character `start` on is current."""
    if not words.strip():
        return TextSearch()
    # Any blank for a blank: the words may be on two lines of the source.
    pattern = re.compile(r"\s+".join(re.escape(part) for part in words.split()), re.IGNORECASE)
    hits: list[tuple[int, int]] = []
    for match in pattern.finditer(text):
        hits.append(match.span())
        # A single letter is found tens of thousands of times, and every hit costs something at each line drawn.
        if len(hits) >= MAX_HITS:
            break
    nearest = bisect_left(hits, (start, 0))
    return TextSearch(words, tuple(hits), nearest if nearest < len(hits) else 0)
