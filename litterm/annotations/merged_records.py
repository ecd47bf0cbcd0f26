"""The decisions on records: which ones are merged into one paper, and which are hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from litterm.model.annotations import NO_DECISIONS, RecordVisibility
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.annotations.journal_codec import RegisterChange, Value
    from litterm.annotations.undo_log import UndoLog
    from litterm.library.journal import FileJournal

TWIN: Final = "twin"
APART = "apart"
"""The value of a pair that is kept apart; that of a merged pair is the id shown."""
_RECORD_LINE_MARKERS = (b'["twin", "', b'["removed", "')
"""Bytes that occur in every journal line about records."""


class RecordDecisions:
    """The decisions on records, for everything that shows papers; thread-safe.

    The journal is only parsed if a line of it is about records, so that a search in a library without such decisions
    scans the file once and parses nothing.
    """

    def __init__(
        self, undo_log: Callable[[], UndoLog], journal: FileJournal, holds: Callable[[Sequence[bytes]], bool]
    ) -> None:
        """`holds` tells whether the journal contains any of some byte strings."""
        self._undo_log = undo_log
        self._journal = journal
        self._holds = holds
        self._version: object = None
        self._decided = NO_DECISIONS
        self._any = False

    def current(self) -> RecordVisibility:
        """The current decisions; the same object as long as nothing changes."""
        version = self._journal.version()
        if version != self._version:
            self._any = self._any or self._holds(_RECORD_LINE_MARKERS)
            decided = self._undo_log().state().record_decisions() if self._any else NO_DECISIONS
            # Callers compare by identity, so an unchanged object is kept.
            if decided != self._decided:
                self._decided = decided
            self._version = version
        return self._decided


def make_pair_change(first_id: PaperId, second_id: PaperId, value: str | None) -> RegisterChange:
    """Sets the register of a pair to `APART`, to the id shown, or to nothing; the order of the ids does not matter."""
    from litterm.annotations.journal_codec import RegisterChange

    # Sorted, so that a pair has one register.
    first, second = sorted((first_id, second_id))
    return RegisterChange(TWIN, first, value, second)


def fold_decisions(
    pairs: Iterable[tuple[PaperId, str, Value]], removed: Iterable[tuple[PaperId, str, Value]]
) -> RecordVisibility:
    """Folds all decisions; `pairs` are in the order in which they were made.

    A record merged into one that is merged into a third is shown under the third.
    """
    parents: dict[PaperId, PaperId] = {}
    count = 0
    for first, second, value in pairs:
        count += 1
        other = PaperId(second)
        if value in (first, other):
            shown = first if value == first else other
            hidden = other if shown == first else first
            top, bottom = _find_root(parents, shown), _find_root(parents, hidden)
            # They may be merged already through other records; a cycle would never end.
            if top != bottom:
                parents[bottom] = top
    names = {hidden_id: _find_root(parents, hidden_id) for hidden_id in parents}
    removed_ids = frozenset(names.get(paper_id, paper_id) for paper_id, _, value in removed if value)
    return RecordVisibility(names, removed_ids, count)


def _find_root(parents: dict[PaperId, PaperId], paper_id: PaperId) -> PaperId:
    while paper_id in parents:
        paper_id = parents[paper_id]
    return paper_id
