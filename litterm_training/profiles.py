"""The stems near the marks of papers, counted over texts; what stands in a text can be left out again.

A stem is kept that two texts hold, or one whose licence lets its words be passed on: of a text without a stated licence
nothing is taken that it alone says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from litterm.library.citation_facts.shipped import ProfileArrays
from litterm.text.tokens import FUNCTION_WORDS, stem, tokens

MIN_TEXTS = 2
"""Texts that must hold a stem near the marks of a paper, where no licence of one of them lets it be passed on."""
OPEN_LICENCES = frozenset({"CC BY 4.0", "CC BY-SA 4.0", "CC0", "MIT", "BSD", "Apache-2.0"})
"""Licences, as the list of sources states them, of texts whose words may be passed on."""
_MARK = re.compile(r"\[(?:CITATION|AUTHOR)\]")
_ANTHOLOGY_TEXT = re.compile(r".*:([A-Z]\d\d-\d{4})")
"""`WING-NUS/scisumm-corpus:D12-1003`."""
_FUNCTION_STEMS = frozenset(map(stem, FUNCTION_WORDS))


def context_stems(text: str) -> list[str]:
    """The stems of a text with a mark, without function words and the marks themselves."""
    return [near for near in tokens(_MARK.sub(" ", text)) if near not in _FUNCTION_STEMS and not near.isdigit()]


def text_of(source: str) -> str:
    """What a text is called: by its id in the Anthology where `source` has one, as two collections may hold it."""
    named = _ANTHOLOGY_TEXT.fullmatch(source)
    return f"acl:{named[1]}" if named else source


def open_texts(sources: Iterable[str], licences: Mapping[str, Mapping[str, str]]) -> frozenset[str]:
    """The texts of `sources` whose words may be passed on by the licence of each collection that holds them."""
    is_open: dict[str, bool] = {}
    for source in sources:
        may_pass = _licence(source.partition(":")[0], licences) in OPEN_LICENCES
        is_open[text_of(source)] = may_pass and is_open.get(text_of(source), True)
    return frozenset(text for text, may_pass in is_open.items() if may_pass)


def _licence(collection: str, licences: Mapping[str, Mapping[str, str]]) -> str:
    """The licence of `collection`, or of the repository that it is a part of."""
    parts = collection.split("/")
    names = ("/".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((licences[name]["licence"] for name in names if name in licences), "")


class StemCounts:
    """The texts that hold each stem near a mark of each paper."""

    def __init__(self, contexts: Iterable[tuple[str, str, str]], may_pass: frozenset[str] = frozenset()) -> None:
        """`contexts` are cited paper, sentence with its mark, and the text that it is from.

        `may_pass` are the texts of which a stem is kept that no other has.
        """
        held: dict[tuple[str, str], set[str]] = defaultdict(set)
        texts: dict[str, set[str]] = defaultdict(set)
        for paper, sentence, text in contexts:
            texts[paper].add(text)
            for near in set(context_stems(sentence)):
                held[paper, near].add(text)
        self._open = may_pass
        self._papers = sorted(texts)
        place = {paper: number for number, paper in enumerate(self._papers)}
        entries = sorted(held)
        self._stems = sorted({near for _, near in entries})
        number_of = {near: number for number, near in enumerate(self._stems)}
        self._paper_of = np.array([place[paper] for paper, _ in entries], np.int64)
        self._stem_of = np.array([number_of[near] for _, near in entries], np.int64)
        self._counts = np.array([len(held[entry]) for entry in entries], np.int64)
        self._open_counts = np.array([len(held[entry] & may_pass) for entry in entries], np.int64)
        self._texts = np.array([len(texts[paper]) for paper in self._papers], np.int64)
        self._entries_of: dict[str, list[int]] = defaultdict(list)
        self._cited_by: dict[str, list[int]] = defaultdict(list)
        for number, entry in enumerate(entries):
            for text in held[entry]:
                self._entries_of[text].append(number)
        for paper, citing in texts.items():
            for text in citing:
                self._cited_by[text].append(place[paper])

    @property
    def texts(self) -> Collection[str]:
        """The texts that were read."""
        return self._cited_by.keys()

    def profiles(self, *, without: str = "") -> ProfileArrays:
        """The profiles of all papers, as if the text `without` had not been read."""
        counts, open_counts, texts = self._counts.copy(), self._open_counts.copy(), self._texts.copy()
        entries = self._entries_of.get(without, [])
        counts[entries] -= 1
        open_counts[entries] -= without in self._open
        texts[self._cited_by.get(without, [])] -= 1
        kept = (counts >= MIN_TEXTS) | (open_counts > 0)
        papers, place = np.unique(self._paper_of[kept], return_inverse=True)
        return ProfileArrays(
            papers=tuple(self._papers[number] for number in papers.tolist()),
            texts=texts[papers],
            starts=np.concatenate(([0], np.cumsum(np.bincount(place, minlength=len(papers))))),
            stem_numbers=self._stem_of[kept],
            counts=counts[kept],
            stems=tuple(self._stems),
        )
