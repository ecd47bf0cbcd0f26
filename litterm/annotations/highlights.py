"""Marks on sentences, which are stored by the words of the sentence and located again in other parses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from litterm.annotations.anchors import SentenceAnchors, make_anchor
from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.project_scope import find_other_projects, is_visible
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.model.annotations import LocatedMark, Mark, MarkKind
from litterm.model.document import Document
from litterm.model.paper import PaperId

_MARK_VERBS: dict[MarkKind, str] = {"accepted": "accepted", "rejected": "rejected", "hand": "marked"}
_MAX_QUOTE_CHARACTERS = 60


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
