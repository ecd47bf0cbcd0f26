"""The records of a library as arrays for the benches: ids, texts and years."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from litterm.core.tasks import Task
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.model.events import Progress
from litterm.model.library import RowRef
from litterm.model.paper import PaperId
from litterm_benchmarks.search.cases import QueryCase, Target

_BATCH_SIZE = 5_000
_NO_ROWS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class BenchLibrary:
    """All living records; all sequences have the same row numbers."""

    ids: tuple[PaperId, ...]
    texts: tuple[tuple[str, str], ...]
    """Title and abstract."""
    years: npt.NDArray[np.int64]
    """0 where unknown."""
    full_text: npt.NDArray[np.bool_]
    row_of: dict[PaperId, int]

    def allowed(self, case: QueryCase) -> npt.NDArray[np.bool_]:
        """The rows that are candidates of `case`. A paper without a year is none where there is a limit."""
        mask = np.ones(len(self.ids), np.bool_)
        if case.pool:
            mask[:] = False
            mask[self.rows(case.pool)] = True
        if case.until is not None:
            mask &= (self.years > 0) & (self.years <= case.until)
        mask[self.rows(case.exclude)] = False
        return mask

    def rows(self, ids: Iterable[PaperId]) -> list[int]:
        """The rows of those `ids` that the library holds."""
        return [self.row_of[paper_id] for paper_id in ids if paper_id in self.row_of]

    def candidates(self, targets: Sequence[Target], until: int | None) -> tuple[Target, ...]:
        """The targets without papers newer than `until`, which count as missing."""
        return tuple(
            frozenset(
                paper_id for paper_id in target if until is None or 0 < int(self.years[self.row_of[paper_id]]) <= until
            )
            for target in targets
        )

    def has_abstract(self, ids: Collection[PaperId]) -> bool:
        """Whether the library has an abstract of one of these papers."""
        return any(self.texts[row][1] for row in self.rows(ids))


def read_holdings(library: DuckLibrary) -> Task[BenchLibrary]:
    """Reads the whole library; takes some seconds for 100,000 papers."""
    snapshot, index = library.snapshot(), IndexFolder()
    ids: list[PaperId] = []
    texts: list[tuple[str, str]] = []
    years, full_text = [_NO_ROWS], [_NO_ROWS]
    for segment in snapshot.segments:
        part = index.part(segment)
        alive = np.setdiff1d(np.arange(segment.count), segment.shadowed).tolist()
        ids += part.ids(alive)
        years.append(part.columns.year[alive].astype(np.int64))
        full_text.append(part.columns.full_text[alive].astype(np.int64))
        for start in range(0, len(alive), _BATCH_SIZE):
            yield Progress("reading the library", len(texts))
            refs = [RowRef(segment.key, row) for row in alive[start : start + _BATCH_SIZE]]
            texts += library.texts(snapshot, refs)
    return BenchLibrary(
        ids=tuple(ids),
        texts=tuple(texts),
        years=np.concatenate(years),
        full_text=np.concatenate(full_text) > 0,
        row_of={paper: row for row, paper in enumerate(ids)},
    )


def with_versions(library: DuckLibrary, targets: Sequence[Target]) -> tuple[Target, ...]:
    """Each target with the other publications of its works: whoever finds one of them has found the work."""
    versions: dict[PaperId, set[PaperId]] = {}
    for one, other in library.linked_pairs("version"):
        versions.setdefault(one, set()).add(other)
        versions.setdefault(other, set()).add(one)
    return tuple(target.union(*(versions.get(paper_id, ()) for paper_id in target)) for target in targets)


def papers_by_key(library: DuckLibrary, keys: Sequence[str]) -> tuple[Target, ...]:
    """Per key of a benchmark the papers that the library holds under it."""
    return tuple(frozenset(ids) for ids in library.find(keys))
