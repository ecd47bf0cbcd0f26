from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litterm.core.errors import ModelUnreachable
from litterm.core.tasks import Task, run
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper, PaperId
from litterm.model.search import RankedPaper, Ranking, RerankOptions, RetrieverShare, ScoreExplanation
from litterm.search.rerank.embedding_rerank import EmbeddingReranker
from litterm.text.queries.parser import parse_query

SCORES = (5.0, 4.0, 3.0, 2.0)


class Angles:
    """Vectors on a circle: the query at 0°, each paper where its title says."""

    name = "circle"

    def __init__(self, trouble: Exception | None = None) -> None:
        self.trouble = trouble
        self.read: list[str] = []

    def embed(self, texts: Sequence[str], *, kind: str) -> Task[np.ndarray]:
        yield from ()
        if self.trouble:
            raise self.trouble
        self.read += texts
        degrees = np.radians([0.0 if kind == "query" else float(text.split()[0]) for text in texts])
        return np.stack([np.cos(degrees), np.sin(degrees)], axis=1).astype(np.float32)

    def estimate(self, texts: Sequence[str]) -> CostEstimate:
        return CostEstimate("here", self.name, len(texts))


def ranking(*degrees: int) -> Ranking:
    why = ScoreExplanation((RetrieverShare("words", 1, 1.0, 1.0),))
    papers = tuple(
        RankedPaper(at + 1, Paper(PaperId(f"acl:{at}"), f"{each} degrees", "Said."), SCORES[at], "hybrid", why=why)
        for at, each in enumerate(degrees)
    )
    return Ranking(parse_query("a thing year:2020.."), papers, len(papers), "hybrid")


def ids(found: Ranking) -> list[str]:
    return [each.paper.id for each in found.papers]


def test_what_is_nearer_rises_and_says_so() -> None:
    found = run(EmbeddingReranker(Angles(), RerankOptions()).rank(ranking(80, 0, 85, 90)))
    assert ids(found) == ["acl:1", "acl:0", "acl:2", "acl:3"]
    assert [each.rank for each in found.papers] == [1, 2, 3, 4]
    first = found.papers[0]
    assert first.local_rank == 2 and first.by == found.by == "hybrid · circle"
    assert first.why is not None
    share = first.why.shares[-1]
    assert (share.name, share.rank, share.score) == ("circle", 1, pytest.approx(1.0))
    assert first.score == pytest.approx(SCORES[1] + share.points)


def test_the_score_it_had_still_counts() -> None:
    assert ids(run(EmbeddingReranker(Angles(), RerankOptions()).rank(ranking(45, 45, 45, 45)))) == [
        "acl:0",
        "acl:1",
        "acl:2",
        "acl:3",
    ]


def test_only_the_first_papers_are_read_and_none_is_lost() -> None:
    angles = Angles()
    found = run(EmbeddingReranker(angles, RerankOptions(max_papers=3)).rank(ranking(90, 0, 80, 0)))
    assert ids(found) == ["acl:1", "acl:0", "acl:2", "acl:3"]
    assert len(angles.read) == 4 and angles.read[0] == "a thing"
    assert EmbeddingReranker(angles, RerankOptions(max_papers=2)).estimate(ranking(1, 2, 3)).calls == 3


def test_trouble_leaves_the_local_order_and_is_said() -> None:
    asked = ranking(90, 0)
    found = run(EmbeddingReranker(Angles(ModelUnreachable("Nobody is there.")), RerankOptions()).rank(asked))
    assert found.papers == asked.papers
    assert "Nobody is there." in found.notices[0]


def test_one_paper_needs_no_order() -> None:
    angles = Angles()
    assert run(EmbeddingReranker(angles, RerankOptions()).rank(ranking(10))) == ranking(10)
    assert angles.read == []
