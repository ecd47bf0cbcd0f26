"""Marks on sentences: made on a sentence, kept by its words, and shown where these stand now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from litterm.annotations.anchors import SentenceAnchors, anchor_at
from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.project_scope import is_shown, others_showing
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.model.annotations import LocatedMark, Mark, MarkKind
from litterm.model.document import Document
from litterm.model.paper import PaperId

_DONE: dict[MarkKind, str] = {"accepted": "accepted", "rejected": "rejected", "hand": "marked"}
_QUOTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Highlights:
    """Marks on sentences; each belongs to a hypothesis and to the project in use."""

    undo_log: UndoLog
    locator: SentenceAnchors

    @property
    def project(self) -> str:
        """The key of the project in use."""
        # Told by the class that has the projects; the verbs here only need the key.
        raise NotImplementedError

    def marks(self, document: Document) -> tuple[LocatedMark, ...]:
        """The marks on a paper and where they stand in `document`: in reading order, the not located last.

        A sentence has one mark per hypothesis; of several the one made last comes last.
        """
        marks = _marks_of(self, document.paper_id)
        located = [LocatedMark(mark, self.locator.locate(mark.anchor, document)) for _, mark, _ in marks]
        return tuple(sorted(located, key=_reading_order))

    def mark(self, document: Document, index: int, kind: MarkKind, hypothesis: str = "") -> None:
        """Decides on the sentence `index` for `hypothesis`, in place of an earlier decision on it.

        Raises:
            UsageError: the document has no such sentence.
        """
        if not 0 <= index < len(document.sentences):
            raise UsageError(f"There is no sentence {index} in this document of {len(document.sentences)}.")
        anchor = anchor_at(document, index)
        mark = Mark(document.paper_id, anchor, kind, hypothesis, project=self.project)
        standing = [row for row in _standing(self, document, index) if row[1].hypothesis == hypothesis]
        # An own mark is written over in its place, so that undoing brings the earlier decision back.
        own = [place for place, old, _ in standing if old.project == self.project]
        fresh = f"{document.id}#{index}#{hypothesis}\n{self.project}"
        changes = _withdrawals(self, [row for row in standing if not own or row[0] != own[-1]])
        changes.append(RegisterChange("mark", document.paper_id, mark, own[-1] if own else fresh))
        self.undo_log.write(f"{_DONE[kind]} {_quoted(anchor.quote)} in {document.paper_id}", changes)

    def unmark(self, document: Document, index: int | LocatedMark, hypothesis: str | None = None) -> None:
        """Removes the marks on the sentence `index`, those for `hypothesis` if given, or one mark, located or not."""
        if isinstance(index, LocatedMark):
            rows = [row for row in _marks_of(self, document.paper_id) if row[1] == index.mark]
        else:
            rows = _standing(self, document, index)
            rows = [row for row in rows if hypothesis is None or row[1].hypothesis == hypothesis]
        if rows:
            quote = _quoted(rows[0][1].anchor.quote)
            self.undo_log.write(f"removed the mark on {quote} in {document.paper_id}", _withdrawals(self, rows))

    def marked_papers(self) -> tuple[PaperId, ...]:
        """Papers with a mark in the project in use, in the order in which they were first marked."""
        return tuple(paper_id for paper_id in self.undo_log.state().papers("mark") if _marks_of(self, paper_id))

    def quoted_papers(self) -> tuple[PaperId, ...]:
        """Those of them with a sentence that was accepted or marked by hand."""
        rows = ((paper_id, _marks_of(self, paper_id)) for paper_id in self.undo_log.state().papers("mark"))
        return tuple(paper_id for paper_id, marks in rows if any(mark.kind != "rejected" for _, mark, _ in marks))


_Row = tuple[str, Mark, int]
"""Place, mark, and the order of the event that set it."""


def _marks_of(highlights: Highlights, paper_id: PaperId) -> list[_Row]:
    """The marks on a paper that the project in use shows, the one made last at the end."""
    state, key = highlights.undo_log.state(), highlights.project
    placed = state.ordered_places("mark", paper_id)
    return [
        (place, value, order)
        for place, value, order in placed
        if isinstance(value, Mark) and is_shown(state, value.project, order, key)
    ]


def _withdrawals(highlights: Highlights, rows: Sequence[_Row]) -> list[RegisterChange]:
    """`rows` taken out of the project in use; the other projects that show one of them keep it as their own."""
    state, changes = highlights.undo_log.state(), []
    for place, mark, order in rows:
        changes.append(RegisterChange("mark", mark.paper_id, None, place))
        # Made before there were projects: taking it out here must not take it out of the others.
        if mark.project is None:
            for other in others_showing(state, order, highlights.project):
                copy = replace(mark, project=other)
                changes.append(RegisterChange("mark", mark.paper_id, copy, f"{place}\n{other}"))
    return changes


def _standing(highlights: Highlights, document: Document, index: int) -> list[_Row]:
    """The marks that stand on one sentence now."""
    marks = _marks_of(highlights, document.paper_id)
    return [row for row in marks if highlights.locator.locate(row[1].anchor, document) == index]


def _reading_order(located: LocatedMark) -> tuple[bool, int]:
    return located.index is None, located.mark.anchor.index if located.index is None else located.index


def _quoted(text: str) -> str:
    """The start of a sentence in quotation marks."""
    short = text if len(text) <= _QUOTED_CHARACTERS else text[: _QUOTED_CHARACTERS - 1].rstrip() + "…"
    return f"“{short}”"
