"""Points for papers whose words later titles take up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from litterm.core.tasks import run
from litterm.library.index.static_embeddings import open_static
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Ranking
from litterm.search.hybrid import HybridSearcher
from litterm.search.signals.followers import MAX_GROWTH, MAX_PAPERS, PRIOR_NAME
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary

FIRST = Paper(PaperId("acl:first"), "Chain of thought prompting", "", year=2022)
EARLIER = Paper(PaperId("acl:earlier"), "Prompting by a chain", "", year=2019)


def later(count: int, year: int = 2023) -> list[Paper]:
    return [Paper(PaperId(f"acl:later{n}"), f"Thought prompting of {n} kinds", "", year=year) for n in range(count)]


def searcher(made: Sequence[Paper]) -> HybridSearcher:
    model = open_static()
    return HybridSearcher(
        MemoryLibrary(map(Parsed, made)), MemoryIndex(map(index_row, made), model=model), embedder=model
    )


def search(query: str, made: Sequence[Paper], *, weight: float | None = None) -> Ranking:
    searching = searcher(made)
    if weight is not None:
        searching.weights = replace(searching.weights, followers=weight)
    return run(searching.search(parse_query(query), k=200))


def points(query: str, made: Sequence[Paper]) -> dict[str, float]:
    return {
        ranked.paper.id: prior.points
        for ranked in search(query, made).papers
        for prior in (ranked.why.priors if ranked.why is not None else ())
        if prior.name == PRIOR_NAME
    }


def test_a_paper_whose_words_later_titles_use_is_raised() -> None:
    made = [EARLIER, FIRST, *later(5)]
    given = points("thought prompting", made)
    assert list(given) == ["acl:first"]
    assert given["acl:first"] == pytest.approx(1.2 * 1.791759)


def test_words_that_were_in_use_before_count_less() -> None:
    users = [replace(paper, id=PaperId(f"{paper.id}b")) for paper in later(4, year=2020)]
    made = [FIRST, *users, *later(5)]
    assert points("thought prompting", made)["acl:first"] < points("thought prompting", [FIRST, *later(5)])["acl:first"]


def test_many_followers_count_no_more_than_the_limit() -> None:
    assert points("thought prompting", [FIRST, *later(40)])["acl:first"] == pytest.approx(1.2 * MAX_GROWTH)


def test_titles_after_the_last_year_asked_for_do_not_count() -> None:
    made = [FIRST, *later(5, year=2025)]
    assert points("thought prompting", made)
    assert not points("thought prompting year:..2024", made)
    assert points("thought prompting year:2020..", made)


def test_a_paper_of_no_known_year_has_no_followers() -> None:
    assert not points("thought prompting", [replace(FIRST, year=None), *later(5)])


def test_only_the_first_of_a_ranking_are_looked_at() -> None:
    made = [FIRST, *later(3), *(replace(paper, id=PaperId(f"{paper.id}c")) for paper in later(3, year=2024))]
    near = [
        Paper(PaperId(f"acl:n{n}"), "Thought thought prompting prompting", "", year=2000) for n in range(MAX_PAPERS)
    ]
    assert "acl:first" in points("thought prompting", made)
    assert "acl:first" not in points("thought prompting", [*made, *near])


def test_a_rare_word_says_more() -> None:
    holder = Paper(PaperId("acl:holder"), "Thought zzyzxqua prompting", "", year=2023)
    assert not points("zzyzxqua thought prompting", [FIRST, holder, *later(5)])


def test_without_its_weight_nothing_changes_in_the_others() -> None:
    made = [EARLIER, FIRST, *later(5)]
    with_points, without = search("thought prompting", made), search("thought prompting", made, weight=0.0)
    raised = points("thought prompting", made)
    scores = {ranked.paper.id: ranked.score or 0.0 for ranked in without.papers}
    assert run(searcher(made).scores(parse_query("thought prompting"), k=200)) == scores
    assert {ranked.paper.id: ranked.score for ranked in with_points.papers} == {
        paper: pytest.approx(score + raised.get(paper, 0.0)) for paper, score in scores.items()
    }
