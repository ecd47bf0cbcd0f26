"""Computes the missing cells of a table of columns: one process at a time, each cell stored before it is reported."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from litterm.core.errors import ModelError, NoModelSet, UsageError
from litterm.core.tasks import Task, collect_outgoing
from litterm.evidence.columns.kinds import column_spec
from litterm.evidence.columns.llm import ColumnReply, ShownPaper, check_column, column_question, show_paper
from litterm.evidence.columns.rules import RECORD, RULES, PaperText, read_column
from litterm.evidence.matrix.cells import OpenPaper, open_paper, unreadable_keys
from litterm.evidence.matrix.run import papers_of
from litterm.interfaces import Records
from litterm.model.columns import ColumnCell, ColumnRecord, ColumnTableId, ColumnValue, EmptyColumnReason
from litterm.model.events import ColumnCellFilled, CostUpdate, Event, Notice, Progress
from litterm.model.llm import CostEstimate, StructuredReply
from litterm.model.paper import Paper, PaperId

if TYPE_CHECKING:
    from litterm.evidence.columns.storage import ColumnStore
    from litterm.library.citation_facts.names import NameTable
    from litterm.library.lock import WriteLock
    from litterm.llm.model import ChatModel
    from litterm.model.library import Failure

_POLL_INTERVAL_S = 0.5
"""Between two reads of the cells that another process computes."""
_STOP_CHECK_INTERVAL_S = 0.05
_BATCH_PAPERS = 16
"""Papers whose texts are held at a time while a model is asked."""
_FILLING = "filling the columns"

MissingCells = Sequence[tuple[PaperId, Sequence[str]]]
"""Papers in order, each with columns."""


def _no_model() -> ChatModel:
    raise NoModelSet("No language model is set; `litterm config model` sets one up.")


def _no_model_for(_fresh: bool) -> ChatModel:
    return _no_model()


@dataclass(frozen=True, slots=True)
class ColumnFill:
    """Computes the missing cells of a table."""

    store: ColumnStore
    library: Records
    names: Callable[[], NameTable | None]
    """The names of data sets."""
    failures: Callable[[], Sequence[Failure]]
    version: str
    """Of litterm, for the audit."""
    build_model: Callable[[bool], ChatModel] = _no_model_for
    """Starts a run whose caps count over all cells; with true, one that kept replies do not answer."""
    build_dry_run: Callable[[], ChatModel] = _no_model

    def fill(self, table_id: ColumnTableId, papers: int | None = None) -> Task[None]:
        """Computes what is missing of the first `papers` rows, or of all, in order.

        While another litterm fills the table, its cells are told as they come; what it leaves is computed here.
        """
        lease = yield from self._lease(table_id)
        try:
            yield from self._run(table_id, papers)
        finally:
            lease.release()

    def estimate(self, table_id: ColumnTableId, papers: int | None = None) -> Task[CostEstimate | None]:
        """What asking about the missing cells would cost at most; `None` where no model is asked."""
        record = self.store.open(table_id)
        if record.request.options is None:
            return None
        model = self.build_model(not record.request.options.cached)
        total: CostEstimate | None = None
        for shown, columns in self._missing_inputs(record, papers):
            yield Progress("estimating")
            cost = model.estimate([column_question(shown, columns).request])
            total = total.plus(cost) if total else cost
        return total

    def preview(self, table_id: ColumnTableId, papers: int | None = None) -> Task[tuple[str, ...]]:
        """The requests that would be sent for the missing cells, to the letter."""
        record = self.store.open(table_id)
        requests: list[str] = []
        if record.request.options is not None:
            model = self.build_dry_run()
            for shown, columns in self._missing_inputs(record, papers):
                requests += yield from collect_outgoing(model.answer(column_question(shown, columns)))
        return tuple(requests)

    def _missing_inputs(self, record: ColumnRecord, limit: int | None) -> Iterator[tuple[ShownPaper, Sequence[str]]]:
        """What a model would be shown for the missing cells, with the columns it would be asked for."""
        papers = papers_of(self.library, record.request.papers)
        for paper_id, columns in missing_cells(record, papers, limit):
            paper = papers.get(paper_id)
            document = open_paper(self.library, paper_id, paper, frozenset()).document
            asked = asked_columns(columns)
            if document is not None and paper is not None and asked:
                yield show_paper(PaperText(document, paper), asked), asked

    def _lease(self, table_id: ColumnTableId) -> Task[WriteLock]:
        shown = len(self.store.open(table_id).cells)
        looked_s = 0.0
        while (lease := self.store.lease(table_id)) is None:
            if not looked_s:
                yield Notice(f"Following {self.store.holder(table_id)}, which is filling this table.")
            if time.monotonic() - looked_s >= _POLL_INTERVAL_S:
                looked_s = time.monotonic()
                record = self.store.open(table_id)
                yield from (ColumnCellFilled(cell) for cell in record.cells[shown:])
                shown = len(record.cells)
                yield Progress(_FILLING, shown, len(record.request.papers) * len(record.request.columns))
            yield Notice("")
            time.sleep(_STOP_CHECK_INTERVAL_S)
        return lease

    def _run(self, table_id: ColumnTableId, limit: int | None) -> Task[None]:
        record = self.store.open(table_id)
        papers = papers_of(self.library, record.request.papers)
        attempted: set[tuple[PaperId, str]] = set()
        todo = missing_cells(record, papers, limit)
        yield Progress(_FILLING)
        if not todo:
            return
        self.store.begin_run(table_id, self.version)
        try:
            model = yield from self._choose_model(record)
            while todo:
                run = _Run(self, record, papers, model, sum(len(columns) for _, columns in todo))
                yield from run.fill(todo)
                attempted.update((paper_id, column) for paper_id, columns in todo for column in columns)
                # A column may have been added meanwhile; what failed is left to the next run.
                record = self.store.open(table_id)
                todo = missing_cells(record, papers, limit, without=attempted)
        # Noted, so that a stopped run differs from one whose process died.
        except GeneratorExit:
            self.store.end_run(table_id, done=False)
            raise
        self.store.end_run(table_id, done=True)

    def _choose_model(self, record: ColumnRecord) -> Task[ChatModel | None]:
        options = record.request.options
        if options is None:
            return None
        try:
            return self.build_model(not options.cached)
        except (ModelError, UsageError) as error:
            yield Notice(f"No model is asked, and the cells are to be asked about again: {error}")
            return None


@dataclass(slots=True)
class _Run:
    """The state of one pass over missing cells."""

    parts: ColumnFill
    record: ColumnRecord
    papers: Mapping[PaperId, Paper]
    model: ChatModel | None
    total: int
    done: int = 0
    unreadable: frozenset[str] = field(default=frozenset())

    def fill(self, todo: MissingCells) -> Task[None]:
        self.unreadable = unreadable_keys(self.parts.failures())
        names = self.parts.names()
        for first in range(0, len(todo), _BATCH_PAPERS):
            batch = todo[first : first + _BATCH_PAPERS]
            opened: list[tuple[OpenPaper, PaperText | None, Sequence[str]]] = []
            for paper_id, columns in batch:
                paper = self.papers.get(paper_id)
                opening = open_paper(self.parts.library, paper_id, paper, self.unreadable)
                document = opening.document
                text = PaperText(document, paper) if document is not None and paper is not None else None
                opened.append((opening, text, columns))
                yield Progress(_FILLING, self.done, self.total)
                asked = asked_columns(columns) if self.model and text else ()
                for column in columns:
                    if column not in asked:
                        yield from self._store(self._rule_cell(opening, text, column, names))
            if self.model is not None:
                yield from self._ask(self.model, opened, names)

    def _ask(
        self,
        model: ChatModel,
        opened: Sequence[tuple[OpenPaper, PaperText | None, Sequence[str]]],
        names: NameTable | None,
    ) -> Task[None]:
        """Asks about the papers of a batch; where there is no answer the rules fill in."""
        asks = [
            (opening, show_paper(text, asked), asked)
            for opening, text, columns in opened
            if text is not None and (asked := asked_columns(columns))
        ]
        questions = [column_question(shown, asked) for _, shown, asked in asks]

        def on_reply(number: int, outcome: StructuredReply[ColumnReply] | ModelError) -> Iterator[Event]:
            opening, shown, asked = asks[number]
            for place, column in enumerate(asked, 1):
                if isinstance(outcome, ModelError):
                    cell = self._rule_cell(opening, shown.text, column, names)
                    why = f"The model could not be asked, and the rules were used: {outcome}"
                    yield from self._store(replace(cell, partial=True, why=why))
                    continue
                checked = check_column(shown, outcome.value, place)
                yield from self._store(
                    ColumnCell(
                        opening.paper_id,
                        column,
                        opening.basis,
                        model.name,
                        shown.text.document.id,
                        checked.values,
                        checked.empty,
                        " ".join(filter(None, (opening.cause, checked.why))),
                    )
                )

        task = model.answer_all(questions, on_reply)
        try:
            while True:
                event = next(task)
                if isinstance(event, CostUpdate):
                    self.parts.store.add_cost(self.record.id, event.call)
                yield event
        except StopIteration:
            pass
        finally:
            task.close()

    def _store(self, cell: ColumnCell) -> Iterator[Event]:
        # Filled without the model that was wanted: the next run asks about it again.
        if self.model is None and self.record.request.options is not None and asked_columns([cell.column]):
            cell = replace(cell, partial=True)
        # Before it is shown: what the user has seen must be there after a kill.
        self.parts.store.add_cell(self.record.id, cell)
        self.done += 1
        yield ColumnCellFilled(cell)
        yield Progress(_FILLING, self.done, self.total)

    def _rule_cell(
        self, opening: OpenPaper, text: PaperText | None, column: str, names: NameTable | None
    ) -> ColumnCell:
        spec = column_spec(column)
        paper = self.papers.get(opening.paper_id)
        if spec.kind == "record year" and paper is not None and paper.year:
            # Of the record, and so of no sentence.
            return ColumnCell(opening.paper_id, column, opening.basis, RECORD, values=(ColumnValue(str(paper.year)),))
        if text is None:
            reason = opening.empty_reason
            return _empty(
                opening, column, reason if reason in ("not in library", "parse failed", "failed") else "not open"
            )
        if spec.kind == "text":
            return _empty(opening, column, "needs a model")
        values = read_column(text, spec, names)
        return ColumnCell(
            opening.paper_id,
            column,
            opening.basis,
            RULES,
            text.document.id,
            values,
            None if values else "none found",
            opening.cause,
        )


def _empty(opening: OpenPaper, column: str, reason: EmptyColumnReason) -> ColumnCell:
    return ColumnCell(opening.paper_id, column, opening.basis, empty=reason, why=opening.cause)


def asked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that a model is asked for: all but what the record states."""
    return tuple(column for column in columns if column_spec(column).kind != "record year")


def missing_cells(
    record: ColumnRecord,
    papers: Mapping[PaperId, Paper],
    limit: int | None = None,
    *,
    without: Collection[tuple[PaperId, str]] = (),
) -> MissingCells:
    """Papers in order with the columns for which there is no cell, or none that still holds; not those `without`."""
    present = {(cell.paper_id, cell.column) for cell in record.cells if _is_current(cell, papers.get(cell.paper_id))}
    present.update(without)
    missing = []
    for paper_id in record.request.papers[:limit]:
        columns = [column for column in record.request.columns if (paper_id, column) not in present]
        if columns:
            missing.append((paper_id, columns))
    return missing


def _is_current(cell: ColumnCell, paper: Paper | None) -> bool:
    """Whether nothing better could be computed now: every part was heard, and there is no more to read than then."""
    if cell.empty == "failed" or cell.partial:
        return False
    if paper is None or cell.ground == "full text":
        return True
    return not paper.full_text and (cell.ground == "abstract" or (cell.ground == "title" and not paper.abstract))
