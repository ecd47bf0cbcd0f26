"""Real matrices over the fake engine, kept in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from litterm.core.errors import UnknownMatrix
from litterm.core.tasks import Task
from litterm.evidence.matrix.matrices import Matrices
from litterm.evidence.matrix.run import MatrixFill
from litterm.model.document import Document
from litterm.model.evidence import Evidence, EvidenceScope
from litterm.model.llm import ModelCost
from litterm.model.matrix import MatrixCell, MatrixId, MatrixRecord, MatrixRequest, MatrixRun
from litterm.model.paper import Paper
from tui.records import EngineRecords

if TYPE_CHECKING:
    from tui.fakes import FakeEngine


class Held:
    """A lease nobody else wants."""

    def release(self) -> None:
        return None


@dataclass
class MemoryMatrices:
    """`MatrixStore` without a disk."""

    records: dict[MatrixId, MatrixRecord] = field(default_factory=dict)
    numbers: count[int] = field(default_factory=lambda: count(1))

    def begin(self, request: MatrixRequest) -> MatrixId:
        matrix_id = MatrixId(f"01m{next(self.numbers):03}")
        self.records[matrix_id] = MatrixRecord(matrix_id, "2026-11-21T00:00:00Z", request)
        return matrix_id

    def ids(self) -> tuple[MatrixId, ...]:
        return tuple(reversed(self.records))

    def all(self) -> tuple[MatrixRecord, ...]:
        return tuple(reversed(self.records.values()))

    def open(self, matrix_id: MatrixId) -> MatrixRecord:
        if matrix_id not in self.records:
            raise UnknownMatrix("There is none.")
        return self.records[matrix_id]

    def lease(self, matrix_id: MatrixId) -> Held:
        return Held()

    def holder(self, matrix_id: MatrixId) -> str:
        return "nobody"

    def add_hypothesis(self, matrix_id: MatrixId, hypothesis: str) -> None:
        request = self.records[matrix_id].request
        self._change(matrix_id, request=replace(request, hypotheses=(*request.hypotheses, hypothesis)))

    def begin_run(self, matrix_id: MatrixId, version: str) -> None:
        run = MatrixRun("2026-11-21T00:00:01Z", version, ("h1",), 10, "all")
        self._change(matrix_id, runs=(*self.records[matrix_id].runs, run))

    def add_cost(self, matrix_id: MatrixId, spent: ModelCost) -> None:
        *before, last = self.records[matrix_id].runs
        self._change(matrix_id, runs=(*before, replace(last, spent=last.spent.plus(spent))))

    def add_cell(self, matrix_id: MatrixId, cell: MatrixCell) -> None:
        key = cell.paper_id, cell.hypothesis
        kept = (each for each in self.records[matrix_id].cells if (each.paper_id, each.hypothesis) != key)
        self._change(matrix_id, cells=(*kept, cell))

    def end_run(self, matrix_id: MatrixId, *, done: bool) -> None:
        *before, last = self.records[matrix_id].runs
        self._change(matrix_id, runs=(*before, replace(last, ended="done" if done else "stopped")))

    def remove(self, matrix_id: MatrixId) -> None:
        del self.records[matrix_id]

    def _change(self, matrix_id: MatrixId, **changes: object) -> None:
        self.records[matrix_id] = replace(self.records[matrix_id], **changes)  # type: ignore[arg-type]


def text_of(paper: Paper) -> Document | None:
    """The full text of a paper that has one."""
    from tui.fakes import full_text

    return full_text(paper) if paper.full_text else None


@dataclass
class Extractor:
    """Asks the engine for evidence, gates and all; what is weak only is nothing."""

    engine: FakeEngine
    name: str = "h1"

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        found = yield from self.engine.evidence(document.paper_id, hypothesis, k=k, scope=scope)
        return replace(found, verdict="strong" if len(found.sentences) > 2 else "nothing", document_id=document.id)


def matrices_of(engine: FakeEngine) -> Matrices:
    filling = MatrixFill(
        MemoryMatrices(),
        EngineRecords(engine, text_of),
        lambda: Extractor(engine),
        lambda: (),
        "0.1.0",
        build_extractor=lambda use: engine.model_evidence.build_extractor(use),
        build_dry_run=lambda use: engine.model_evidence.build_dry_run(use),
    )
    return Matrices(filling, engine.annotations)  # type: ignore[arg-type]
