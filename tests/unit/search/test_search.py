from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from libraries import record, store
from memory_segments import MemorySegments, cut

from litterm.build import build_engine
from litterm.core.errors import QueryError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.model.library import Parsed
from litterm.model.paper import LibraryName, Paper, PaperId
from litterm.model.search import Facet
from litterm.render.explanation import rank_reasons
from litterm.search.hybrid import HybridSearcher
from litterm.search.lexical import LexicalSearcher
from litterm.search.search import NAMED_PAPER_POINTS, SearchPapers
from litterm.search.searched_libraries import SearchedLibraries, SearchedLibrary
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.memory_library import MemoryLibrary

STARTER = cut(
    [
        Paper(PaperId("starter:a"), "trees and trees", aliases=(PaperId("acl:1"),)),
        Paper(PaperId("starter:b"), "trees of life"),
        Paper(PaperId("starter:c"), "nets"),
    ],
    3,
)
OWN = [Paper(PaperId("acl:1"), "trees"), Paper(PaperId("acl:2"), "trees in rows of many other words")]


def searched_library(name: LibraryName, papers: MemorySegments, searcher: object = None) -> SearchedLibrary:
    library = MemoryLibrary(Parsed(paper) for segment in papers.segments.values() for paper in segment)
    return SearchedLibrary(name, library, papers, lambda: searcher or LexicalSearcher(papers, papers))


def verb(own: MemorySegments, starter: MemorySegments | None = STARTER) -> SearchPapers:
    behind = None if starter is None else searched_library("starter", starter)
    return SearchPapers(SearchedLibraries(searched_library("own", own), lambda: behind))


def hybrid_collections() -> SearchedLibraries:
    own, starter = cut(OWN, 2), STARTER
    return SearchedLibraries(
        searched_library("own", own, HybridSearcher(own, own, embedder=None)),
        lambda: searched_library("starter", starter, HybridSearcher(starter, starter, embedder=None)),
    )


def test_words_that_neither_library_has_are_named() -> None:
    search = SearchPapers(hybrid_collections())
    told = "No paper here has “quixotry” or “zeugma”."
    assert told in run(search.search("trees of nets, quixotry, zeugma")).notices
    assert not any("nets" in notice for notice in run(search.search("trees nets")).notices)
    assert "No paper here has “nets”." in run(search.search("trees nets", k=1)).notices
    assert not any("No paper" in notice for notice in run(search.search("acl:1")).notices)


def test_an_empty_library_opens_on_the_starter_library() -> None:
    ranking = run(verb(cut([], 1)).search("trees", k=1))
    assert [(each.paper.id, each.rank, each.library_name) for each in ranking.papers] == [("starter:a", 1, "starter")]
    assert ranking.found == 2
    assert ranking.notices == ()


def test_the_users_own_papers_come_first_and_hide_their_doubles() -> None:
    ranking = run(verb(cut(OWN, 2)).search("trees"))
    assert [(each.paper.id, each.rank, each.library_name) for each in ranking.papers] == [
        ("acl:1", 1, "own"),
        ("acl:2", 2, "own"),
        ("starter:b", 3, "starter"),
    ]
    assert ranking.found == 3
    assert ranking.notices == ("Papers of the starter library come after your own.",)


def test_enough_own_papers_need_no_starter() -> None:
    ranking = run(verb(cut(OWN, 2)).search("trees", k=2))
    assert [each.is_own for each in ranking.papers] == [True, True]
    assert ranking.notices == ()


def test_the_starter_library_alone_is_whole_whatever_the_user_holds_of_it() -> None:
    ranking = run(verb(cut(OWN, 2)).search(replace(parse_query("trees"), library_name="starter")))
    assert [each.paper.id for each in ranking.papers] == ["starter:a", "starter:b"]
    assert all(each.library_name == "starter" for each in ranking.papers)
    assert ranking.notices == ()


def test_facets_are_those_of_the_library_that_is_searched(tmp_path: Path) -> None:
    settings = from_home(tmp_path)
    engine = build_engine(settings)
    # While there is no paper of the user, those of the starter library are counted.
    assert "starter" in {facet.value for facet in run(engine.facets(parse_query("")))}
    store(settings.library, [record("acl:1", "trees", year=2014)])
    assert Facet("source", "acl", 1) in run(engine.facets(parse_query("trees")))
    assert "starter" not in {facet.value for facet in run(engine.facets(parse_query("")))}
    facets = run(engine.facets(replace(parse_query(""), library_name="starter")))
    assert "starter" in {facet.value for facet in facets}


