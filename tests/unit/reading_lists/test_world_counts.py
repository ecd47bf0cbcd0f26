"""What the world cites counts in the choice of a list, up to its year and only where a service tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading_lists import TOPIC, engine_over

from litterm.core.tasks import run
from litterm.model.citations.citation_counts import CountAnswer
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListRequest


def counted(paper: str, count: int, *by_year: tuple[int, int]) -> CountAnswer:
    return CountAnswer(PaperId(paper), "openalex", "2026-11-23", count, by_year)


def test_citations_up_to_the_year_lift_a_paper_and_later_ones_do_not(tmp_path: Path) -> None:
    with engine_over(tmp_path) as engine:
        request = ListRequest(TOPIC, 4, until=2018)
        before = run(engine.reading_lists.builder().rank(request))
        assert not before.candidates.columns["world"].any()
        engine.counts.store.put(
            [counted("acl:M2", 900, (2017, 500), (2018, 400)), counted("acl:M3", 900, (2018, 1), (2022, 899))]
        )
        after = run(engine.reading_lists.builder().rank(request))
        world = dict(
            zip([paper.id for paper in after.candidates.papers], after.candidates.columns["world"], strict=True)
        )
        assert world[PaperId("acl:M2")] > 0 > world[PaperId("acl:M3")]
        assert world[PaperId("acl:F1")] == 0
        gained = after.points - before.points
        best = after.candidates.papers[int(gained.argmax())].id
        assert best == "acl:M2"
        assert gained.max() == pytest.approx(0.3 * world[PaperId("acl:M2")], abs=1e-3)
