"""Opens a table of columns (`:columns`, `#` in the matrix), fills it in the background and carries out its keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.core.user_files import backup_sentence, make_folder, write_file
from litterm.evidence.columns.export import COLUMN_FORMATS, encode_table, format_of_name
from litterm.evidence.columns.kinds import split_columns
from litterm.model.columns import (
    PILOT_PAPERS,
    ColumnCell,
    ColumnEdit,
    ColumnLlmOptions,
    ColumnTable,
    ColumnTableSummary,
)
from litterm.model.document import Document
from litterm.model.events import ColumnCellFilled, Event, Notice, Progress
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper
from litterm.render import sent_data
from litterm.render.columns.words import audit_words, cell_words, shown_values, value_words, why_words
from litterm.render.cost import caps_words
from litterm.render.export.markdown import Quote, citation
from litterm.text.plural import count_phrase
from litterm.text.quantities import find_quantities
from litterm.tui.columns.view import ColumnAct, ColumnsView
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.llm_consent import Consent, LlmConsentDialog, requests_dialog
from litterm.tui.dialogs.local_model import with_model
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.export import ExportController
from litterm.tui.messages import ago
from litterm.tui.reader.controller import ReaderController

GROUP = "columns"
"""Group of the background tasks that fill a table."""
_EXAMPLE = "sample size; data set; metric"
_WithPapers = Callable[[Sequence[str], str], None]
"""What is done with papers and the query they came from."""


class ColumnsController(ActionTarget):
    """Shows and fills one table at a time."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController, export: ExportController) -> None:
        self._context = context
        self._reader = reader
        self._export = export
        self._view: ColumnsView | None = None

    def command(self) -> Command:
        """`:columns`."""
        meaning = "table of what papers state, each value with its sentence"
        return Command("columns", meaning, lambda _: self.action_open())

    def action_open(self) -> None:
        """Choose a saved table, or begin one over the papers of the matrix, those selected, or the results."""

        def tables() -> Task[tuple[ColumnTableSummary, ...]]:
            yield Progress("looking for tables")
            return self._context.engine.column_tables.all()

        self._context.work.start("tables", "looking for tables", tables, self._list)

    def _list(self, summaries: tuple[ColumnTableSummary, ...]) -> None:
        if not summaries:
            self._with_papers(self._ask_columns)
            return
        choices = [ListChoice("new, over these papers"), *(self._choice(summary) for summary in summaries)]

        def on_choice(index: int) -> None:
            if index == 0:
                self._with_papers(self._ask_columns)
            else:
                self._show_saved(summaries[index - 1].id)

        dialog = ChoiceDialog("Tables of columns", choices, self._context.glyphs, wrap=True, keys="open")
        self._context.open(dialog, on_choice)

    def _choice(self, summary: ColumnTableSummary) -> ListChoice:
        total = summary.papers * len(summary.columns)
        far = "" if summary.cells >= total else f"{summary.cells:,} of {total:,} cells"
        facts = (count_phrase(summary.papers, "paper"), far, ago(summary.begun_at, datetime.now(UTC)))
        origin = (f"query: {summary.query}",) if summary.query else ()
        dot = f" {self._context.glyphs.dot} "
        return ListChoice("; ".join(summary.columns), dot.join(part for part in facts if part), below=origin)

    def _with_papers(self, then: _WithPapers) -> None:
        """Call `then` with the papers of the matrix, those selected, or all of the results, and their query."""
        context = self._context
        matrix = context.matrix.state.matrix
        if context.focus == "matrix" and matrix is not None:
            then(list(matrix.request.papers), matrix.request.query)
            return
        chosen = context.results.state.selected_papers()
        if chosen:
            then([paper.id for paper in chosen], "")
        elif context.results.all_papers().fetched:
            query = context.query.state.text

            def take(papers: Sequence[Paper]) -> None:
                then([paper.id for paper in papers], query)

            context.results.take_all("gathering the results", take)
        else:
            context.tell("Search first: a table covers papers of the results.")

    def _ask_columns(self, papers: Sequence[str], query: str) -> None:
        about = (
            f"Over {count_phrase(len(papers), 'paper')}. What should the papers state? Divide columns by semicolons; "
            "a unit in brackets is required: dose (mg). The first five papers are read first."
        )
        dialog = TextDialog("columns of the new table", _EXAMPLE, self._context.glyphs, about=about)
        dialog.enter = "read the papers"
        self._context.open(dialog, lambda typed: self._begin(papers, query, typed))

    def _begin(self, papers: Sequence[str], query: str, typed: str) -> None:
        columns = self._context.attempt(lambda: split_columns(typed))
        if columns is None:
            return

        def begin() -> Task[ColumnTable]:
            yield Progress("starting the table")
            return self._context.engine.column_tables.begin(papers, columns, query=query)

        self._context.work.start(GROUP, "starting the table", begin, self._show_and_pilot)

    def _show_saved(self, key: str) -> None:
        def opened() -> Task[ColumnTable]:
            yield Progress("opening the table")
            return self._context.engine.column_tables.open(key)

        self._context.work.start(GROUP, "opening the table", opened, self._show_and_pilot)

    def _show_and_pilot(self, table: ColumnTable) -> None:
        self._show(table)
        self._fill(PILOT_PAPERS)

    def _show(self, table: ColumnTable) -> None:
        if self._view is not None and self._view.is_attached:
            self._view.show(table)
            return
        self._view = ColumnsView(table, self._context.glyphs, self._act)
        self._context.open(self._view)

    @property
    def _table(self) -> ColumnTable | None:
        return self._view.rows.table if self._view is not None else None

    def _fill(self, papers: int | None) -> None:
        table, tables = self._table, self._context.engine.column_tables
        if table is not None:
            key = table.id
            self._context.work.start(
                GROUP, "filling the columns", lambda: tables.fill(key, papers), self._on_filled, on_event=self._on_event
            )

    def _fill_with_consent(self, papers: int | None) -> None:
        """Compute what is missing; where a model is asked, once the user agrees to what that may cost."""
        table, context = self._table, self._context
        if table is None or table.request.options is None:
            self._fill(papers)
            return
        tables, key = context.engine.column_tables, table.id

        def on_estimate(estimate: CostEstimate | None) -> None:
            if estimate is None or not estimate.calls:
                self._fill(papers)
                return
            context.open(self._consent_dialog(estimate), on_consent)

        def on_consent(consent: Consent) -> None:
            if consent == "run":
                self._fill(papers)
                return
            context.work.start("estimate", "dry run", lambda: tables.preview(key, papers), self._show_requests)

        context.work.start("estimate", "estimating", lambda: tables.estimate(key, papers), on_estimate)

    def _consent_dialog(self, estimate: CostEstimate, on_decline: Callable[[], None] | None = None) -> LlmConsentDialog:
        context = self._context
        caps = caps_words(context.settings.model)
        return LlmConsentDialog(estimate, sent_data.COLUMNS, caps, context.glyphs, on_decline=on_decline)

    def _show_requests(self, requests: tuple[str, ...]) -> None:
        self._context.open(requests_dialog(requests, self._context.glyphs, "litterm extract --dry-run"))

    def _on_event(self, event: Event) -> None:
        match event:
            case ColumnCellFilled(cell=cell) if self._view is not None and self._view.is_attached:
                self._view.show(_with_cell(self._view.rows.table, cell))
            case Notice(text=text) if text:
                self._context.notify_once(text)
            case _:
                pass

    def _on_filled(self, table: ColumnTable) -> None:
        if self._view is not None and self._view.is_attached and self._view.rows.table.id == table.id:
            self._view.show(table)
        if table.computed_count < table.cell_count:
            read = min(PILOT_PAPERS, len(table.rows))
            self._context.tell(f"The first {read} papers are read; `.` reads the rest.")
        else:
            self._context.tell(f"Columns done: {table.computed_count:,} cells.")

    def _act(self, act: ColumnAct) -> None:
        acts = {
            "open": self._open_paper,
            "edit": self._edit,
            "unedit": self._unedit,
            "add": self._add,
            "rest": lambda: self._fill_with_consent(None),
            "model": self._ask_model,
            "why": self._why,
            "copy": self._copy,
            "write": self._write,
        }
        acts[act]()

    def _open_paper(self) -> None:
        """Open the paper at the sentence of the value."""
        view = self._view
        row = view.rows.current if view else None
        if view is None or row is None or row.paper is None:
            self._context.tell("This paper is not in the library.")
            return
        sources = [value.source for value in shown_values(row, view.rows.column) if value.source]
        source = sources[0] if sources else None

        def show_sentence(document: Document) -> None:
            # Not the index alone: the text may have been fetched again since it was read.
            if source is None:
                return
            rows = document.sentences
            if source.index < len(rows) and rows[source.index].text == source.text:
                self._context.reader.go(source.index, margin=4)
            else:
                self._context.tell("This sentence could not be located in the current text.", warn=True)

        view.dismiss(None)
        self._reader.open(row.paper, sentence=source.index if source else None, on_opened=show_sentence)

    def _edit(self) -> None:
        view = self._view
        row = view.rows.current if view else None
        if view is None or row is None:
            return
        column, name = view.rows.column, view.column_name
        values = shown_values(row, column)
        about = f"{name}: what this paper states. No run overwrites it; empty says that it is not stated."
        dialog = TextDialog(
            "write into the cell",
            value_words(values[0]) if values else "",
            self._context.glyphs,
            about=about,
            takes_empty=True,
            name=True,
        )

        def keep(typed: str) -> None:
            tables = self._context.engine.column_tables
            self._context.attempt(lambda: tables.edit(row, name, read_edit(typed)))
            self._refresh()

        self._context.open(dialog, keep)

    def _unedit(self) -> None:
        view = self._view
        row = view.rows.current if view else None
        if view is None or row is None or row.edits[view.rows.column] is None:
            self._context.tell("You wrote nothing into this cell.")
            return
        name = view.column_name
        self._context.attempt(lambda: self._context.engine.column_tables.edit(row, name, None))
        self._refresh()

    def _refresh(self) -> None:
        if self._view is not None and self._view.is_attached:
            self._view.show(self._context.engine.column_tables.with_edits(self._view.rows.table))

    def _add(self) -> None:
        table = self._table
        if table is None:
            return

        def keep(typed: str) -> None:
            tables = self._context.engine.column_tables
            grown = self._context.attempt(lambda: tables.add_column(table.id, typed))
            if grown is not None and self._view is not None:
                read = sum(row.cells[0] is not None for row in table.rows)
                self._view.show(grown)
                self._view.rows.move_to_column(len(grown.request.columns) - 1)
                # As far as the other columns are read.
                self._fill_with_consent(max(PILOT_PAPERS, read))

        dialog = TextDialog("add a column", "", self._context.glyphs, name=True)
        dialog.enter = "add the column"
        self._context.open(dialog, keep)

    def _ask_model(self) -> None:
        table = self._table
        if table is None:
            return
        context = self._context

        def estimate() -> Task[tuple[ColumnTable, CostEstimate | None]]:
            yield Progress("estimating")
            tables, request = context.engine.column_tables, table.request
            asked = tables.begin(request.papers, request.columns, query=request.query, options=ColumnLlmOptions())
            return asked, (yield from tables.estimate(asked.id, PILOT_PAPERS))

        with_model(context, lambda: context.work.start("estimate", "estimating", estimate, self._on_estimate))

    def _on_estimate(self, answer: tuple[ColumnTable, CostEstimate | None]) -> None:
        asked, estimate = answer
        if estimate is None:
            # Everything that the pilot would ask has been read: what is left is asked for by `.`.
            self._show(asked)
            return
        dialog = self._consent_dialog(estimate, lambda: self._discard(asked))
        self._context.open(dialog, lambda consent: self._on_consent(consent, asked))

    def _on_consent(self, consent: Consent, asked: ColumnTable) -> None:
        if consent == "run":
            self._show_and_pilot(asked)
            return
        tables = self._context.engine.column_tables

        def show_requests(requests: tuple[str, ...]) -> None:
            self._discard(asked)
            self._show_requests(requests)

        self._context.work.start("estimate", "dry run", lambda: tables.preview(asked.id, PILOT_PAPERS), show_requests)

    def _discard(self, asked: ColumnTable) -> None:
        """Delete a table that was created only for its estimate."""
        # `begin` may have given back an earlier table of the same request, whose cells stay.
        if not asked.computed_count:
            self._context.attempt(lambda: self._context.engine.column_tables.remove(asked.id))

    def _why(self) -> None:
        view = self._view
        row = view.rows.current if view else None
        if view is None or row is None:
            return
        column, cell = view.rows.column, row.cells[view.rows.column]
        paragraphs = [f"{view.column_name}: {cell_words(row, column)}", why_words(cell)]
        for number, value in enumerate(shown_values(row, column), 1):
            place = f": {value.source.text} ({value.source.locator})" if value.source else ""
            paragraphs.append(f"{number}. {value_words(value)}{place}")
        paragraphs += [audit_words(run) for run in view.rows.table.runs[-3:]]
        self._context.open(MessageDialog("why", [text for text in paragraphs if text], self._context.glyphs))

    def _copy(self) -> None:
        view = self._view
        row = view.rows.current if view else None
        values = shown_values(row, view.rows.column) if view and row else ()
        source = next((value.source for value in values if value.source), None)
        if view is None or row is None or row.paper is None or source is None:
            self._context.tell("No sentence in this cell to copy.")
            return
        quote = Quote(row.paper, source.text, source.locator, source.page, view.column_name)
        key = self._context.engine.citation_keys.key(row.paper)
        self._export.copy_to_clipboard(f"{value_words(values[0])}: {citation(quote, key)}", "1 value")

    def _write(self) -> None:
        table = self._table
        if table is None:
            return
        endings = ", ".join(f".{form}" for form in COLUMN_FORMATS)

        def keep(name: str) -> None:
            def write() -> Task[str]:
                yield Progress("writing the table")
                return _write_file(self._context, table.id, Path(name).expanduser())

            def on_written(sentence: str) -> JobReport:
                self._context.tell(sentence)
                return JobReport(sentence)

            self._context.queue.add(JobOrder("write", "writing the table", write, on_written))

        dialog = TextDialog(
            "write the table to a file",
            str(Path.cwd() / "columns.csv"),
            self._context.glyphs,
            about=f"The suffix chooses the format: {endings}.",
            name=True,
        )
        dialog.enter = "write"
        self._context.open(dialog, keep)


