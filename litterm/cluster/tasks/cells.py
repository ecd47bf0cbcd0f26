"""Computes the cells of a matrix as tasks of a Ray cluster, a dozen papers per task, in the order they finish."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from litterm.cluster.connection import error_from_node
from litterm.core.tasks import run
from litterm.evidence.learned import open_extractor
from litterm.evidence.matrix.cells import CellSpending, OpenPaper, fill_cell

if TYPE_CHECKING:
    from litterm.cluster.connection import RayCluster
    from litterm.interfaces import EvidenceExtractor
    from litterm.model.matrix import MatrixCell, MatrixRequest

PAPERS_PER_TASK = 12
"""A second or two of work, so that little is repeated when a node is lost."""
_TASKS_PER_CORE = 2
"""Tasks submitted per core: one runs while the next is on its way."""
_POLL_S = 0.05
"""Between two checks whether to stop."""

Rows = Sequence[tuple[OpenPaper, Sequence[str]]]


class ClusterCells:
    """Computes cells on the nodes of a cluster; the caller stores them."""

    def __init__(self, cluster: RayCluster) -> None:
        self._cluster = cluster

    def fill(
        self, rows: Iterable[tuple[OpenPaper, Sequence[str]]], request: MatrixRequest
    ) -> Generator[MatrixCell | None, None, None]:
        """The cells of `rows` in the order they finish; closing the generator cancels the rest."""
        ray, waiting = self._cluster.ray(), iter(rows)
        # A task that is lost with its node is done again elsewhere, as often as it takes.
        task = ray.remote(fill_rows).options(num_cpus=1, max_retries=-1, scheduling_strategy="SPREAD")
        pending: list[Any] = []
        try:
            while True:
                while len(pending) < _TASKS_PER_CORE * self._cluster.count_cpus() and (
                    batch := tuple(islice(waiting, PAPERS_PER_TASK))
                ):
                    pending.append(task.remote(batch, request))
                if not pending:
                    return
                ready, pending = ray.wait(pending, num_returns=1, timeout=_POLL_S)
                for ref in ready:
                    yield from _fetch_cells(ray, ref)
                if not ready:
                    yield None
        finally:
            for ref in pending:
                ray.cancel(ref, force=False)


def fill_rows(rows: Rows, request: MatrixRequest) -> list[MatrixCell]:
    """The cells of some papers; what a task does."""
    extractor = _process_extractor()
    return [
        run(fill_cell(opened, extractor, column, request, CellSpending(lambda _spent: None)))
        for opened, columns in rows
        for column in columns
    ]


def _fetch_cells(ray: Any, ref: Any) -> Iterable[MatrixCell]:
    try:
        cells: list[MatrixCell] = ray.get(ref)
    except ray.exceptions.RayError as error:
        raise error_from_node(error) from error
    return cells


@cache
def _process_extractor() -> EvidenceExtractor:
    return open_extractor()
