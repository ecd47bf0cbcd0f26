"""What a ranking stands on, how the query was read, and full texts as an option."""

from __future__ import annotations

from dataclasses import replace

from tui.engines import SmallEngine
from tui.harness import Start

from litterm.core.tasks import Task
from litterm.model.search import Prior, Query, Ranking, RetrieverShare, ScoreExplanation, SortOrder
from litterm.tui.dialogs.message import MessageDialog

WHY = ScoreExplanation(
    (RetrieverShare("words", 1, 9.0, 4.0), RetrieverShare("meaning", 3, 0.5, 5.0)), (Prior("main venue", 0.3),)
)


class Reasoned(SmallEngine):
    """Its rankings say why, and how they read the query."""

    def __init__(self) -> None:
        super().__init__()
        self.queries: list[Query] = []

    def search(
        self, typed: str | Query, *, k: int = 20, sort: SortOrder = "relevance", finished: bool = True
    ) -> Task[Ranking]:
        assert isinstance(typed, Query)
        self.queries.append(typed)
        found = yield from super().search(typed, k=k, sort=sort, finished=finished)
        papers = tuple(replace(each, score=9.3, by="hybrid", why=WHY) for each in found.papers)
        return replace(found, papers=papers, by="hybrid", kind="question", first=5)


async def test_i_says_what_the_place_stands_on(start: Start) -> None:
    async with start(Reasoned()) as bench:
        await bench.search("pruning")
        await bench.press("i")
        opened = bench.context.dialogs[-1]
        assert isinstance(opened, MessageDialog)
        assert "Number 3 by similarity in meaning: +5.0 points." in opened._paragraphs
        assert "Main venue: +0.3 points." in opened._paragraphs


async def test_the_results_say_how_the_query_was_read(start: Start) -> None:
    async with start(Reasoned()) as bench:
        await bench.search("pruning")
        assert (
            "Interpreted as a question; the answer is most likely among the first 5."
            in bench.context.results.state.hint
        )


async def test_full_texts_are_an_option_that_searches_again(start: Start) -> None:
    engine = Reasoned()
    async with start(engine) as bench:
        await bench.search("pruning")
        assert not engine.queries[-1].in_full_texts
        await bench.press("comma", "down", "down", "down", "enter")
        await bench.settle()
        assert engine.queries[-1].in_full_texts
