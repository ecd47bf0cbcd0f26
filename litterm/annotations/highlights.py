"""Marks on sentences: made on a sentence, kept by its words, and shown where these stand now."""

from __future__ import annotations

from dataclasses import dataclass

from litterm.annotations.anchors import SentenceAnchors, anchor_at
from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.model.annotations import LocatedMark, Mark, MarkKind
from litterm.model.document import Document
from litterm.model.paper import PaperId

_DONE: dict[MarkKind, str] = {"accepted": "accepted", "rejected": "rejected", "hand": "marked"}
_QUOTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Highlights:
    """The part of the desk that is about sentences."""

    ledger: UndoLog
    locator: SentenceAnchors

    def marks(self, document: Document) -> tuple[LocatedMark, ...]:
        """The marks on a paper and where they stand in `document`: in reading order, the not located last.

        A sentence has one mark per hypothesis; of several the one made last comes last.
        """
        marks = _marks_of(self, document.paper_id)
        located = [LocatedMark(mark, self.locator.locate(mark.anchor, document)) for _, mark in marks]
        return tuple(sorted(located, key=_reading_order))

    def mark(self, document: Document, index: int, kind: MarkKind, hypothesis: str = "") -> None:
        """Decides on the sentence `index` for `hypothesis`, in place of an earlier decision on it.

        Raises:
            UsageError: the document has no such sentence.
        """
        if not 0 <= index < len(document.sentences):
            raise UsageError(f"There is no sentence {index} in this document of {len(document.sentences)}.")
        anchor = anchor_at(document, index)
        mark = Mark(document.paper_id, anchor, kind, hypothesis)
        here = [place for place, old in _standing(self, document, index) if old.hypothesis == hypothesis]
        place = here[-1] if here else f"{document.id}#{index}#{hypothesis}"
        changes = [RegisterChange("mark", document.paper_id, mark, place)]
        changes += [RegisterChange("mark", document.paper_id, None, other) for other in here[:-1]]
        self.ledger.write(f"{_DONE[kind]} {_quoted(anchor.quote)} in {document.paper_id}", changes)

    def unmark(self, document: Document, index: int | LocatedMark) -> None:
        """Removes every mark on the sentence `index`, or one mark, located or not."""
        if isinstance(index, LocatedMark):
            gone = [(place, mark) for place, mark in _marks_of(self, document.paper_id) if mark == index.mark]
        else:
            gone = _standing(self, document, index)
        if gone:
            changes = [RegisterChange("mark", document.paper_id, None, place) for place, _ in gone]
            quote = _quoted(gone[0][1].anchor.quote)
            self.ledger.write(f"removed the mark on {quote} in {document.paper_id}", changes)

    def marked_papers(self) -> tuple[PaperId, ...]:
        """Papers with a mark, in the order in which they were first marked."""
        return tuple(self.ledger.state().papers("mark"))


def _marks_of(marking: Highlights, paper_id: PaperId) -> list[tuple[str, Mark]]:
    """Every mark on a paper with its place, the one made last at the end."""
    held = marking.ledger.state().places("mark", paper_id)
    return [(place, value) for place, value in held if isinstance(value, Mark)]


def _standing(marking: Highlights, document: Document, index: int) -> list[tuple[str, Mark]]:
    """The marks that stand on one sentence now, with their places."""
    marks = _marks_of(marking, document.paper_id)
    return [(place, mark) for place, mark in marks if marking.locator.locate(mark.anchor, document) == index]


def _reading_order(located: LocatedMark) -> tuple[bool, int]:
    return located.index is None, located.mark.anchor.index if located.index is None else located.index


def _quoted(text: str) -> str:
    """The start of a sentence in quotation marks."""
    short = text if len(text) <= _QUOTED_CHARACTERS else text[: _QUOTED_CHARACTERS - 1].rstrip() + "…"
    return f"“{short}”"
