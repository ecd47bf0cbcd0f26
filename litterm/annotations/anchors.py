"""Finding a marked sentence again in another parse of its paper: by its words, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from litterm.model.annotations import Anchor
from litterm.model.document import Document, DocumentId
from litterm.text.tokens import words

_BAR = 88.0
"""Likeness in percent below which a sentence is another one: one word in ten may differ."""
_CLOSE_CALL = 4.0
"""Candidates this near to the best are told apart by their neighbours."""
_NEIGHBOUR_BAR = 75.0
_FEWEST_WORDS = 5
"""Shorter quotes must agree exactly: two short sentences are alike by chance."""
_PIECE = 0.6
"""Share of the quote a sentence must hold if the new parse cut the old sentence in two."""
_CITATION_NUMBERS = re.compile(r"[\[(]\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,30}[\])]")


@dataclass(frozen=True, slots=True)
class _Looked:
    """The words of a document, and what was looked for in it."""

    document_id: DocumentId
    lines: tuple[str, ...]
    found: dict[Anchor, int | None] = field(default_factory=dict)


class SentenceAnchors:
    """Locates anchors, remembering the document it looked through last; safe from any thread."""

    def __init__(self) -> None:
        self._last: _Looked | None = None

    def locate(self, anchor: Anchor, document: Document) -> int | None:
        """Index of the sentence the anchor stands on, or `None` where no sentence is clearly the one.

        The same document answers by index. Else the words decide: equal, then one holding the other, then
        alike above a bar with equal numbers and a neighbour that agrees. Several are told apart by their
        neighbours; where these do not, the mark is not located.
        """
        if stands_on(anchor, document):
            return anchor.index
        looked = self._last
        # The last one only: a paper on the screen asks for all its marks again with every key.
        if looked is None or looked.document_id != document.id:
            looked = self._last = _Looked(document.id, tuple(_line(row.text) for row in document.sentences))
        if anchor not in looked.found:
            looked.found[anchor] = _search(anchor, looked.lines)
        return looked.found[anchor]


def anchor_at(document: Document, index: int) -> Anchor:
    """The anchor of a sentence: its words and those beside it."""
    rows = document.sentences
    return Anchor(
        document_id=document.id,
        index=index,
        quote=rows[index].text,
        # Kept with the mark, since the parse they came from may be gone when the sentence is looked for.
        before=rows[index - 1].text if index > 0 else "",
        after=rows[index + 1].text if index + 1 < len(rows) else "",
    )


def stands_on(anchor: Anchor, document: Document) -> bool:
    """Whether the anchor was made in this very document, so that its index is true."""
    rows = document.sentences
    return (
        anchor.document_id == document.id and 0 <= anchor.index < len(rows) and rows[anchor.index].text == anchor.quote
    )


def _search(anchor: Anchor, lines: Sequence[str]) -> int | None:
    quote = _line(anchor.quote)
    if not quote:
        return None
    equal = [index for index, line in enumerate(lines) if line == quote]
    # By steps from sure to likely, and never on to the next once one step has an answer: two equal sentences are not
    # told apart by a third that is merely alike.
    if equal:
        return _settled(anchor, equal, lines)
    if len(quote.split()) < _FEWEST_WORDS:
        return None
    holding = [index for index, line in enumerate(lines) if f" {quote} " in f" {line} "]
    if holding:
        return _settled(anchor, holding, lines)
    pieces = [index for index, line in enumerate(lines) if _is_piece(line, quote)]
    if pieces:
        return _settled(anchor, pieces, lines)
    return _settled(anchor, _alike(anchor, quote, lines), lines)


def _is_piece(line: str, quote: str) -> bool:
    return f" {line} " in f" {quote} " and len(line.split()) >= _PIECE * len(quote.split())


def _alike(anchor: Anchor, quote: str, lines: Sequence[str]) -> list[int]:
    # Loaded only here and below: most marks stand on the very parse they were made in.
    from rapidfuzz import fuzz, process

    near = process.extract(quote, lines, scorer=fuzz.ratio, score_cutoff=_BAR, limit=None)
    best = max((score for _, score, _ in near), default=0.0)
    # "An accuracy of 81.2" and "an accuracy of 83.1" are nearly alike by letters, and another result.
    numbers = _numbers(quote)
    return [
        index
        for line, score, index in near
        if score >= best - _CLOSE_CALL and _numbers(line) == numbers and _neighbour_agrees(anchor, index, lines)
    ]


def _neighbour_agrees(anchor: Anchor, index: int, lines: Sequence[str]) -> bool:
    return max(_likeness(anchor, index, lines)) >= _NEIGHBOUR_BAR


def _settled(anchor: Anchor, candidates: Sequence[int], lines: Sequence[str]) -> int | None:
    """The one candidate whose neighbours fit best; `None` without any, or if two fit equally."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    fit = {index: sum(_likeness(anchor, index, lines)) for index in candidates}
    best = max(fit.values())
    chosen = [index for index in candidates if fit[index] >= best - _CLOSE_CALL]
    # A mark on the wrong sentence is worse than one that is not shown.
    return chosen[0] if len(chosen) == 1 else None


def _likeness(anchor: Anchor, index: int, lines: Sequence[str]) -> tuple[float, float]:
    """How alike the sentences before and after are, in percent; two missing neighbours are alike."""
    from rapidfuzz import fuzz

    before = lines[index - 1] if index > 0 else ""
    after = lines[index + 1] if index + 1 < len(lines) else ""
    return fuzz.ratio(_line(anchor.before), before), fuzz.ratio(_line(anchor.after), after)


def _numbers(line: str) -> list[str]:
    return [word for word in line.split() if any(character.isdigit() for character in word)]


def _line(text: str) -> str:
    """The folded words of a sentence, numbered citations left out: parsers differ on them."""
    return " ".join(words(_CITATION_NUMBERS.sub(" ", text)))
