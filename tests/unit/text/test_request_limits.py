"""How much may be asked for at once: what people ask with passes, and what is larger is refused with what to do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litterm.attribution.excerpt import read_excerpt
from litterm.core.errors import AsksTooMuch, QueryError, UsageError
from litterm.core.tasks import run
from litterm.evidence.hypothesis import read_hypothesis
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListRequest
from litterm.model.search import AnyOf, Filters, NegatedCondition, Query
from litterm.reading_lists.topic import read_topic
from litterm.search.aspects.scores import SearchAspectScorer
from litterm.text.queries.parser import find_fault, parse_query
from litterm.text.request_limits import check_aspects, check_listed_papers, check_query, count_conditions


def some_words(count: int) -> str:
    return " ".join(f"word{number}" for number in range(count))


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (some_words(2001), "2,001 words, and may have 2,000; search with an abstract"),
        ("a-" * 2001, "2,001 words"),
        ("\u6587" * 2001, "2,001 words"),
        ("a" * 40_001, "40,001 characters, and may have 40,000"),
        ("like:acl:P18-1082 " * 100_000, "1,800,000 characters"),
        (" ".join(f"author:x{number}" for number in range(201)), "201 conditions, and may have 200"),
        (" ".join(f"-venue:v{number}" for number in range(201)), "201 conditions"),
        ("venue:" + ",".join(f"v{number}" for number in range(201)), "201 conditions"),
        (" ".join(f"like:P18-{number}" for number in range(51)), "51 papers with like:, and may name 50"),
        (" ".join(f"-like:P18-{number}" for number in range(51)), "51 papers"),
    ],
)
def test_a_query_has_2000_words_200_conditions_and_50_like(typed: str, words: str) -> None:
    with pytest.raises(QueryError) as refused:
        parse_query(typed)
    assert words in str(refused.value)
    assert (refused.value.start, refused.value.end) == (0, len(typed))


@pytest.mark.parametrize(
    "typed",
    [
        some_words(2000),
        # A search strategy, and the pasted abstract of a long paper.
        "(" + " OR ".join(f"title:x{number}" for number in range(100)) + ") AND (" + some_words(90) + ")",
        "We study how texts are parsed. " * 80,
        " ".join(f"like:P18-{number}" for number in range(50)),
    ],
)
def test_what_people_ask_with_passes(typed: str) -> None:
    assert parse_query(typed).text == typed
    assert find_fault(typed) is None


def test_a_pasted_paper_is_told_while_it_stands_in_the_field_of_the_query() -> None:
    fault = find_fault(some_words(3000))
    assert fault is not None
    assert "3,000 words" in str(fault)


def test_the_papers_that_a_tag_stands_for_are_no_conditions() -> None:
    ids = tuple(PaperId(f"acl:P18-{number}") for number in range(5000))
    query = Query("", filters=Filters(papers=ids, venues=("acl", "emnlp"), without=(Filters(papers=ids),)))
    assert count_conditions(query) == 2
    check_query(query)


def test_a_query_that_another_program_has_parsed_is_limited_too() -> None:
    many = tuple(NegatedCondition(Filters(venues=(f"v{number}",))) for number in range(201))
    phrases = tuple(f"x{number} y" for number in range(101))
    for query in (
        Query("", conditions=many),
        Query("", conditions=(AnyOf(many),)),
        Query("", phrases=phrases, excluded=phrases),
        Query("", words=("a",) * 2001),
        Query("x " * 20_001),
    ):
        with pytest.raises(QueryError):
            check_query(query)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: read_hypothesis(some_words(501)), "The hypothesis has 501 words, and may have 500"),
        (lambda: read_topic(some_words(2001)), "The topic has 2,001 words"),
        (lambda: read_excerpt(some_words(2001)), "The excerpt has 2,001 words"),
        (lambda: check_aspects(["x"] * 51), "There are 51 aspects, and at most 50"),
        (lambda: check_aspects([some_words(501)]), "An aspect has 501 words"),
        (lambda: run(SearchAspectScorer().scores(["x"] * 51, [])), "51 aspects"),
        (lambda: check_listed_papers(ListRequest("x", include=(PaperId("acl:P18-1001"),) * 101)), "with 101 papers"),
    ],
)
def test_hypotheses_topics_excerpts_and_aspects_have_limits(ask: Callable[[], object], words: str) -> None:
    with pytest.raises(AsksTooMuch) as refused:
        ask()
    assert words in str(refused.value)
    assert isinstance(refused.value, UsageError)
