"""Finds marked sentences again in another parse of the same paper, by their words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from litterm.model.annotations import Anchor
from litterm.model.document import Document, DocumentId
from litterm.text.tokens import words

_MIN_SIMILARITY = 88.0
"""Minimum similarity in percent of two versions of a sentence: about one word in ten may differ."""
_TIE_MARGIN = 4.0
"""Candidates within this many percent of the best are tied; their neighbours decide."""
_MIN_NEIGHBOUR_SIMILARITY = 75.0
_MIN_FUZZY_WORDS = 5
"""Quotes with fewer words must match exactly: short sentences are similar by chance."""
_MIN_PIECE_SHARE = 0.6
"""Minimum share of the quote that a sentence holds if the new parse splits the old sentence."""
_CITATION_NUMBERS = re.compile(r"[\[(]\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,30}[\])]")


@dataclass(frozen=True, slots=True)
class _SearchedDocument:
    """The sentences of a document, normalized, and the anchors located in it so far."""

    document_id: DocumentId
    lines: tuple[str, ...]
    located: dict[Anchor, int | None] = field(default_factory=dict)


class SentenceAnchors:
    """Locates anchors; caches the last document. Thread-safe."""

    def __init__(self) -> None:
        self._last: _SearchedDocument | None = None

    def locate(self, anchor: Anchor, document: Document) -> int | None:
        """Returns the index of the anchor's sentence, or `None` if no sentence clearly is the one.

        In the same document that is the index of the anchor. In another parse the words decide: an equal sentence,
        else one that contains the other, else a similar one with equal numbers and a similar neighbour. Ties are
        broken by the neighbours; if that fails, the anchor is not located.
        """
        if is_valid_in(anchor, document):
            return anchor.index
        searched = self._last
        # One document is enough: the paper on the screen locates all its marks again after every key.
        if searched is None or searched.document_id != document.id:
            searched = self._last = _SearchedDocument(
                document.id, tuple(_normalize(row.text) for row in document.sentences)
            )
        if anchor not in searched.located:
            searched.located[anchor] = _find_sentence(anchor, searched.lines)
        return searched.located[anchor]


def make_anchor(document: Document, index: int) -> Anchor:
    """Makes the anchor of a sentence from its text and that of its neighbours."""
    rows = document.sentences
    return Anchor(
        document_id=document.id,
        index=index,
        quote=rows[index].text,
        # Stored with the mark, because this parse may be gone when the sentence is located.
        before=rows[index - 1].text if index > 0 else "",
        after=rows[index + 1].text if index + 1 < len(rows) else "",
    )


def is_valid_in(anchor: Anchor, document: Document) -> bool:
    """Whether the anchor was made in `document`, so that its index is valid."""
    rows = document.sentences
    return (
        anchor.document_id == document.id and 0 <= anchor.index < len(rows) and rows[anchor.index].text == anchor.quote
    )


def _find_sentence(anchor: Anchor, lines: Sequence[str]) -> int | None:
    quote = _normalize(anchor.quote)
    if not quote:
        return None
    equal = [index for index, line in enumerate(lines) if line == quote]
    # From certain to likely matches. The first step with a match decides: a similar sentence does not break a tie
    # between two equal ones.
    if equal:
        return _break_tie(anchor, equal, lines)
    if len(quote.split()) < _MIN_FUZZY_WORDS:
        return None
    holding = [index for index, line in enumerate(lines) if f" {quote} " in f" {line} "]
    if holding:
        return _break_tie(anchor, holding, lines)
    pieces = [index for index, line in enumerate(lines) if _is_piece(line, quote)]
    if pieces:
        return _break_tie(anchor, pieces, lines)
    return _break_tie(anchor, _find_similar(anchor, quote, lines), lines)


def _is_piece(line: str, quote: str) -> bool:
    return f" {line} " in f" {quote} " and len(line.split()) >= _MIN_PIECE_SHARE * len(quote.split())


def _find_similar(anchor: Anchor, quote: str, lines: Sequence[str]) -> list[int]:
    # Imported when needed: most marks are shown on the parse in which they were made.
    from rapidfuzz import fuzz, process

    similar_lines = process.extract(quote, lines, scorer=fuzz.ratio, score_cutoff=_MIN_SIMILARITY, limit=None)
    best = max((score for _, score, _ in similar_lines), default=0.0)
    # "An accuracy of 81.2" and "an accuracy of 83.1" are similar strings but different results.
    numbers = _find_numbers(quote)
    return [
        index
        for line, score, index in similar_lines
        if score >= best - _TIE_MARGIN
        and _find_numbers(line) == numbers
        and _has_similar_neighbour(anchor, index, lines)
    ]


def _has_similar_neighbour(anchor: Anchor, index: int, lines: Sequence[str]) -> bool:
    return max(_neighbour_similarity(anchor, index, lines)) >= _MIN_NEIGHBOUR_SIMILARITY


def _break_tie(anchor: Anchor, candidates: Sequence[int], lines: Sequence[str]) -> int | None:
    """The candidate whose neighbours match best; `None` if there is none, or if two match equally well."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    fit = {index: sum(_neighbour_similarity(anchor, index, lines)) for index in candidates}
    best = max(fit.values())
    chosen = [index for index in candidates if fit[index] >= best - _TIE_MARGIN]
    # A mark on a wrong sentence is worse than one that is not located.
    return chosen[0] if len(chosen) == 1 else None


def _neighbour_similarity(anchor: Anchor, index: int, lines: Sequence[str]) -> tuple[float, float]:
    """Similarity of the sentences before and after, in percent; 100 if both are missing."""
    from rapidfuzz import fuzz

    before = lines[index - 1] if index > 0 else ""
    next_line = lines[index + 1] if index + 1 < len(lines) else ""
    return fuzz.ratio(_normalize(anchor.before), before), fuzz.ratio(_normalize(anchor.after), next_line)


def _find_numbers(line: str) -> list[str]:
    return [word for word in line.split() if any(character.isdigit() for character in word)]


def _normalize(text: str) -> str:
    """The folded words of a sentence without numeric citations, on which parsers differ."""
    return " ".join(words(_CITATION_NUMBERS.sub(" ", text)))
