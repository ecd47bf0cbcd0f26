"""Actions on the cells of the matrix: step through, open, decide, explain, copy and export."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from textual import on

from litterm.annotations.highlights import find_quote
from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.core.user_files import backup_sentence, refusal, write_file
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.matrix import CellDecision, CellQuote, Matrix, MatrixCell, MatrixRun
from litterm.model.paper import PaperId
from litterm.render.bibliography.keys import CitationKeys
from litterm.render.closeness import cell_stance_words, closeness_label, stance_label
from litterm.render.export.markdown import Quote, citation
from litterm.render.matrix.formats import MATRIX_FORMATS, encode_matrix, format_of_name
from litterm.render.matrix.words import audit_words, cell_words
from litterm.render.names import day_and_time, method_words
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.export import ExportController
from litterm.tui.matrix.controller import NO_MATRIX, MatrixController
from litterm.tui.matrix.pane import MatrixPane
from litterm.tui.reader.controller import ReaderController
from litterm.tui.state import DecisionKey


class CellActions(ActionTarget):
    """What the keys mean while the matrix has the focus."""

    def __init__(
        self,
        context: WorkbenchContext,
        reader: ReaderController,
        export: ExportController,
        matrix: MatrixController,
        annotations: AnnotationController,
    ) -> None:
        annotations.revert_listeners.append(self.refresh)
        self._context = context
        self._pane = context.matrix
        self._reader = reader
        self._export = export
        self._matrix = matrix
        self._opened: PaperId | None = None
        """The paper opened from a cell, from which one goes back to that cell."""

    def action_enter(self) -> None:
        """Open the paper at the best sentence of the cell, its evidence beside it."""
        row, cell = self._pane.current, self._pane.cell
        if row is None or row.paper is None:
            self._context.tell("This paper is not in the library." if row else NO_MATRIX)
            return
        best = row.quote_of(self._pane.column) if cell else None
        self._opened = row.paper.id
        show_cell = partial(self._show_cell, self._pane.hypothesis, best)
        self._reader.open(row.paper, sentence=best.index if best else None, on_opened=show_cell)

    def _show_cell(self, hypothesis: str, best: CellQuote | None, document: Document) -> None:
        """Show the evidence and the sentence of a cell in its paper, which has been opened."""
        # Once, as entering a cell must not pin its hypothesis for all papers opened later.
        self._context.evidence.ask_once(hypothesis)
        index = find_quote(document, best.index, best.text) if best else None
        # Not the index of the cell alone: the text may have been fetched again since it was computed.
        if index is not None:
            self._context.reader.go(index, margin=4)
        elif best is not None:
            self._context.tell("This sentence could not be located in the current text.", warn=True)

    def back_to_cell(self) -> bool:
        """Return from a paper opened by a cell to that cell; returns whether there is one."""
        paper, opened = self._context.reader.state.paper, self._opened
        if paper is None or paper.id != opened or not self._context.board.shape.matrix:
            return False
        self._opened = None
        self._context.focus_pane("matrix")
        return True

    def action_walk(self, step: int) -> None:
        """The next (1) or previous (-1) paper with evidence in this column."""
        pane = self._pane
        rows = pane.shown
        ahead = range(pane.cursor + 1, len(rows)) if step > 0 else range(pane.cursor - 1, -1, -1)
        for index in ahead:
            cell = rows[index].cells[pane.column]
            if cell is not None and cell.quotes:
                pane.go(index)
                return
        self._context.tell("No more evidence in this column." if rows else NO_MATRIX)

    def action_neighbour(self, step: int) -> None:
        """The row before or after."""
        self._pane.go(self._pane.cursor + step)

    def action_back(self) -> None:
        """Clear the selection, then filter, then zoom; then leave the matrix, which is still filled."""
        if self._clear():
            return
        if self._context.board.shape.zoomed:
            self._context.reshape(zoomed=None)
        else:
            self._matrix.leave()

    def _clear(self) -> bool:
        state = self._pane.state
        if self._pane.range_start is None and not state.chosen and not state.only:
            return False
        keep = state.only if state.chosen or self._pane.range_start is not None else ""
        self._pane.range_start = None
        self._pane.state = replace(state, chosen=frozenset(), only=keep)
        return True

    def action_decide(self, key: DecisionKey) -> None:
        """Accept or reject the cell, or those of the selected rows; the same key again makes them undecided."""
        pane, annotations = self._pane, self._context.engine.annotations
        current = [pane.current] if pane.current else []
        rows = [row for row in pane.shown if row.paper_id in pane.state.chosen] or current
        if not rows or not pane.hypothesis:
            self._context.tell("No cell here.")
            return
        decision: CellDecision = "accepted" if key == "accept" else "rejected"
        # Only where all are decided so already does the key take back: one press makes a mixed selection agree.
        are_decided = all(row.decisions[pane.column] == decision for row in rows)

        def decide() -> None:
            with annotations.group_changes():
                for row in rows:
                    annotations.decide(row.paper_id, pane.hypothesis, None if are_decided else decision)

        self._context.attempt(decide)
        self.refresh()

    @on(MatrixPane.Focused)
    def refresh(self) -> None:
        """Show the decisions on cells and sentences after one was made or undone."""
        matrix = self._pane.state.matrix
        if matrix is not None:
            renewed = self._context.engine.matrices.with_decisions(matrix)
            self._pane.state = replace(self._pane.state, matrix=renewed)

    def action_why(self) -> None:
        """Show everything about the cell, and how it was computed."""
        matrix, cell = self._pane.state.matrix, self._pane.cell
        paragraphs = _explanation(cell, self._pane.hypothesis) if cell else ["This cell has not been computed yet."]
        audit = [_run_words(run) for run in matrix.runs[-3:]] if matrix else [NO_MATRIX]
        self._context.open(MessageDialog("why", [*paragraphs, *audit], self._context.glyphs))

    def action_copy(self) -> None:
        """Copy the best sentence of the cell with its citation."""
        row, cell = self._pane.current, self._pane.cell
        best = row.quote_of(self._pane.column) if row and cell else None
        if row is None or row.paper is None or cell is None or best is None:
            self._context.tell("No evidence in this cell to copy.")
            return
        quote = Quote(row.paper, best.text, best.locator, best.page, cell.hypothesis)
        self._export.copy_to_clipboard(citation(quote, self._context.engine.citation_keys.key(row.paper)), "1 quote")

    def action_write(self) -> None:
        """Ask for a file name, then write the matrix in the format of its suffix."""
        key = self._pane.state.key
        if not key:
            self._context.tell(NO_MATRIX)
            return
        endings = ", ".join(f".{form}" for form in MATRIX_FORMATS)
        description = f"The suffix chooses the format: {endings}. Your decisions are kept apart from computed values."

        def keep(name: str) -> None:
            def write() -> Task[str]:
                yield Progress("writing the matrix")
                # Read again from disk: cells may have been added since the dialog was opened.
                engine = self._context.engine
                return _write(engine.matrices.open(key), Path(name).expanduser(), engine.citation_keys)

            def on_written(sentence: str) -> JobReport:
                self._context.tell(sentence)
                return JobReport(sentence)

            self._context.queue.add(JobOrder("write", "writing the matrix", write, on_written))

        default_path = str(Path.cwd() / "matrix.html")
        dialog = TextDialog(
            "write the matrix to a file", default_path, self._context.glyphs, about=description, name=True
        )
        dialog.enter = "write"
        self._context.open(dialog, keep)


def _write(matrix: Matrix, path: Path, citation_keys: CitationKeys) -> str:
    form = format_of_name(path.name)
    if form is None:
        raise LittermError(f"{path}: end the name in {', '.join(f'.{suffix}' for suffix in MATRIX_FORMATS)}.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(path, error) from error
    backup = write_file(path, encode_matrix(matrix, form, citation_keys))
    return f"Wrote {len(matrix.rows):,} papers into {path}.{backup_sentence(backup)}"


def _run_words(run: MatrixRun) -> str:
    """A line of the audit, with its time and method in words."""
    return audit_words(replace(run, at=day_and_time(run.at), by=tuple(map(method_words, run.by))))


def _explanation(cell: MatrixCell, hypothesis: str) -> list[str]:
    sure = "" if cell.confidence is None else f" Probability that the paper is about it: {cell.confidence:.0%}."
    by = f" By {method_words(cell.by)}, from the {cell.ground}, {day_and_time(cell.at)}." if cell.by else ""
    words = "; ".join(filter(None, (cell_words(cell), cell_stance_words(cell))))
    paragraphs = [hypothesis, f"{words.capitalize()}.{sure}{by}"]
    if cell.why:
        paragraphs.append(cell.why)
    for rank, quote in enumerate(cell.quotes, 1):
        stance = stance_label(quote.stance, quote.likely_stance)
        facts = (closeness_label(quote.strength, quote.stance), stance, quote.reason)
        judged = ", ".join(part for part in facts if part)
        paragraphs.append(f"{rank}. {quote.text} ({quote.locator}; {judged})")
    return paragraphs
