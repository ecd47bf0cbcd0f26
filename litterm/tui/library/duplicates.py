"""`:duplicates`: records that may be one paper, shown as one or kept apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.command_line import Command
from litterm.tui.library.duplicates_dialog import DuplicatesDialog

if TYPE_CHECKING:
    from litterm.annotations.duplicates import Doubt

GROUP = "doubts"


class DuplicatesController:
    """Merges pairs of records or keeps them apart; each decision is saved at once and can be undone."""

    def __init__(self, context: WorkbenchContext, show: Callable[[PaperId], None], changed: Callable[[], None]) -> None:
        """`show` opens a paper; `changed` says that the library is shown differently."""
        self._context = context
        self._show = show
        self._on_change = changed
        self._dialog: DuplicatesDialog | None = None

    def open(self) -> None:
        """Open the list of undecided pairs."""
        self._dialog = DuplicatesDialog(
            self._context.glyphs, merge=self._merge, keep_apart=self._keep_apart, undo=self._undo
        )
        self._context.open(self._dialog, self._show)
        self._load()

    def _load(self) -> None:
        record_curation = self._context.engine.record_curation

        def doubts() -> Task[tuple[Doubt, ...]]:
            yield Progress("looking for duplicates")
            return record_curation.doubts()

        self._context.work.start(GROUP, "looking for duplicates", doubts, self._on_doubts, failed=self._on_failure)

    def _on_doubts(self, doubts: tuple[Doubt, ...]) -> None:
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.show(doubts)

    def _on_failure(self, error: LittermError) -> None:
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.fail(str(error))

    def _merge(self, doubt: Doubt) -> None:
        merged_id = self._context.attempt(lambda: self._context.engine.record_curation.merge(doubt.one, doubt.other))
        if merged_id is not None:
            self._context.tell(f"Shown as one paper, {merged_id}; u separates them again.")
            self._on_decided()

    def _keep_apart(self, doubt: Doubt) -> None:
        if self._context.attempt(lambda: self._context.engine.record_curation.apart(doubt.one.id, doubt.other.id)):
            self._context.tell("Kept as two papers; u undoes this.")
            self._on_decided()

    def _undo(self) -> None:
        undone = self._context.attempt(self._context.engine.record_curation.undo_pair)
        self._context.tell(undone or "Nothing to undo.")
        if undone:
            self._on_decided()

    def _on_decided(self) -> None:
        # All again: of three records with one title, a decision on two changes what is left to decide.
        self._load()
        self._on_change()

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        return (Command("duplicates", "possible duplicates: merge, keep apart", lambda _: self.open()),)