def test_a_hidden_starter_library_is_not_searched() -> None:
    assert run(verb(cut([], 1), None).search("trees")).papers == ()


def test_a_bad_query_is_an_error_with_its_place() -> None:
    with pytest.raises(QueryError, match="Unknown filter"):
        run(verb(cut(OWN, 2)).search("vanue:acl"))
    assert run(verb(cut(OWN, 2)).search("trees vanue:acl", finished=False)).found == 3


def test_only_starter_hits_stand_alone_without_a_false_suggestion() -> None:
    own = cut([replace(OWN[0], title="netz netz")] * 3, 3)
    ranking = run(verb(own).search("nets"))
    assert [each.paper.id for each in ranking.papers] == ["starter:c"]
    assert ranking.suggestion == ""


def test_a_slip_in_the_eyes_of_both_libraries_is_offered_beside_starter_hits() -> None:
    own = cut([replace(OWN[0], id=PaperId(f"acl:{number}"), title="parsers of trees") for number in range(5)], 5)
    both = [Paper(PaperId(f"starter:{number}"), "parsers") for number in range(5)]
    starter = cut([*both, Paper(PaperId("starter:nets"), "nets")], 6)
    search = verb(own, starter)
    assert run(search.search("parsres nets")).suggestion == "parsers nets"
    assert run(search.search("nets")).suggestion == ""


@pytest.mark.parametrize("typed", ["acl:2", " acl:2 "])
def test_the_paper_whose_id_was_typed_comes_first(typed: str) -> None:
    ranking = run(verb(cut(OWN, 2)).search(typed))
    first = ranking.papers[0]
    assert (first.paper.id, first.rank, first.score) == ("acl:2", 1, NAMED_PAPER_POINTS)
    assert (ranking.first, ranking.found) == (1, 1)
    assert rank_reasons(first)[0] == "Typed by its id or title: +100.0 points."


def test_a_paper_named_once_more_by_its_words_is_listed_once() -> None:
    own = cut([Paper(PaperId("acl:7"), "trees"), Paper(PaperId("acl:8"), "acl 7 trees"), *OWN], 4)
    ranking = run(verb(own, None).search("acl:7", k=2))
    assert [(each.paper.id, each.rank) for each in ranking.papers] == [("acl:7", 1), ("acl:8", 2)]


def test_what_speaks_for_a_named_paper_beside_its_id_counts_too() -> None:
    ranking = run(verb(cut([Paper(PaperId("acl:trees"), "trees acl")], 1)).search("acl:trees"))
    assert [each.paper.id for each in ranking.papers].count(PaperId("acl:trees")) == 1
    assert (ranking.papers[0].score or 0) > NAMED_PAPER_POINTS


def test_papers_whose_title_was_typed_come_first() -> None:
    title = "Do Trees Know What They Don't Know?"
    namesakes = [Paper(PaperId("acl:8"), title), Paper(PaperId("acl:9"), title.lower())]
    own = cut([Paper(PaperId("acl:7"), "trees trees"), *namesakes, *OWN], 5)
    asked: list[str] = []

    def titled(typed: str) -> tuple[Paper, ...]:
        asked.append(typed)
        return tuple(namesakes) if typed == title else ()

    searched = SearchPapers(SearchedLibraries(searched_library("own", own)), titled=titled)
    ranking = run(searched.search(title, k=3))
    assert {each.paper.id for each in ranking.papers[:2]} == {"acl:8", "acl:9"}
    assert ([each.rank for each in ranking.papers], ranking.first) == ([1, 2, 3], 2)
    assert rank_reasons(ranking.papers[0])[0] == "Typed by its id or title: +100.0 points."
    assert all((each.score or 0) < NAMED_PAPER_POINTS for each in run(searched.search("what trees know")).papers)
    asked.clear()
    run(searched.search("trees"))
    run(searched.search(title + " year:2020.."))
    run(searched.search(title, finished=False))
    assert asked == []


@pytest.mark.parametrize("typed", ["acl:99", "trees acl:2", "acl:2 year:2020..", "trees", "acl:2 acl:1"])
def test_anything_but_the_id_of_one_paper_is_searched_for_by_its_words(typed: str) -> None:
    assert all((each.score or 0) < NAMED_PAPER_POINTS for each in run(verb(cut(OWN, 2)).search(typed)).papers)


def test_a_named_paper_is_first_only_among_those_searched_and_by_relevance() -> None:
    searched = verb(cut(OWN, 2))
    assert run(searched.search("acl:2", within=[PaperId("acl:1")])).papers == ()
    assert run(searched.search("acl:2", sort="newest")).papers == ()
    assert run(searched.search("acl:2", k=0)).papers == ()
