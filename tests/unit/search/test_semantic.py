"""When every vector is compared, and when the index may leave most of them out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from memory_segments import AVERAGE, MemorySegments, papers

from litterm.library.index.static_embeddings import open_static
from litterm.model.attribution.citation import WeightedWord
from litterm.search.open_index import LiveRows, open_live_rows
from litterm.search.signals import semantic
from litterm.search.signals.semantic import SemanticQuery, open_semantic_query

COUNT = 60


@dataclass
class FewGroups:
    """Groups that tell of one row, or cannot tell."""

    tells: bool = True
    asked: list[tuple[int, np.ndarray | None]] = field(default_factory=list)

    def nearest(self, short: np.ndarray, count: int, among: np.ndarray | None) -> tuple[np.ndarray, np.ndarray] | None:
        self.asked.append((count, among))
        return (np.array([3]), np.ones(1, np.float32)) if self.tells else None


def grouped(groups: FewGroups) -> tuple[LiveRows, SemanticQuery]:
    """A library in two segments, the second with `groups`."""
    made = papers(COUNT)
    library = MemorySegments([made[: COUNT // 2], made[COUNT // 2 :]], average=AVERAGE, model=open_static())
    live = open_live_rows(library.snapshot(), library)
    live.vectors[1]._groups = groups  # type: ignore[union-attr]
    found = open_semantic_query(live, open_static(), [WeightedWord("parser", 1.0), WeightedWord("grammar", 1.0)])
    assert found is not None
    return live, found


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries count as large from one paper on."""
    monkeypatch.setattr(semantic, "MIN_PAPERS_FOR_ANN", 1)


def test_up_to_a_million_papers_every_vector_is_compared() -> None:
    groups = FewGroups()
    live, found = grouped(groups)
    assert found.scan_nearest(5, live.living).tolist() == found.scan().tolist()
    assert not groups.asked


@pytest.mark.usefixtures("large")
def test_of_a_large_library_groups_tell_and_what_has_none_is_compared() -> None:
    groups = FewGroups()
    live, found = grouped(groups)
    near, half = found.scan_nearest(5, live.living)[live.living], COUNT // 2
    assert near[:half].tolist() == found.scan()[:half].tolist()
    assert np.flatnonzero(near[half:]).tolist() == [3]
    assert groups.asked == [(5, None)]


@pytest.mark.usefixtures("large")
def test_groups_that_cannot_tell_are_passed_over() -> None:
    live, found = grouped(FewGroups(tells=False))
    assert found.scan_nearest(5, live.living)[live.living].tolist() == found.scan().tolist()


@pytest.mark.usefixtures("large")
def test_filters_that_leave_much_are_told_to_the_groups_and_those_that_leave_little_compare_all() -> None:
    groups = FewGroups()
    live, found = grouped(groups)
    few = np.arange(0, COUNT, 3)
    assert found.scan_nearest(5, few).tolist() == found.scan().tolist()
    assert not groups.asked
    found.scan_nearest(5, np.setdiff1d(live.living, few))
    ((_, among),) = groups.asked
    assert among is not None and np.flatnonzero(~among).tolist() == list(range(0, COUNT // 2, 3))
