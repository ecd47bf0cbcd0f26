"""A query to its aspects without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.model.aspects import Aspect
from litterm.text.queries.aspects import (
    LONG_QUERY_WORDS,
    MAX_ASPECTS,
    MAX_SUB_ASPECTS,
    format_aspect,
    read_aspect,
    split_long,
    split_query,
)

LONG_ONE = (
    "I want to study how labels of language data are checked before anybody trains on them. "
    "Additionally, I also need methods that estimate the cost of annotation, because budgets are small. "
    "It should work for dialects. Thanks a lot."
)


def texts(typed: str) -> list[str]:
    return list(split_query(typed).texts)


def test_separators_make_aspects_of_any_length_and_a_weight_may_stand_behind_one() -> None:
    found = split_query("labelled data || label quality *2 || noise ×0.5")
    assert found.by == "separators"
    assert [(each.text, each.weight) for each in found.aspects] == [
        ("labelled data", 1.0),
        ("label quality", 2.0),
        ("noise", 0.5),
    ]


def test_one_aspect_a_line_with_bullets_and_numbers_taken_off() -> None:
    found = split_query("- labelled data\n\n2. label quality\n(3) noise")
    assert (found.by, found.texts) == ("lines", ("labelled data", "label quality", "noise"))


def test_filters_exclusions_and_quotes_belong_to_no_aspect() -> None:
    assert texts('labelled data venue:acl||year:2020.. "label quality" -survey|| noise') == [
        "labelled data",
        "label quality",
        "noise",
    ]


@pytest.mark.parametrize("typed", ["", "noise", "structured pruning of language models", "||", "noise || ", "a\n"])
def test_a_short_query_has_no_aspects(typed: str) -> None:
    assert split_query(typed).aspects == ()


def test_a_long_query_is_split_by_sentences_without_what_leads_up_to_them() -> None:
    found = split_query(LONG_ONE)
    assert found.by == "sentences"
    assert found.texts == (
        "study how labels of language data are checked before anybody trains on them",
        "methods that estimate the cost of annotation, because budgets are small",
        "It should work for dialects",
    )


def test_the_clauses_of_a_long_sentence_are_its_sub_aspects() -> None:
    text = "models that predict the time of medical events, and a way to check them against clinical trial outcomes"
    assert read_aspect(text).sub_aspects == (
        "models that predict the time of medical events",
        "a way to check them against clinical trial outcomes",
    )
    assert read_aspect("models of time and events").sub_aspects == ()


def test_a_single_long_sentence_is_split_by_clauses() -> None:
    text = (
        "a summarizer of long meetings that keeps speaker names, and a metric that punishes invented numbers; "
        "training data in German dialects, while annotation costs stay below those of crowd work on news articles"
    )
    found = split_query(text)
    assert (found.by, len(found.aspects)) == ("clauses", 4)


def test_the_numbers_of_aspects_and_sub_aspects_have_a_limit_and_nothing_of_the_query_is_lost() -> None:
    wanted = [f"topic{at} needs method{at} with data{at}" for at in range(20)]
    found = split_long(". ".join(word.capitalize() for word in wanted) + ".")
    assert len(found.aspects) == MAX_ASPECTS
    whole = " ".join(found.texts).lower()
    assert all(f"method{at}" in whole for at in range(20))
    many = "; ".join(f"alpha{at} beta{at} gamma{at} delta{at}" for at in range(12))
    assert len(read_aspect(many).sub_aspects) == MAX_SUB_ASPECTS


def test_what_says_the_same_is_one_aspect() -> None:
    assert texts("label noise || noise of the labels || Noisy   things") == ["label noise", "Noisy things"]


def test_a_long_query_is_told_by_its_words() -> None:
    short, long = (
        " ".join(["alpha beta. Gamma"] * 9),
        " ".join(["alpha beta, and gamma delta epsilon."] * (LONG_QUERY_WORDS // 3)),
    )
    assert not split_query(short).aspects
    assert len(long.split()) >= LONG_QUERY_WORDS


@pytest.mark.parametrize(
    "aspect", [Aspect("label noise"), Aspect("label noise", weight=2.5), Aspect("C++", weight=0.1)]
)
def test_what_is_written_is_read_back(aspect: Aspect) -> None:
    assert read_aspect(format_aspect(aspect)) == aspect


def test_a_weight_out_of_range_is_the_nearest_that_is_in_it() -> None:
    assert (read_aspect("noise *50").weight, read_aspect("noise *0").weight) == (10.0, 0.1)


def test_long_queries_of_people_are_split_into_about_as_many_aspects_as_people_see(shared: Path) -> None:
    lines = (shared / "data" / "bench" / "doris-mae" / "queries.jsonl").read_text("utf-8").splitlines()
    queries = [json.loads(line) for line in lines]
    found = [split_query(query["text"]) for query in queries]
    assert {each.by for each in found} == {"sentences"}
    assert all(3 <= len(each.aspects) <= MAX_ASPECTS for each in found)
    apart = [abs(len(each.aspects) - len(query["aspects"])) for each, query in zip(found, queries, strict=True)]
    assert sum(apart) / len(apart) <= 2
