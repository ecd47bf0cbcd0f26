"""Computes the missing cells of a matrix: one process at a time, each cell stored before it is reported."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from litterm.core.errors import ModelError, NoModelSet, UsageError
from litterm.core.tasks import Task, collect_outgoing, side_by_side
from litterm.evidence.matrix.cells import CellSpending, OpenPaper, fill_cell, open_paper, unreadable_keys
from litterm.interfaces import EvidenceExtractor, Records
from litterm.model.document import Document
from litterm.model.events import CellFilled, Event, Notice, Progress
from litterm.model.evidence import EvidenceLlmOptions
from litterm.model.library import Failure
from litterm.model.llm import CostEstimate
from litterm.model.matrix import MatrixCell, MatrixId, MatrixRecord, MatrixRequest, MatrixSummary
from litterm.model.paper import Paper, PaperId

if TYPE_CHECKING:
    from litterm.evidence.llm.extractor import LlmExtractor
    from litterm.evidence.matrix.storage import MatrixStore
    from litterm.library.lock import WriteLock

_POLL_INTERVAL_S = 0.5
"""Between two reads of the cells that another process computes: each reads the journal of the matrix."""
_STOP_CHECK_INTERVAL_S = 0.05
"""Between two checks whether the task was stopped."""

RemoteCells = Callable[
    [Iterable[tuple[OpenPaper, Sequence[str]]], MatrixRequest], Generator[MatrixCell | None, None, None]
]
"""Opened papers, each with hypotheses, to their cells in whatever order; `None` while it waits, so that it can stop."""

MissingCells = Sequence[tuple[PaperId, Sequence[str]]]
"""Papers in order, each with hypotheses."""


def _no_model(_options: EvidenceLlmOptions) -> LlmExtractor:
    raise NoModelSet("No language model is set; `litterm config model` sets one up.")


@dataclass(frozen=True, slots=True)
class MatrixFill:
    """Computes the missing cells of a matrix."""

    store: MatrixStore
    library: Records
    extractor: Callable[[], EvidenceExtractor]
    failures: Callable[[], Sequence[Failure]]
    version: str
    """Of litterm, for the audit."""
    build_extractor: Callable[[EvidenceLlmOptions], LlmExtractor] = _no_model
    """For one run, whose caps count over all cells; as in `llm_evidence.LlmEvidence`."""
    build_dry_run: Callable[[EvidenceLlmOptions], LlmExtractor] = _no_model
    remote_cells: RemoteCells | None = None
    """Where cells that no model is asked for are computed on other machines."""

    def method(self, options: EvidenceLlmOptions | None) -> str:
        """Name of the extractor that fills cells.

        Raises:
            UsageError: no model is set.
            ModelError: the one that is set cannot be asked.
        """
        return self.extractor().name if options is None else self.build_extractor(options).name

    def fill(self, matrix_id: MatrixId) -> Task[None]:
        """Computes the missing cells; if another process is filling the matrix, follows that one first."""
        lease = yield from self._lease(matrix_id)
        try:
            yield from self._run(matrix_id)
        finally:
            lease.release()

    def estimate(self, matrix_id: MatrixId) -> Task[CostEstimate | None]:
        """What asking about the missing cells would cost at most; `None` where no model is asked."""
        record = self.store.open(matrix_id)
        request = record.request
        if request.options is None:
            return None
        extractor = self.build_extractor(request.options)
        total: CostEstimate | None = None
        for document, column in self._missing_inputs(record):
            yield Progress("estimating")
            cost = yield from extractor.estimate(document, column, k=request.k, scope=request.scope)
            total = total.plus(cost) if total else cost
        return total

    def preview(self, matrix_id: MatrixId) -> Task[tuple[str, ...]]:
        """The requests that would be sent for the missing cells, to the letter, but for the last of each."""
        record = self.store.open(matrix_id)
        request = record.request
        requests: list[str] = []
        if request.options is not None:
            extractor = self.build_dry_run(request.options)
            for document, column in self._missing_inputs(record):
                task = extractor.extract(document, column, k=request.k, scope=request.scope)
                requests += yield from collect_outgoing(task)
        return tuple(requests)

    def _missing_inputs(self, record: MatrixRecord) -> Iterator[tuple[Document, str]]:
        """Documents and hypotheses of the missing cells for which there is something to read."""
        papers = papers_of(self.library, record.request.papers)
        for paper_id, columns in missing_cells(record, papers):
            document = open_paper(self.library, paper_id, papers.get(paper_id), frozenset()).document
            if document is not None:
                yield from ((document, column) for column in columns)

    def _lease(self, matrix_id: MatrixId) -> Task[WriteLock]:
        shown = len(self.store.open(matrix_id).cells)
        looked_s = 0.0
        while (lease := self.store.lease(matrix_id)) is None:
            if not looked_s:
                yield Notice(f"Following {self.store.holder(matrix_id)}, which is filling this matrix.")
            if time.monotonic() - looked_s >= _POLL_INTERVAL_S:
                looked_s = time.monotonic()
                record = self.store.open(matrix_id)
                yield from (CellFilled(cell) for cell in record.cells[shown:])
                shown = len(record.cells)
                yield Progress("filling the matrix", shown, cell_count(record.request))
            yield Notice("")
            time.sleep(_STOP_CHECK_INTERVAL_S)
        return lease

    def _run(self, matrix_id: MatrixId) -> Task[None]:
        record = self.store.open(matrix_id)
        yield Progress("filling the matrix", len(record.cells), cell_count(record.request))
        papers = papers_of(self.library, record.request.papers)
        todo = tuple(missing_cells(record, papers))
        if todo:
            self.store.begin_run(matrix_id, self.version)
        elif _is_finished(record):
            return
        attempted: set[tuple[PaperId, str]] = set()
        try:
            extractor, at_once = yield from self._choose_extractor(record.request)
            while todo:
                yield from self._fill(record, papers, todo, extractor, at_once)
                attempted.update((paper_id, column) for paper_id, columns in todo for column in columns)
                # A column may have been added meanwhile; what failed is left to the next run.
                record = self.store.open(matrix_id)
                todo = tuple(missing_cells(record, papers, without=attempted))
        # Noted, so that a stopped matrix differs from one whose process died.
        except GeneratorExit:
            self.store.end_run(matrix_id, done=False)
            raise
        self.store.end_run(matrix_id, done=True)

    def _choose_extractor(self, request: MatrixRequest) -> Task[tuple[EvidenceExtractor, int]]:
        """What fills the cells, and how many at the same time; without the model that is wanted, what needs none."""
        if request.options is None:
            return self.extractor(), 1
        try:
            extractor = self.build_extractor(request.options)
        except (ModelError, UsageError) as error:
            yield Notice(f"No model is asked, and the cells are to be asked about again: {error}")
            return self.extractor(), 1
        return extractor, extractor.at_once

    def _fill(
        self,
        record: MatrixRecord,
        papers: Mapping[PaperId, Paper],
        todo: MissingCells,
        extractor: EvidenceExtractor,
        at_once: int,
    ) -> Task[None]:
        unreadable = unreadable_keys(self.failures())
        request, offline = record.request, self.extractor().name
        total = cell_count(request)
        computed = total - sum(len(columns) for _, columns in todo)
        opened = ((open_paper(self.library, key, papers.get(key), unreadable), columns) for key, columns in todo)
        if request.options is None and self.remote_cells is not None:
            yield from self._store_remote_cells(record, self.remote_cells(opened, request), computed)
            return

        def fill(paper: OpenPaper, column: str) -> Task[MatrixCell]:
            yield Progress("filling the matrix", computed, total)
            spending = CellSpending(partial(self.store.add_cost, record.id))
            return (yield from fill_cell(paper, extractor, column, request, spending))

        def on_cell(cell: MatrixCell) -> Iterator[Event]:
            nonlocal computed
            # Filled without the model that was wanted: the next run asks about it again.
            if request.options is not None and cell.by == offline:
                cell = replace(cell, partial=True)
            # Before it is shown: what the user has seen must be there after a kill.
            self.store.add_cell(record.id, cell)
            computed += 1
            yield CellFilled(cell)

        # Across papers, as most have an abstract alone, which is one request.
        yield from side_by_side(
            (fill(paper, column) for paper, columns in opened for column in columns), at_once, on_cell
        )

    def _store_remote_cells(
        self, record: MatrixRecord, cells: Generator[MatrixCell | None, None, None], done: int
    ) -> Task[None]:
        """Stores `cells` as they come from other machines, in whatever order; `None` means waiting."""
        with closing(cells):
            for cell in cells:
                yield Progress("filling the matrix", done, cell_count(record.request))
                if cell is not None:
                    self.store.add_cell(record.id, cell)
                    done += 1
                    yield CellFilled(cell)


def papers_of(library: Records, requested: Sequence[PaperId]) -> dict[PaperId, Paper]:
    """The papers of `requested` that the library holds."""
    matches = library.find(requested)
    known = {paper_id: ids[0] for paper_id, ids in zip(requested, matches, strict=True) if len(ids) == 1}
    return dict(zip(known, library.by_id(list(known.values())), strict=True))


def summary(record: MatrixRecord) -> MatrixSummary:
    """A matrix as a line of the list; cells that failed count as not computed."""
    request = record.request
    computed = sum(cell.empty != "failed" for cell in record.cells)
    return MatrixSummary(record.id, record.begun_at, request.query, len(request.papers), request.hypotheses, computed)


def _is_finished(record: MatrixRecord) -> bool:
    """Whether every cell is there and the last run lived to say so."""
    return summary(record).complete and bool(record.runs) and record.runs[-1].ended == "done"


def missing_cells(
    record: MatrixRecord, papers: Mapping[PaperId, Paper], *, without: Collection[tuple[PaperId, str]] = ()
) -> Iterable[tuple[PaperId, Sequence[str]]]:
    """Papers in order with the hypotheses for which there is no cell, or none that still holds; not those `without`."""
    present = {
        (cell.paper_id, cell.hypothesis) for cell in record.cells if _is_current(cell, papers.get(cell.paper_id))
    }
    present.update(without)
    for paper_id in record.request.papers:
        columns = [column for column in record.request.hypotheses if (paper_id, column) not in present]
        if columns:
            yield paper_id, columns


def _is_current(cell: MatrixCell, paper: Paper | None) -> bool:
    """Whether nothing better could be computed now: every part was heard, and there is no more to read than then."""
    if cell.empty == "failed" or cell.partial:
        return False
    if paper is None or cell.ground == "full text":
        return True
    return not paper.full_text and (cell.ground == "abstract" or (cell.ground == "title" and not paper.abstract))


def cell_count(request: MatrixRequest) -> int:
    """How many cells the matrix will have."""
    return len(request.papers) * len(request.hypotheses)