def read_edit(typed: str) -> ColumnEdit:
    """What was typed into a cell: a quantity is divided into value and unit."""
    words = " ".join(typed.split())
    quantities = find_quantities(words)
    if len(quantities) == 1:
        quantity = quantities[0]
        unit = quantity.unit or quantity.counted
        if words[quantity.value_start :].startswith(quantity.value) and quantity.value_start == 0:
            rest = words[len(quantity.value) :].strip()
            if rest == unit:
                return ColumnEdit(quantity.value, unit)
    return ColumnEdit(words)


def _with_cell(table: ColumnTable, cell: ColumnCell) -> ColumnTable:
    """`table` with a cell that has just been computed; unchanged if it has no such row or column."""
    request = table.request
    if cell.paper_id not in request.papers or cell.column not in request.columns:
        return table
    place, column = request.papers.index(cell.paper_id), request.columns.index(cell.column)
    row = table.rows[place]
    cells = (*row.cells[:column], cell, *row.cells[column + 1 :])
    return replace(table, rows=(*table.rows[:place], replace(row, cells=cells), *table.rows[place + 1 :]))


def _write_file(context: WorkbenchContext, key: str, path: Path) -> str:
    form = format_of_name(path.name)
    if form is None:
        raise LittermError(f"{path}: end the name in {', '.join(f'.{suffix}' for suffix in COLUMN_FORMATS)}.")
    make_folder(path.parent)
    # Read again from disk: cells may have been added since the dialog was opened.
    table = context.engine.column_tables.open(key)
    backup = write_file(path, encode_table(table, form, context.engine.citation_keys))
    return f"Wrote {len(table.rows):,} papers into {path}.{backup_sentence(backup)}"
