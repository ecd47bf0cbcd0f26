"""How much the cosines of a second model move the papers of a ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from libraries import paper

from litterm.core.tasks import Task, run
from litterm.model.events import Event, Progress
from litterm.model.llm import CostEstimate
from litterm.model.search import RankedPaper, Ranking, RerankOptions, RetrieverShare, ScoreExplanation
from litterm.search.rerank.embedding_rerank import EmbeddingReranker
from litterm.text.queries.parser import parse_query


class Cosines:
    """An embedding model for which the papers have these cosines with every query."""

    name = "large"

    def __init__(self, *cosines: float) -> None:
        self._cosines = cosines
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, kind: str) -> Task[np.ndarray]:
        yield from ()
        self.texts += texts
        cosines = np.array([1.0] if kind == "query" else self._cosines[: len(texts)])
        return np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1).astype(np.float32)

    def estimate(self, texts: Sequence[str]) -> CostEstimate:
        self.texts += texts
        return CostEstimate("here", self.name, len(texts))


def ranking(*scores: float | None, typed: str = "zebras", why: bool = False) -> Ranking:
    reasons = ScoreExplanation((RetrieverShare("words", 1, 1.0, 1.0),)) if why else None
    papers = tuple(
        RankedPaper(
            rank, paper(f"P{rank}", f"Title {rank}", abstract="Said." if rank == 1 else ""), score, "bm25", why=reasons
        )
        for rank, score in enumerate(scores, 1)
    )
    return Ranking(parse_query(typed), papers, len(papers), "bm25")


def rows(answer: Ranking) -> list[tuple[str, float | None]]:
    return [
        (ranked.paper.title[-1], None if ranked.score is None else round(ranked.score, 3)) for ranked in answer.papers
    ]


def reranked(model: Cosines, before: Ranking, most: int = 100) -> Ranking:
    return run(EmbeddingReranker(model, RerankOptions(max_papers=most)).rank(before))


@pytest.mark.parametrize(
    ("scores", "cosines", "order"),
    [
        # Scores of spread 1 and cosines whose z-scores are 1 and -1.
        ((5.0, 3.0), (0.8, 0.2), [("1", 6.0), ("2", 2.0)]),
        # Spread 2.449, z-scores -0.707, -0.707 and 1.414.
        ((6.0, 3.0, 0.0), (0.1, 0.1, 0.7), [("1", 4.268), ("3", 3.464), ("2", 1.268)]),
        # Equal scores have a spread of 1, equal cosines move nothing.
        ((4.0, 4.0), (0.2, 0.8), [("2", 5.0), ("1", 3.0)]),
        ((5.0, 3.0), (0.5, 0.5), [("1", 5.0), ("2", 3.0)]),
        # What has no score has 0.
        ((None, None), (0.2, 0.8), [("2", 1.0), ("1", -1.0)]),
    ],
)
def test_cosines_count_as_much_as_the_scores(
    scores: tuple[float | None, ...], cosines: tuple[float, ...], order: list[tuple[str, float]]
) -> None:
    assert rows(reranked(Cosines(*cosines), ranking(*scores))) == order


def test_the_share_of_the_second_model_is_explained_where_the_others_are() -> None:
    answer = reranked(Cosines(0.2, 0.8, 0.5), ranking(5.0, 3.0, 3.0, why=True))
    shares = {ranked.paper.title[-1]: ranked.why.shares for ranked in answer.papers if ranked.why is not None}
    assert {title: (share[-1].name, share[-1].rank) for title, share in shares.items()} == {
        "1": ("large", 3),
        "2": ("large", 1),
        "3": ("large", 2),
    }
    assert shares["2"][-1].score == pytest.approx(0.8)
    assert shares["2"][-1].points > 0 > shares["1"][-1].points
    assert all(len(share) == 2 for share in shares.values())
    assert all(ranked.why is None for ranked in reranked(Cosines(0.2, 0.8), ranking(5.0, 3.0)).papers)


def test_papers_below_those_read_keep_rank_score_and_method() -> None:
    before = ranking(5.0, 3.0, 9.0, 8.0)
    model = Cosines(0.9, 0.2)
    answer = reranked(model, before, most=2)
    assert answer.papers[2:] == before.papers[2:]
    assert [(ranked.rank, ranked.local_rank, ranked.by) for ranked in answer.papers[:2]] == [
        (1, 1, "bm25 · large"),
        (2, 2, "bm25 · large"),
    ]
    assert model.texts == ["zebras", "Title 1\nSaid.", "Title 2"]


@pytest.mark.parametrize(("scores", "most"), [((5.0, 3.0), 1), ((5.0,), 9), ((), 9)])
def test_fewer_than_two_papers_are_not_read(scores: tuple[float, ...], most: int) -> None:
    model, before = Cosines(0.5), ranking(*scores)
    assert reranked(model, before, most) == before
    assert model.texts == []


def test_what_is_compared_is_the_free_text_of_the_query_or_all_of_it() -> None:
    for typed, text in (("zebras year:2010..", "zebras"), ("year:2010..", "year:2010..")):
        model, events = Cosines(0.2, 0.8), list[Event]()
        run(EmbeddingReranker(model, RerankOptions()).rank(ranking(5.0, 3.0, typed=typed)), events.append)
        assert model.texts[0] == text
        assert events == [Progress("large reads 2 papers", 0, 2)]
        model = Cosines(0.2, 0.8)
        assert EmbeddingReranker(model, RerankOptions(max_papers=1)).estimate(ranking(5.0, 3.0, typed=typed)).calls == 2
        assert model.texts == [text, "Title 1\nSaid."]
