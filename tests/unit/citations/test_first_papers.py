from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

import pytest
from memory_segments import cut

from litterm.citations.first_papers import find_first_papers
from litterm.core.errors import UsageError
from litterm.core.tasks import Task, run
from litterm.interfaces import CitationGraph
from litterm.model.citations.graph import Citance, FirstPapers
from litterm.model.paper import Paper, PaperId
from litterm.model.search import count_relevant
from litterm.search.hybrid import HybridSearcher
from litterm.search.lexical import LexicalSearcher
from litterm.search.search import SearchPapers
from litterm.search.searched_libraries import SearchedLibraries, SearchedLibrary
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.memory_library import MemoryLibrary

MADE = cut(
    [
        Paper(PaperId("acl:old"), "attention in vision", year=1990, date="1990"),
        Paper(PaperId("acl:first"), "attention for translation", year=2014, date="2014-09"),
        Paper(PaperId("acl:late"), "attention everywhere", year=2020, date="2020"),
        Paper(PaperId("acl:undated"), "attention undated"),
        Paper(PaperId("acl:else"), "parsing", year=1980, date="1980"),
    ],
    5,
)
SAYS = {
    "acl:first": (
        "acl:b",
        2018,
        "Attention was first proposed in [1].",
        "acl:a",
        2016,
        "[1] introduced by them, attention.",
    ),
    "acl:late": ("acl:b", 2021, "We use the attention of [1].", "acl:a", 2022, "Seminal work on parsing [1]."),
}


class Graph:
    """Citing sentences, written here."""

    def citances(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[tuple[Citance, ...], ...]:
        return tuple(tuple(self._of(paper_id)) for paper_id in ids)

    def _of(self, paper_id: PaperId) -> list[Citance]:
        says = SAYS.get(paper_id, ())
        triples = [says[at : at + 3] for at in range(0, len(says), 3)]
        return [Citance(PaperId(str(key)), paper_id, str(text), None, cast("int", year)) for key, year, text in triples]


def first(typed: str, *, k: int = 10, graph: object = None) -> FirstPapers:
    def known() -> Task[CitationGraph]:
        yield from ()
        return cast("CitationGraph", graph or Graph())

    own = SearchedLibrary("own", MemoryLibrary(()), MADE, lambda: cast("HybridSearcher", LexicalSearcher(MADE, MADE)))
    searcher = SearchPapers(SearchedLibraries(own))
    return run(find_first_papers(parse_query(typed), k=k, searcher=searcher, graph=known()))


def test_what_is_named_an_origin_comes_first_then_the_oldest_then_what_has_no_date() -> None:
    firsts = first("attention")
    assert [each.paper.paper.id for each in firsts.papers] == ["acl:first", "acl:old", "acl:late", "acl:undated"]
    assert firsts.citances == 4


def test_the_sentences_that_name_it_are_shown_oldest_first() -> None:
    assert [each.year for each in first("attention").papers[0].named] == [2016, 2018]


def test_a_sentence_on_another_topic_names_nothing() -> None:
    assert [each.paper.paper.id for each in first("attention").papers if each.named] == ["acl:first"]


def test_without_citing_sentences_it_is_said() -> None:
    class Silent(Graph):
        def _of(self, paper_id: PaperId) -> list[Citance]:
            return []

    firsts = first("attention", k=2, graph=Silent())
    assert [each.paper.paper.id for each in firsts.papers] == ["acl:old", "acl:first"]
    assert "No citing sentences found" in firsts.notices[-1]


def test_of_a_topic_that_no_paper_is_about_nothing_is_said_of_its_oldest() -> None:
    firsts = first("volcanoes")
    assert not firsts.papers
    assert not any("oldest" in notice for notice in firsts.notices)


def test_no_topic_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="topic"):
        first("year:2020")


@pytest.mark.parametrize(
    ("points", "count"),
    [([], 0), ([9.0, 1.0], 2), ([40.0, *[10.0] * 9, 6.0, 5.0, 4.0, -3.0], 12), ([3.0, *[-1.0] * 12], 13)],
)
def test_relevant_is_what_has_half_the_points_of_the_tenth_best(points: list[float], count: int) -> None:
    assert count_relevant(points) == count


def test_a_sentence_with_one_word_of_many_names_no_origin_of_the_topic() -> None:
    told = first("attention of recurrent speech models")
    assert not any(each.named for each in told.papers)
