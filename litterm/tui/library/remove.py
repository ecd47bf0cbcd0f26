"""Hides papers (`:remove`); undo shows them again."""

from __future__ import annotations

from collections.abc import Callable

from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.command_line import Command


class RemoveController:
    """Hides papers; the search is repeated whenever that changes what it finds."""

    def __init__(
        self, context: WorkbenchContext, annotations: AnnotationController, changed: Callable[[], None]
    ) -> None:
        """`changed` is called when the library has changed."""
        self._context = context
        self._annotations = annotations
        annotations.revert_listeners.append(self.refresh)
        self._on_change = changed
        self._removed: tuple[str, ...] | None = None
        """As last seen; `None` before anything was removed here."""

    def command(self) -> Command:
        """`:remove`."""
        meaning = "hide this paper, or the selected ones; nothing is deleted"
        return Command("remove", meaning, lambda _: self.remove())

    def remove(self) -> None:
        """Hide the current paper, or the selected ones."""
        context, papers = self._context, self._annotations.papers()
        if not papers:
            context.tell("No paper here.")
            return
        count = context.attempt(lambda: context.engine.record_curation.remove(papers))
        if count:
            context.tell(f"Removed {papers[0].title if count == 1 else f'{count:,} papers'}; u restores.")
            self._removed = context.engine.record_curation.removed_papers()
            self._on_change()

    def refresh(self) -> None:
        """Search again if a removal was undone or redone."""
        if self._removed is None:
            return
        removed = self._context.engine.record_curation.removed_papers()
        if removed != self._removed:
            self._removed = removed
            self._on_change()
