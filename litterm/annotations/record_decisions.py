"""Decisions on records, merged or hidden, for whatever shows papers; costs nearly nothing where there are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from litterm.model.annotations import NO_DECISIONS, RecordVisibility

if TYPE_CHECKING:
    from litterm.annotations.undo_log import UndoLog
    from litterm.library.journal import FileJournal

_MARKS = (b'["twin", "', b'["removed", "')
"""What every line of the journal holds that is about records; others need not be read for a search."""


class RecordDecisions:
    """What was decided, for whoever shows papers; safe from any thread.

    The journal is folded only if any line of it is about records: a search by somebody who never decided anything
    looks through the file once and reads nothing.
    """

    def __init__(
        self, undo_log: Callable[[], UndoLog], journal: FileJournal, holds: Callable[[Sequence[bytes]], bool]
    ) -> None:
        """`holds` says whether any of some words stands in the journal."""
        self._undo_log = undo_log
        self._journal = journal
        self._holds = holds
        self._version: object = None
        self._decided = NO_DECISIONS
        self._any = False

    def now(self) -> RecordVisibility:
        """The same object as long as nothing was decided."""
        version = self._journal.version()
        if version != self._version:
            self._any = self._any or self._holds(_MARKS)
            decided = self._undo_log().state().decided() if self._any else NO_DECISIONS
            # The old object stays where nothing has changed: who shows papers compares by identity.
            if decided != self._decided:
                self._decided = decided
            self._version = version
        return self._decided
