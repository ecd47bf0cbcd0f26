"""The matrix shown: filling it in the background, adding columns, retrying, deleting."""

from __future__ import annotations

from dataclasses import replace

from litterm.model.events import CellFilled, Event, Notice
from litterm.model.matrix import Matrix
from litterm.render.agreement import mark_words
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import ConfirmDialog
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.matrix.state import MatrixState, with_cell

GROUP = "matrix"
"""Group of the background tasks that fill a matrix."""
NO_MATRIX = "No matrix here: select papers in the results (space, v, *), then E."


class MatrixController(ActionTarget):
    """Shows and fills one matrix at a time."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context

    @property
    def state(self) -> MatrixState:
        """The matrix as shown."""
        return self._context.matrix.state

    def show(self, matrix: Matrix, *, focus: bool = True) -> None:
        """Show a matrix, and compute its missing cells."""
        self._context.matrix.state = MatrixState(matrix, mark=self._mark_of(matrix))
        self._context.reshape(matrix=True)
        if focus:
            self._context.focus_pane("matrix")
        else:
            # At a start the focus belongs to the query; the matrix waits behind it.
            self._context.tell("The matrix you left is open: press esc, then tab.")
        if matrix.computed_count < matrix.cell_count:
            self.fill()

    def fill(self) -> None:
        """Compute the missing cells; a run under way is restarted."""
        key, engine = self.state.key, self._context.engine
        if key:
            self._context.work.start(
                GROUP, "filling the matrix", lambda: engine.matrices.fill(key), self._on_filled, on_event=self._on_event
            )
        else:
            self._context.tell(NO_MATRIX)

    def _on_event(self, event: Event) -> None:
        match event:
            case CellFilled(cell=cell) if self.state.matrix:
                self._context.matrix.state = replace(self.state, matrix=with_cell(self.state.matrix, cell))
            case Notice(text=text) if text:
                self._context.notify_once(text)
            case _:
                pass

    def _on_filled(self, matrix: Matrix) -> None:
        # Another matrix may be shown by now, and only the notice is still of interest.
        if matrix.id == self.state.key:
            self._context.matrix.state = replace(self.state, matrix=matrix, mark=self._mark_of(matrix))
        failed = sum(cell.empty == "failed" for row in matrix.rows for cell in row.cells if cell)
        retry_hint = f"; {failed:,} failed, `.` tries them again" if failed else ""
        self._context.tell(f"Matrix done: {matrix.computed_count:,} cells{retry_hint}.", warn=bool(failed))

    def _mark_of(self, matrix: Matrix) -> str:
        """How far the model whose stances the matrix has agrees with people; empty without stances."""
        judged = next((cell.by for row in matrix.rows for cell in row.cells if cell and cell.has_stance), "")
        return mark_words(self._context.engine.agreement.mark("evidence", judged)) if judged else ""

    def action_add(self) -> None:
        """Ask for one more hypothesis, a new column."""
        key = self.state.key
        if not key:
            self._context.tell(NO_MATRIX)
            return

        def keep(text: str) -> None:
            matrix = self._context.attempt(lambda: self._context.engine.matrices.add_hypothesis(key, text))
            if matrix is not None:
                self._context.matrix.state = replace(self.state, matrix=matrix)
                self._context.matrix.move_to_column(len(matrix.request.hypotheses) - 1)
                self.fill()

        dialog = TextDialog("add a hypothesis", "", self._context.glyphs)
        dialog.enter = "add the column"
        self._context.open(dialog, keep)

    def remove(self) -> None:
        """Delete the matrix shown, after asking."""
        matrix = self.state.matrix
        if matrix is None:
            self._context.tell(NO_MATRIX)
            return

        def on_confirm(_yes: bool) -> None:
            # First, or a cell computed meanwhile would be written into a matrix that is gone.
            self._context.work.cancel(GROUP)
            if self._context.attempt(lambda: self._context.engine.matrices.remove(matrix.id)) is not None:
                self._context.matrix.state = MatrixState()
                self.leave()
                self._context.tell("Deleted. Your decisions on its cells stay.")

        question = f"Delete this matrix of {len(matrix.rows):,} papers? Your decisions on its cells stay."
        self._context.open(ConfirmDialog("delete", question, self._context.glyphs), on_confirm)

    def action_retry(self) -> None:
        """Continue a stopped run, and retry failed cells."""
        matrix = self.state.matrix
        failed = matrix and any(cell and cell.empty == "failed" for row in matrix.rows for cell in row.cells)
        if matrix and not failed and matrix.computed_count >= matrix.cell_count:
            self._context.tell("Nothing failed here, and every cell is computed.")
        else:
            self.fill()

    def leave(self) -> None:
        """Return to the panes. The matrix is still filled in the background, and `E` shows it again."""
        self._context.reshape(matrix=False, zoomed=None)
        self._context.focus_pane("results")
