"""Evidence matrices: runs in the state of the library, with an entry for each cell, so that a kill loses nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from litterm.core.errors import LibraryError, UnknownMatrix
from litterm.core.json_fields import text
from litterm.evidence.matrix.codec import (
    decode_cell,
    decode_cost,
    decode_request,
    encode_cell,
    encode_cost,
    encode_request,
)
from litterm.library.lock import WriteLock
from litterm.library.state.connection import StateDatabase
from litterm.library.state.runs import Runs
from litterm.model.llm import ModelCost
from litterm.model.matrix import MatrixCell, MatrixId, MatrixRecord, MatrixRequest, MatrixRun
from litterm.model.paper import PaperId


class MatrixStore:
    """Matrices; every cell is durable when its call returns."""

    def __init__(self, state: StateDatabase) -> None:
        self._runs = Runs(state, "matrix")

    def begin(self, request: MatrixRequest) -> MatrixId:
        """Begins a matrix without cells.

        Raises:
            DiskFull: it could not be written.
        """
        return MatrixId(self._runs.begin(encode_request(request)))

    def ids(self) -> tuple[MatrixId, ...]:
        """Of every matrix, the newest first."""
        return tuple(map(MatrixId, self._runs.ids()))

    def all(self) -> tuple[MatrixRecord, ...]:
        """Every matrix, the newest first, without those whose request cannot be read."""
        return tuple(record for record in map(self._read, self.ids()) if record is not None)

    def open(self, matrix_id: MatrixId) -> MatrixRecord:
        """The matrix as it is now, also while another litterm is filling it.

        Raises:
            UnknownMatrix: there is none with this id.
        """
        record = self._read(matrix_id)
        if record is None:
            raise UnknownMatrix(f"There is no matrix {matrix_id}; `litterm evidence --list` shows all.")
        return record

    def lease(self, matrix_id: MatrixId) -> WriteLock | None:
        """Takes the right to compute cells, until `release` or the end of this process; `None` if it is taken."""
        return self._runs.lease(matrix_id)

    def holder(self, matrix_id: MatrixId) -> str:
        """The process that computes cells now, as far as is known."""
        return self._runs.holder(matrix_id)

    def add_hypothesis(self, matrix_id: MatrixId, hypothesis: str) -> None:
        """Adds a column."""
        self._runs.append(matrix_id, "hypothesis", {"hypothesis": hypothesis})

    def begin_run(self, matrix_id: MatrixId, version: str) -> None:
        """Starts a new run, to which further cells belong."""
        self._runs.append(matrix_id, "run", {"version": version})

    def add_cost(self, matrix_id: MatrixId, spent: ModelCost) -> None:
        """Records what the current run has paid since the last call, whether or not it led to a cell."""
        self._runs.append(matrix_id, "spent", encode_cost(spent))

    def add_cell(self, matrix_id: MatrixId, cell: MatrixCell) -> None:
        """Stores a cell, which replaces an earlier one of the same paper and hypothesis."""
        self._runs.append(matrix_id, "cell", encode_cell(cell))

    def end_run(self, matrix_id: MatrixId, *, done: bool) -> None:
        """Records that the run has ended or was stopped."""
        self._runs.append(matrix_id, "end", {"how": "done" if done else "stopped"})

    def remove(self, matrix_id: MatrixId) -> None:
        """Deletes a matrix; decisions on its cells are the user's and stay in the journal.

        Raises:
            UnknownMatrix: there is none with this id.
            LibraryError: another litterm is filling it.
        """
        self.open(matrix_id)
        lock = self.lease(matrix_id)
        if lock is None:
            raise LibraryError(f"This matrix is being filled by {self.holder(matrix_id)}; stop that first.")
        try:
            self._runs.remove(matrix_id)
        finally:
            lock.release()

    def _read(self, matrix_id: MatrixId) -> MatrixRecord | None:
        return _build_record(matrix_id, self._runs.entries(matrix_id))


@dataclass(slots=True)
class _RecordBuilder:
    """Builds a matrix from its lines."""

    request: MatrixRequest | None = None
    begun_at: str = ""
    cells: dict[tuple[PaperId, str], MatrixCell] = field(default_factory=dict)
    runs: list[MatrixRun] = field(default_factory=list)

    def add_line(self, time: str, kind: str, body: Mapping[str, object]) -> None:
        """Adds one line; lines of unknown kinds are ignored."""
        match kind:
            case "asked":
                self.request, self.begun_at = decode_request(body), time
            case "hypothesis" if self.request:
                hypotheses = dict.fromkeys((*self.request.hypotheses, text(body["hypothesis"])))
                self.request = replace(self.request, hypotheses=tuple(hypotheses))
            case "run" if self.request:
                self.runs.append(MatrixRun(time, text(body["version"]), (), self.request.k, self.request.scope))
            case "cell":
                self._put(decode_cell(body, time))
            case "spent" if self.runs:
                self.runs[-1] = replace(self.runs[-1], spent=self.runs[-1].spent.plus(decode_cost(body)))
            case "end" if self.runs:
                ending = "done" if body["how"] == "done" else "stopped"
                self.runs[-1] = replace(self.runs[-1], ended=ending)  # type: ignore[arg-type]

    def _put(self, cell: MatrixCell) -> None:
        # Removed first, so that it comes last: a workbench that watches shows the cells after those it knows.
        self.cells.pop((cell.paper_id, cell.hypothesis), None)
        self.cells[cell.paper_id, cell.hypothesis] = cell
        if self.runs:
            run = self.runs[-1]
            by = tuple(dict.fromkeys((*run.by, *([cell.by] if cell.by else []))))
            self.runs[-1] = replace(run, by=by, cells=run.cells + 1)


def _build_record(matrix_id: MatrixId, lines: Iterable[tuple[str, str, Mapping[str, object]]]) -> MatrixRecord | None:
    fold = _RecordBuilder()
    for time, kind, body in lines:
        try:
            fold.add_line(time, kind, body)
        except (KeyError, TypeError):
            # Written by a newer litterm or by hand: what cannot be read is computed again.
            continue
    if fold.request is None:
        return None
    return MatrixRecord(matrix_id, fold.begun_at, fold.request, tuple(fold.cells.values()), tuple(fold.runs))
