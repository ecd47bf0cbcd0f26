"""Author and year as they are typed: the paper they name comes first, and nothing else changes."""

from __future__ import annotations

import pytest
from memory_segments import cut

from litterm.core.tasks import run
from litterm.model.paper import Author, Paper, PaperId
from litterm.model.search import Ranking
from litterm.search.hybrid import HybridSearcher
from litterm.text.queries.parser import parse_query


def paper(key: str, title: str, year: int, *authors: str, abstract: str = "") -> Paper:
    return Paper(PaperId(f"acl:{key}"), title, abstract, tuple(Author(name) for name in authors), year)


PAPERS = (
    paper("meant", "Resolving coreference from end to end", 2017, "Lee", "He", abstract="Spans are ranked."),
    paper("other", "Parsing with tables", 2017, "Lee", abstract="A chart is filled."),
    paper("later", "Resolving coreference with more layers", 2018, "Lee"),
    paper("second", "Spans of coreference", 2017, "Smith", "Lee"),
    paper("reply", "Reply to Lee on coreference in 2017", 2019, "Brown", abstract="Lee was wrong in 2017."),
    paper("survey", "Coreference resolution, a survey", 2017, "Ng", abstract="Resolving coreference."),
    paper("czech", "Czech verbs", 2001, "Hajič"),
)


def search(typed: str, *, finished: bool = True) -> Ranking:
    both_libraries = cut(PAPERS, 2)
    query = parse_query(typed, finished=finished)
    return run(HybridSearcher(both_libraries, both_libraries, embedder=None).search(query, k=10))


def keys(ranking: Ranking) -> list[str]:
    return [each.paper.id.removeprefix("acl:") for each in ranking.papers]


@pytest.mark.parametrize(
    "typed",
    [
        "Lee et al. 2017 coreference",
        "Lee and He (2017) resolving coreference",
        "How does Lee et al. (2017) resolve coreference?",
    ],
)
def test_the_paper_of_the_author_and_year_comes_first(typed: str) -> None:
    assert keys(search(typed))[0] == "meant"


@pytest.mark.parametrize("typed", ["Lee 2017", "lee 2017", "lee et al 2017", "Lee (2017)"])
def test_alone_they_list_what_the_author_wrote_then(typed: str) -> None:
    found = keys(search(typed))
    assert set(found[:2]) == {"meant", "other"}
    assert set(found[2:4]) == {"second", "later"}
    assert found.index("reply") == 4


def test_it_is_said_why() -> None:
    why = search("Lee 2017").papers[0].why
    assert why is not None
    assert why.priors[0].name == "by the author and of the year typed"


def test_it_holds_while_the_year_is_typed() -> None:
    assert keys(search("coreference lee 2017", finished=False)) == keys(search("coreference lee 2017"))
    assert keys(search("coreference Lee 2017", finished=False))[0] == "meant"


def test_names_that_wrote_nothing_then_stay_words() -> None:
    for typed in ("Coreference 2017", "Brown 2001 coreference", "Hajic 2017"):
        for each in search(typed).papers:
            assert each.why is not None
            assert "by the author and of the year typed" not in {prior.name for prior in each.why.priors}


def test_filters_hold_for_papers_that_are_named() -> None:
    assert keys(search("Lee 2017 year:2018")) == ["later"]
    assert "meant" not in keys(search("Lee 2017 -spans"))
