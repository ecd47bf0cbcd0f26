"""Marks on sentences, which are stored by the words of the sentence and located again in other parses of its paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.projects import find_other_projects, is_visible
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.model.annotations import Anchor, LocatedMark, Mark, MarkKind
from litterm.model.document import Document, DocumentId
from litterm.model.paper import PaperId
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
_MARK_VERBS: dict[MarkKind, str] = {"accepted": "accepted", "rejected": "rejected", "hand": "marked"}
_MAX_QUOTE_CHARACTERS = 60


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
                document.id, tuple(normalize_sentence(row.text) for row in document.sentences)
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


def find_quote(document: Document, index: int, text: str) -> int | None:
    """The index in `document` of a sentence that was at `index`, by its words if it moved; `None` if it is gone."""
    rows = document.sentences
    if index < len(rows) and rows[index].text == text:
        return index
    places = [row.index for row in rows if row.text == text]
    # A sentence that stands twice cannot be told apart, and a wrong place is worse than none.
    return places[0] if len(places) == 1 else None


def is_valid_in(anchor: Anchor, document: Document) -> bool:
    """Whether the anchor was made in `document`, so that its index is valid."""
    rows = document.sentences
    return (
        anchor.document_id == document.id and 0 <= anchor.index < len(rows) and rows[anchor.index].text == anchor.quote
    )


def _find_sentence(anchor: Anchor, lines: Sequence[str]) -> int | None:
    quote = normalize_sentence(anchor.quote)
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
    return fuzz.ratio(normalize_sentence(anchor.before), before), fuzz.ratio(
        normalize_sentence(anchor.after), next_line
    )


def _find_numbers(line: str) -> list[str]:
    return [word for word in line.split() if any(character.isdigit() for character in word)]


def normalize_sentence(text: str) -> str:
    """The folded words of a sentence without numeric citations, on which parsers differ."""
    return " ".join(words(_CITATION_NUMBERS.sub(" ", text)))


@dataclass(frozen=True, slots=True)
class Highlights:
    """Marks on sentences, each for one hypothesis and one project."""

    undo_log: UndoLog
    locator: SentenceAnchors

    @property
    def project(self) -> str:
        """The key of the current project."""
        # Implemented by the subclass that has the projects.
        raise NotImplementedError

    def marks(self, document: Document) -> tuple[LocatedMark, ...]:
        """The marks on a paper, located in `document`: in reading order, those not located last.

        A sentence has one mark per hypothesis, sorted by when they were made.
        """
        marks = _visible_marks(self, document.paper_id)
        located = [LocatedMark(mark, self.locator.locate(mark.anchor, document)) for _, mark, _ in marks]
        return tuple(sorted(located, key=_reading_order))

    def visible_marks(self, paper_id: PaperId) -> tuple[Mark, ...]:
        """The marks on a paper in the current project, the oldest first."""
        return tuple(mark for _, mark, _ in _visible_marks(self, paper_id))

    def mark(self, document: Document, index: int, kind: MarkKind, hypothesis: str = "") -> None:
        """Marks the sentence `index` for `hypothesis`, replacing an earlier mark.

        Raises:
            UsageError: the document has no such sentence.
        """
        if not 0 <= index < len(document.sentences):
            raise UsageError(f"There is no sentence {index} in this document of {len(document.sentences)}.")
        anchor = make_anchor(document, index)
        mark = Mark(document.paper_id, anchor, kind, hypothesis, project=self.project)
        earlier_marks = [row for row in _marks_on_sentence(self, document, index) if row[1].hypothesis == hypothesis]
        # A mark of this project is overwritten in its register, so that undo restores the earlier one.
        own_places = [place for place, old, _ in earlier_marks if old.project == self.project]
        new_place = f"{document.id}#{index}#{hypothesis}\n{self.project}"
        changes = _removal_changes(self, [row for row in earlier_marks if not own_places or row[0] != own_places[-1]])
        changes.append(RegisterChange("mark", document.paper_id, mark, own_places[-1] if own_places else new_place))
        self.undo_log.write(f"{_MARK_VERBS[kind]} {_quote(anchor.quote)} in {document.paper_id}", changes)

    def unmark(self, document: Document, index: int | LocatedMark, hypothesis: str | None = None) -> None:
        """Removes the marks on the sentence `index`, those for `hypothesis` if given, or one mark, located or not."""
        if isinstance(index, LocatedMark):
            rows = [row for row in _visible_marks(self, document.paper_id) if row[1] == index.mark]
        else:
            rows = _marks_on_sentence(self, document, index)
            rows = [row for row in rows if hypothesis is None or row[1].hypothesis == hypothesis]
        if rows:
            quote = _quote(rows[0][1].anchor.quote)
            self.undo_log.write(f"removed the mark on {quote} in {document.paper_id}", _removal_changes(self, rows))

    def all_marks(self) -> tuple[Mark, ...]:
        """The marks on all papers in the current project, the oldest first."""
        rows = [row for paper_id in self.undo_log.state().papers("mark") for row in _visible_marks(self, paper_id)]
        return tuple(mark for _, mark, _ in sorted(rows, key=lambda row: row[2]))

    def quoted_papers(self) -> tuple[PaperId, ...]:
        """Papers with a sentence accepted or marked by hand in the current project, by their first mark."""
        rows = ((paper_id, _visible_marks(self, paper_id)) for paper_id in self.undo_log.state().papers("mark"))
        return tuple(paper_id for paper_id, marks in rows if any(mark.kind != "rejected" for _, mark, _ in marks))


_MarkRow = tuple[str, Mark, int]
"""Place, mark, and the order of the event that set it."""


def _visible_marks(highlights: Highlights, paper_id: PaperId) -> list[_MarkRow]:
    """The marks on a paper that are visible in the current project, the newest last."""
    state, key = highlights.undo_log.state(), highlights.project
    placed = state.ordered_places("mark", paper_id)
    return [
        (place, value, order)
        for place, value, order in placed
        if isinstance(value, Mark) and is_visible(state, value.project, order, key)
    ]


def _removal_changes(highlights: Highlights, rows: Sequence[_MarkRow]) -> list[RegisterChange]:
    """The changes that remove `rows` from the current project; other projects that show one of them keep it."""
    state, changes = highlights.undo_log.state(), []
    for place, mark, order in rows:
        changes.append(RegisterChange("mark", mark.paper_id, None, place))
        # A mark from before there were projects is removed from this project only.
        if mark.project is None:
            for other in find_other_projects(state, order, highlights.project):
                copy = replace(mark, project=other)
                changes.append(RegisterChange("mark", mark.paper_id, copy, f"{place}\n{other}"))
    return changes


def _marks_on_sentence(highlights: Highlights, document: Document, index: int) -> list[_MarkRow]:
    """The marks on one sentence."""
    marks = _visible_marks(highlights, document.paper_id)
    return [row for row in marks if highlights.locator.locate(row[1].anchor, document) == index]


def _reading_order(located: LocatedMark) -> tuple[bool, int]:
    return located.index is None, located.mark.anchor.index if located.index is None else located.index


def _quote(text: str) -> str:
    """The beginning of a sentence in quotation marks."""
    short = text if len(text) <= _MAX_QUOTE_CHARACTERS else text[: _MAX_QUOTE_CHARACTERS - 1].rstrip() + "…"
    return f"“{short}”"
