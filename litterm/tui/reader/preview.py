"""The preview (`o`): the reader follows the cursor of the results."""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.timer import Timer

from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.results_pane import ResultsPane
from litterm.tui.widgets.rows import Rows

PREVIEW_DELAY_S = 0.15
"""Seconds the cursor must rest on a row: a key held down opens no paper on its way."""


class PreviewController(ActionTarget):
    """Opens papers without taking the focus, and without a place in the history."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController) -> None:
        self._context = context
        self._reader = reader
        self._timer: Timer | None = None
        context.reshape(preview=context.settings.preview)

    @property
    def is_on(self) -> bool:
        """Whether the reader follows the cursor."""
        return self._context.board.shape.preview

    def action_toggle(self) -> None:
        """Follow the cursor of the results, or have the results alone again; the choice is kept."""
        context, turn_on = self._context, not self.is_on
        context.save_setting("preview", turn_on)
        if turn_on:
            context.reshape(preview=True, hidden=context.board.shape.hidden - {"reader", "results"}, zoomed=None)
            self._show()
            context.tell("Preview on: the reader follows the cursor. o turns it off.")
        else:
            self._stop()
            context.reshape(preview=False, reading=False, evidence=False)
            context.results.state = replace(context.results.state, reading=None)
            if context.focus in ("reader", "evidence"):
                context.focus_pane("results")
            context.tell("Preview off: enter opens a paper.")

    @on(Rows.Moved, "#results")
    # Another paper may be under the cursor although it did not move.
    @on(ResultsPane.RowsInViewChanged)
    def schedule_preview(self) -> None:
        """Show the paper under the cursor of the results after a delay."""
        if self.is_on:
            self._stop()
            self._timer = self._context.screen.set_timer(PREVIEW_DELAY_S, self._show)

    def _show(self) -> None:
        row = self._context.results.current
        # The focus may have left the list while the timer ran, and a paper being read must stay.
        if self.is_on and row is not None and self._context.focus in ("results", "query", "aspects"):
            # Without a place on the way back, which leads through papers that one chose to open.
            self._reader.open(row.paper, focus=False, trail=False)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
