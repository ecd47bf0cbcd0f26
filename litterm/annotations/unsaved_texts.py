"""Texts about papers that the user has begun and neither saved nor discarded; they outlive a killed process."""

from __future__ import annotations

from contextlib import suppress

from litterm.core.durable_files import utc_now
from litterm.core.errors import ReadOnly
from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import SessionRow, rows_below
from litterm.model.annotations import UNSAVED_TEXT_KINDS, UnsavedText, UnsavedTextKind
from litterm.model.paper import PaperId

_PREFIX = "texts/"


class UnsavedTexts:
    """One text of each kind for a paper, the same in all projects; safe from any thread."""

    def __init__(self, state: StateDatabase) -> None:
        self._state = state

    def all(self) -> tuple[UnsavedText, ...]:
        """All of them, the newest first."""
        bodies = rows_below(self._state, _PREFIX)
        newest_first = sorted(bodies, key=lambda name: str(bodies[name].get("at")), reverse=True)
        names = [(kind, name.removeprefix(f"{_PREFIX}{kind}/"), name) for name in newest_first for kind in _kinds(name)]
        return tuple(UnsavedText(kind, PaperId(key), str(bodies[name].get("text"))) for kind, key, name in names)

    def text_of(self, kind: UnsavedTextKind, paper_id: PaperId) -> str | None:
        """The text of this kind; `None` if there is none."""
        text = self._row(kind, paper_id).load().get("text")
        return text if isinstance(text, str) else None

    def keep(self, kind: UnsavedTextKind, paper_id: PaperId, text: str, *, at_end: bool = False) -> None:
        """Replaces the text of this kind; in a library that cannot be written to, nothing is kept.

        Raises:
            StateBusy: another process is writing. Not `at_end` of this process, when there is no later attempt.
            DiskFull: it could not be written.
        """
        row, body = self._row(kind, paper_id), {"text": text, "at": utc_now()}
        with suppress(ReadOnly):
            if at_end:
                row.save_at_end(body)
            else:
                row.save(body)

    def discard(self, kind: UnsavedTextKind, paper_id: PaperId) -> None:
        """Forgets the text of this kind, if there is one.

        Raises:
            StateBusy: another process is writing.
        """
        row = self._row(kind, paper_id)
        # Mostly there is none, and a key waits for this.
        if row.load():
            row.remove()

    def _row(self, kind: UnsavedTextKind, paper_id: PaperId) -> SessionRow:
        return SessionRow(self._state, f"{_PREFIX}{kind}/{paper_id}")


def _kinds(name: str) -> tuple[UnsavedTextKind, ...]:
    """The kind that the name of a row says; none of a kind that this version does not know."""
    return tuple(kind for kind in UNSAVED_TEXT_KINDS if name.startswith(f"{_PREFIX}{kind}/"))
