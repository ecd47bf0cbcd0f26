"""A search whose first papers a model puts in order: how many are shown to it, and what is left when it fails."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from libraries import paper
from scripted_models import DryRunModel, ScriptedModel
from scripted_rerankers import ranking, shown, sorting, titles

from litterm.core.errors import ModelUnreachable
from litterm.core.tasks import Task, run
from litterm.interfaces import Reranker
from litterm.model.events import Event, Notice, ProvisionalRanking
from litterm.model.search import HopOptions, Query, RankedPaper, Ranking, RerankOptions
from litterm.search.rerank.llm_rerank import LlmReranker
from litterm.search.rerank.rerank import ModelRanking

LETTERS = "hgfedcba"
QUERY = Query("what is asked", words=("what",))


@dataclass
class Results:
    """A search that has these results; `calls` are the wanted numbers of papers, with the hop if there was one."""

    calls: list[tuple[int, HopOptions | None]] = field(default_factory=list)

    def search(self, query: Query, *, k: int, hop: HopOptions | None = None) -> Task[Ranking]:
        self.calls.append((k, hop))
        yield Notice("")
        return ranking(LETTERS[:k])


def model_ranking(model: ScriptedModel, results: Results, dry: ScriptedModel | None = None) -> ModelRanking:
    def build(options: RerankOptions) -> Reranker:
        return LlmReranker(model, options)  # type: ignore[arg-type]

    def build_dry_run(options: RerankOptions) -> Reranker:
        return LlmReranker(dry, options)  # type: ignore[arg-type]

    return ModelRanking(lambda: results, lambda: results, build, build_dry_run)  # type: ignore[arg-type, return-value]


def alphabetic() -> ScriptedModel:
    return ScriptedModel(lambda request: sorting(str)(request.messages[-1].text))


@pytest.mark.parametrize(
    ("k", "most", "wanted", "order"),
    [(3, 5, 5, "def"), (8, 4, 8, "efghdcba"), (5, 5, 5, "defgh"), (2, 8, 8, "ab")],
)
def test_the_model_orders_the_first_and_the_best_k_are_kept(k: int, most: int, wanted: int, order: str) -> None:
    model, results, events = alphabetic(), Results(), list[Event]()
    options = RerankOptions(max_papers=most)
    answer = run(model_ranking(model, results).search(QUERY, options, k=k), events.append)
    assert titles(answer) == list(order)
    assert results.calls == [(wanted, None)]
    assert len(shown(model.requests[0].messages[-1].text)) == min(most, wanted)
    first = next(event for event in events if isinstance(event, ProvisionalRanking))
    assert titles(first.ranking) == list(LETTERS[:k]), "the local order is shown while the model works"


def test_with_a_hop_the_papers_one_citation_away_are_ordered() -> None:
    results, hop = Results(), HopOptions()
    run(model_ranking(alphabetic(), results).search(QUERY, RerankOptions(max_papers=6), k=2, hop=hop))
    assert results.calls == [(6, hop)]


def test_a_model_that_cannot_be_had_leaves_the_local_order_and_says_so() -> None:
    def refuse(_options: RerankOptions) -> Reranker:
        raise ModelUnreachable("Nobody is there.")

    results = Results()
    ranker = ModelRanking(lambda: results, lambda: results, refuse, refuse)  # type: ignore[arg-type, return-value]
    answer = run(ranker.search(QUERY, RerankOptions(), k=3))
    assert titles(answer) == list(LETTERS[:3])
    assert answer.notices == ("No model was asked: Nobody is there.",)
    with pytest.raises(ModelUnreachable):
        run(ranker.search_and_estimate(QUERY, RerankOptions()))
    assert len(results.calls) == 1, "nothing is searched for where no estimate can be made"


def test_an_estimate_and_a_preview_send_nothing() -> None:
    model, results = alphabetic(), Results()
    dry = DryRunModel(lambda _request: "")
    ranker = model_ranking(model, results, dry)
    options = RerankOptions(max_papers=6, window=4)
    local, estimate = run(ranker.search_and_estimate(QUERY, options, k=2))
    assert titles(local) == list(LETTERS[:6])
    assert estimate == ranker.estimate(local, options)
    assert estimate.calls == 2
    texts = run(ranker.preview(local, options))
    assert [shown(text) for text in texts] == [list("fedc"), list("hgfe")]
    assert model.requests == []


# -- scores ------------------------------------------------------------------------------------------------------------


def test_what_was_not_ranked_by_the_model_keeps_its_score_and_rank() -> None:
    answer = run(LlmReranker(alphabetic(), RerankOptions(max_papers=2)).rank(ranking("dcba")))  # type: ignore[arg-type]
    rows = [(row.paper.title, row.rank, row.score, row.by) for row in answer.papers]
    name = "listwise · parrot"
    assert rows == [("c", 1, None, name), ("d", 2, None, name), ("b", 3, 7.0, "bm25"), ("a", 4, 6.0, "bm25")]
    assert answer.notices == ("parrot was shown the first 2; 2 of them moved.",)


def test_a_ranking_of_one_paper_is_left_as_it_is() -> None:
    alone = Ranking(QUERY, (RankedPaper(1, paper("A"), 1.0, "bm25"),), 1, "bm25")
    model = alphabetic()
    assert run(LlmReranker(model).rank(alone)) == alone  # type: ignore[arg-type]
    assert run(LlmReranker(model, RerankOptions(max_papers=1)).rank(ranking("ba"))) == ranking("ba")  # type: ignore[arg-type]
    assert model.requests == []
