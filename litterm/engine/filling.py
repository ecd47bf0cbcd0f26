"""Computing the cells of a matrix that are missing: one process at a time, each cell stored before it is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from litterm.engine.cells import fill_cell, open_paper, unreadable_keys
from litterm.model.events import Filled, Notice, Progress
from litterm.model.library import Failure
from litterm.model.llm import Spent
from litterm.model.matrix import MatrixCell, MatrixId, MatrixRecord, MatrixRequest, MatrixSummary
from litterm.model.paper import Paper, PaperId
from litterm.protocols import EvidenceExtractor, Lease, MatrixStore, Records
from litterm.tasks import Task

_LOOK_EVERY_S = 0.5
_WAIT_S = 0.05

Todo = Sequence[tuple[PaperId, Sequence[str]]]
"""Papers in order, each with hypotheses."""


@dataclass(frozen=True, slots=True)
class Filling:
    """What it takes to fill a matrix."""

    store: MatrixStore
    library: Records
    extractor: Callable[[], EvidenceExtractor]
    failures: Callable[[], Sequence[Failure]]
    version: str
    """Of litterm, for the audit."""
    spent: Callable[[], Spent] = Spent
    """What asking models has cost this process so far."""

    def fill(self, matrix_id: MatrixId) -> Task[None]:
        """Follows whoever is filling the matrix already, then computes what is missing."""
        lease = yield from self._lease(matrix_id)
        try:
            yield from self._run(matrix_id)
        finally:
            lease.release()

    def _lease(self, matrix_id: MatrixId) -> Task[Lease]:
        told = len(self.store.open(matrix_id).cells)
        looked_s = 0.0
        while (lease := self.store.lease(matrix_id)) is None:
            if not looked_s:
                yield Notice(f"Following {self.store.holder(matrix_id)}, which is filling this matrix.")
            if time.monotonic() - looked_s >= _LOOK_EVERY_S:
                looked_s = time.monotonic()
                record = self.store.open(matrix_id)
                yield from (Filled(cell) for cell in record.cells[told:])
                told = len(record.cells)
                yield Progress("filling the matrix", told, total_of(record.request))
            yield Notice("")
            time.sleep(_WAIT_S)
        return lease

    def _run(self, matrix_id: MatrixId) -> Task[None]:
        record = self.store.open(matrix_id)
        yield Progress("filling the matrix", len(record.cells), total_of(record.request))
        papers = papers_of(self.library, record.request.papers)
        todo = tuple(missing(record, papers))
        if todo:
            self.store.begin_run(matrix_id, self.version)
        elif _is_finished(record):
            return
        tried: set[tuple[PaperId, str]] = set()
        try:
            while todo:
                yield from self._fill(record, papers, todo)
                tried.update((wanted, column) for wanted, columns in todo for column in columns)
                # A column may have been added meanwhile; what failed is left to the next run.
                record = self.store.open(matrix_id)
                todo = tuple(missing(record, papers, without=tried))
        except GeneratorExit:
            self.store.end_run(matrix_id, done=False)
            raise
        self.store.end_run(matrix_id, done=True)

    def _fill(self, record: MatrixRecord, papers: Mapping[PaperId, Paper], todo: Todo) -> Task[None]:
        unreadable = unreadable_keys(self.failures())
        extractor, request = self.extractor(), record.request
        total = total_of(request)
        done = total - sum(len(columns) for _, columns in todo)
        for wanted, columns in todo:
            opened = open_paper(self.library, wanted, papers.get(wanted), unreadable)
            for column in columns:
                yield Progress("filling the matrix", done, total)
                cell = yield from fill_cell(opened, extractor, column, request, spent=self.spent)
                self.store.put(record.id, cell)
                done += 1
                yield Filled(cell)


def papers_of(library: Records, wanted: Sequence[PaperId]) -> dict[PaperId, Paper]:
    """Those of `wanted` that the library holds."""
    found = library.find(wanted)
    known = {each: ids[0] for each, ids in zip(wanted, found, strict=True) if len(ids) == 1}
    return dict(zip(known, library.by_id(list(known.values())), strict=True))


def summary(record: MatrixRecord) -> MatrixSummary:
    """A matrix as a line of the list; cells that failed count as not computed."""
    request = record.request
    computed = sum(cell.empty != "failed" for cell in record.cells)
    return MatrixSummary(record.id, record.begun_at, request.query, len(request.papers), request.hypotheses, computed)


def _is_finished(record: MatrixRecord) -> bool:
    """Whether every cell is there and the last run lived to say so."""
    return summary(record).complete and bool(record.runs) and record.runs[-1].ended == "done"


def missing(
    record: MatrixRecord, papers: Mapping[PaperId, Paper], *, without: Collection[tuple[PaperId, str]] = ()
) -> Iterable[tuple[PaperId, Sequence[str]]]:
    """Papers in order with the hypotheses for which there is no cell, or none that still holds; not those `without`."""
    there = {(cell.paper_id, cell.hypothesis) for cell in record.cells if _holds(cell, papers.get(cell.paper_id))}
    there.update(without)
    for wanted in record.request.papers:
        columns = [column for column in record.request.hypotheses if (wanted, column) not in there]
        if columns:
            yield wanted, columns


def _holds(cell: MatrixCell, paper: Paper | None) -> bool:
    """Whether nothing better could be computed now: it did not fail, and there is no more to read than then."""
    if cell.empty == "failed":
        return False
    if paper is None or cell.ground == "full text":
        return True
    return not paper.full_text and (cell.ground == "abstract" or (cell.ground == "title" and not paper.abstract))


def total_of(request: MatrixRequest) -> int:
    """How many cells the matrix will have."""
    return len(request.papers) * len(request.hypotheses)
