"""`o`: the reader shows the paper under the cursor of the results, and follows it."""

from __future__ import annotations

from dataclasses import replace

from textual.timer import Timer

from litterm.tui.context import WorkbenchContext
from litterm.tui.kept_choices import keep
from litterm.tui.reader.controller import ReaderController
from litterm.tui.textual_compat import ActionTarget

REST_S = 0.15
"""How long the cursor must rest on a row: a key held down opens nothing on its way."""


class PreviewController(ActionTarget):
    """Opens papers without taking the focus, and without a place in the history."""

    def __init__(self, stage: WorkbenchContext, reading: ReaderController) -> None:
        self._stage = stage
        self._reading = reading
        self._timer: Timer | None = None
        stage.reshape(preview=stage.settings.preview)

    @property
    def on(self) -> bool:
        """Whether the reader follows the cursor."""
        return self._stage.board.shape.preview

    def action_toggle(self) -> None:
        """Follow the cursor of the results, or have the results alone again; the choice is kept."""
        stage, wanted = self._stage, not self.on
        keep(stage, "preview", wanted)
        if wanted:
            stage.reshape(preview=True, hidden=stage.board.shape.hidden - {"reader", "results"}, zoomed=None)
            self._show()
            stage.tell("Preview on; o ends it.")
        else:
            self._stop()
            stage.reshape(preview=False, reading=False, evidence=False)
            stage.results.state = replace(stage.results.state, reading=None)
            if stage.focus in ("reader", "evidence"):
                stage.focus_pane("results")
            stage.tell("Preview off: enter opens a paper.")

    def moved(self) -> None:
        """The cursor of the results stands on another row, or other rows are there."""
        if self.on:
            self._stop()
            self._timer = self._stage.screen.set_timer(REST_S, self._show)

    def _show(self) -> None:
        row = self._stage.results.current
        if self.on and row is not None and self._stage.focus in ("results", "query", "aspects"):
            self._reading.open(row.paper, focus=False, trail=False)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
