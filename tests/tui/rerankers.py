"""Rankings by a model and through citations for the fake engine: the real reranking over its search and a function."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

from scripted_models import DryRunModel, ScriptedModel
from scripted_rerankers import sorting

from litterm.citations.graph import Graph
from litterm.core.tasks import Task
from litterm.interfaces import Reranker
from litterm.model.events import Progress, ProvisionalRanking
from litterm.model.paper import Paper
from litterm.model.search import HopOptions, Query, RankedPaper, Ranking, RerankOptions, SortOrder
from litterm.search.rerank.llm_rerank import LlmReranker
from litterm.search.rerank.rerank import ModelRanking


class Searches(Protocol):
    """What of an engine is needed."""

    papers: Sequence[Paper]

    def search(
        self, typed: str | Query, *, k: int = 20, sort: SortOrder = "relevance", finished: bool = True
    ) -> Task[Ranking]: ...


class NoLists:
    """Citations nobody has read."""

    def __init__(self) -> None:
        self.updates = 0

    def update(self) -> Task[Graph]:
        self.updates += 1
        yield Progress("reading reference lists", 0, 1)
        return Graph(())


class FakeHops:
    """A hop that takes in one paper more: the first of the engine's that the search did not find."""

    def __init__(self, engine: Searches) -> None:
        self._engine = engine
        self.hops: list[HopOptions] = []

    def search(self, query: Query, *, k: int, hop: HopOptions) -> Task[Ranking]:
        self.hops.append(hop)
        first = yield from self._engine.search(query, k=k)
        yield ProvisionalRanking(first)
        known = {each.paper.id for each in first.papers}
        more = next(each for each in self._engine.papers if each.id not in known)
        via = (first.papers[0].paper.id,)
        added = RankedPaper(len(known) + 1, more, 0.1, "one-hop · bm25", via=via)
        return replace(first, papers=(*first.papers, added), by="one-hop · bm25", notices=("1 papers joined them.",))


class Scoped:
    """The engine's search as what a model's order stands on."""

    def __init__(self, engine: Searches) -> None:
        self._engine = engine

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[object] | None = None
    ) -> Task[Ranking]:
        return self._engine.search(query, k=k, sort=sort)


def shortest_first() -> ScriptedModel:
    """A model that likes short papers."""
    reply = sorting(len)
    return ScriptedModel(lambda request: reply(request.messages[-1].text))


def ranked_by(engine: Searches, hops: FakeHops, model: ScriptedModel) -> ModelRanking:
    """Fits `Verbs.model_ranking`."""

    def judge(use: RerankOptions) -> Reranker:
        return LlmReranker(model, use)

    def dry_run(use: RerankOptions) -> Reranker:
        return LlmReranker(DryRunModel(model.reply), use)

    return ModelRanking(lambda: Scoped(engine), lambda: hops, judge, dry_run)
