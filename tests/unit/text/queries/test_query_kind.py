from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.model.search import QueryKind
from litterm.text.queries.parser import free_text, literal_query, parse_query
from litterm.text.queries.query_kind import first_screen_papers, guess_kind

LONG = "We want to plan routes for trucks so that they save fuel and time on the road. " * 5


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "keywords"),
        ("parsing", "keywords"),
        ("dialogue state tracking", "keywords"),
        ("how transformers", "keywords"),
        ("what causes asthma", "question"),
        ("learning to rank", "keywords"),
        ("beam search when to stop", "keywords"),
        ("Is there any paper that prunes attention heads?", "question"),
        ("show me work on pruning attention heads", "question"),
        ("the paper on sparse attention heads", "question"),
        ("some recent papers about pruning heads", "question"),
        ("let me know of surveys about simplification", "question"),
        ("paper reviewing, peer reviewing, natural language processing", "keywords"),
        ("", "keywords"),
        ("pruning?", "keywords"),
        ("We use the tagger of [CITATION] for all texts", "excerpt"),
        (r"as shown before \cite{}, pruning helps", "excerpt"),
        ("trees have been parsed with shift-reduce parsers (Smith and Jones, 2010) for years", "excerpt"),
        ("Smith (2010)", "keywords"),
        (LONG, "long"),
    ],
)
def test_what_a_text_is_asked_as(text: str, kind: QueryKind) -> None:
    assert guess_kind(text) == kind


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("parsing", 20),
        ("What are some approaches to event extraction?", 20),
        ("List collections of conversations with shops", 20),
        ("Which early summarization systems used rhetoric?", 20),
        ("Are there platforms for chaining services?", 20),
        ("How can paraphrase classifiers be made symmetric?", 5),
        ("I am looking for tools in Basque", 5),
        ("papers that use dictionaries instead of parallel text", 20),
        ("the paper that uses dictionaries instead of parallel text", 5),
        ("Which paper introduced dropout for recurrent nets?", 5),
        ("Is there a corpus of reviews of hotels in Basque?", 5),
        ("We use the tagger of [CITATION] for all texts", 5),
        (LONG, 20),
    ],
)
def test_a_question_that_few_papers_can_answer_gets_a_short_first_screen(text: str, first: int) -> None:
    assert first_screen_papers(text, guess_kind(text)) == first


def test_the_first_screen_is_guessed_better_than_by_always_calling_a_question_specific(shared: Path) -> None:
    lines = (shared / "data/bench/litsearch-style/dev.jsonl").read_text("utf-8").splitlines()
    rows = [(str(row["query"]), row["specificity"] == 1) for row in map(json.loads, lines)]
    guessed = [(first_screen_papers(text, "question") == 5, specific) for text, specific in rows]
    right = sum(guess == specific for guess, specific in guessed) / len(rows)
    assert right > sum(specific for _, specific in rows) / len(rows)
    short = [specific for guess, specific in guessed if guess]
    assert sum(short) / len(short) >= 0.9


def test_an_empty_question_has_a_first_screen() -> None:
    assert first_screen_papers("", "question") == 5


def test_quotes_and_dashes_of_a_pasted_text_are_text() -> None:
    query = parse_query('the "perceptron of [CITATION] -also called averaged')
    assert query.phrases == query.excluded == ()
    assert query.words == ("the", "perceptron", "of", "CITATION", "also", "called", "averaged")


def test_filters_of_a_pasted_text_still_filter_unless_they_make_no_sense() -> None:
    query = parse_query("the perceptron of [CITATION] year:..2005 type:foo")
    assert query.filters.years[0].last == 2005
    assert query.words[-1] == "type:foo"
    assert free_text(query) == "the perceptron of [CITATION]  type:foo"


def test_a_literal_query_is_words_alone() -> None:
    query = literal_query('"a year:2020 -b')
    assert (query.words, query.phrases, query.excluded, query.chips) == (("a", "year:2020", "b"), (), (), ())


def test_a_remembered_year_filters_nothing() -> None:
    query = parse_query("pruning year:~2016 year:~2018")
    assert query.soft_years == (2016, 2018)
    assert not query.filters.years
    assert free_text(query) == "pruning"


def test_papers_can_be_sought_and_shunned_the_like_of() -> None:
    query = parse_query("heads like:acl:P19-1580,W19-4828 -like:iclr:abc")
    assert query.like == ("acl:P19-1580", "W19-4828")
    assert query.unlike == ("iclr:abc",)
    assert query.words == ("heads",)
    assert [chip.label for chip in query.chips] == ["like:acl:P19-1580,W19-4828", "-like:iclr:abc"]


def test_a_filter_being_typed_has_no_effect_yet() -> None:
    query = parse_query("heads like:acl:P19", finished=False)
    assert query.like == ()
