"""`:undo`: the user's changes, of which one is chosen to undo it and all that were made after it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from textual.content import Content

from litterm.core.errors import LittermError
from litterm.model.overview import UndoStep
from litterm.text.escape import plain
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ListChoice, ListDialog
from litterm.tui.input.command_line import Command
from litterm.tui.input.keymap import BY_ID
from litterm.tui.messages import ago
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

_GROUP = "undo-list"
_ROW_LINES = 2
"""Lines of a change at most; those that quote a sentence would fill a small screen."""
_HEADING = (
    f"Newest first. On a change, enter undoes it and all that followed ({BY_ID['all.redo'].keys[0]} redoes); on one "
    "that is undone, enter brings it back."
)


class UndoListDialog(ListDialog[UndoStep]):
    """Lists changes, those undone first; answers with the one entered."""

    def __init__(self, glyphs: Glyphs) -> None:
        keys = f" {glyphs.dot} ".join(("enter undo or redo up to here", "esc leave"))
        super().__init__("undo", keys, glyphs, heading=f"looking{glyphs.ellipsis}")
        self.steps: Sequence[UndoStep] = ()

    def show(self, steps: Sequence[UndoStep]) -> None:
        """Shows the steps, with the cursor on the one that `u` would undo."""
        self.steps, now = tuple(steps), datetime.now(UTC)
        self.message.update(Content(_HEADING if steps else "Nothing to undo."))
        # A column for the word only where there is one.
        self.choices.replace_choices(
            [
                ListChoice(
                    step.sentence,
                    ago(step.at, now),
                    key="undone" if step.undone else "",
                    role="muted" if step.undone else "",
                    max_lines=_ROW_LINES,
                )
                for step in self.steps
            ]
        )
        self.choices.refresh(layout=True)
        self.choices.go(next((index for index, step in enumerate(self.steps) if not step.undone), 0))

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        if event.index < len(self.steps):
            self.dismiss(self.steps[event.index])


class UndoListController:
    """Opens the list of changes and undoes or redoes up to the one chosen."""

    def __init__(self, context: WorkbenchContext, annotations: AnnotationController) -> None:
        self._context = context
        self._annotations = annotations
        self._dialog: UndoListDialog | None = None

    def open(self) -> None:
        """Open the list; the titles of its papers are read in the background."""
        self._dialog = UndoListDialog(self._context.glyphs)
        self._context.open(self._dialog, self._annotations.revert_to)
        self._context.work.start(
            _GROUP, "listing changes", self._context.engine.undo_steps, self._show, failed=self._on_failure
        )

    def _show(self, steps: tuple[UndoStep, ...]) -> None:
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.show(steps)

    def _on_failure(self, error: LittermError) -> None:
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.message.update(Content(plain(str(error))))


def undo_command(context: WorkbenchContext, annotations: AnnotationController) -> Command:
    """`:undo`, which opens the list."""
    undo_list = UndoListController(context, annotations)
    return Command("undo", "list of your latest changes: undo back to one of them", lambda _: undo_list.open())
