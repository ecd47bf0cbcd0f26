"""Queries with operators: their tree, what it asks of a paper, and where it is wrong."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litterm.core.errors import QueryError
from litterm.model.search import AllOf, AnyOf, Filters, NegatedCondition, TextCondition, YearRange
from litterm.text.queries.expression import format_expression, has_operators, parse_expression
from litterm.text.queries.parser import append_filters, find_fault, find_open_part, parse_query

_PIECES = (
    *("AND", "OR", "NOT", "(", ")", " ", " ", " ", "-", '"', "*", "“", ":", "a", "bert", "f(x)", "g(y", "z)w", "C++"),
    *(
        "title:",
        "venue:acl",
        "title:(",
        "author:chen*",
        "transform*",
        "year:2020..",
        "foo:",
        "sort:newest",
        "\n",
        "机器",
    ),
)
TYPED = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))


def word(text: str, **more: bool) -> TextCondition:
    return TextCondition(text, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("typed", "condition"),
    [
        ("bert OR gpt", AnyOf((word("bert"), word("gpt")))),
        ("a1 OR b1 AND c1", AnyOf((word("a1"), AllOf((word("b1"), word("c1")))))),
        ("(a1 OR b1) AND c1", AllOf((AnyOf((word("a1"), word("b1"))), word("c1")))),
        ("machine translation OR nmt", AnyOf((AllOf((word("machine"), word("translation"))), word("nmt")))),
        ("bert AND NOT survey", AllOf((word("bert"), NegatedCondition(word("survey"))))),
        ("bert AND -survey", AllOf((word("bert"), NegatedCondition(word("survey", exact=True))))),
        ('"language model" AND pars*', AllOf((word("language model", exact=True), word("pars", beginning=True)))),
        ("title:bert OR author:devlin", AnyOf((TextCondition("bert", "title"), Filters(authors=("devlin",))))),
        ("title:(bert AND gpt)", AllOf((TextCondition("bert", "title"), TextCondition("gpt", "title")))),
        ("bert AND venue:acl venue:cl", AllOf((word("bert"), Filters(venues=("acl", "cl"))))),
        ("bert AND sort:newest", word("bert")),
        (
            "NOT (is:read OR year:2020..)",
            NegatedCondition(AnyOf((Filters(lists=("read",)), Filters(years=(YearRange(2020),))))),
        ),
    ],
)
def test_operators_are_read_as_a_tree(typed: str, condition: object) -> None:
    assert parse_query(typed).conditions == (condition,)


def test_words_side_by_side_only_rank_and_what_operators_join_must_be_there() -> None:
    query = parse_query('neural (parsing OR tagging) "data set" -survey venue:acl NOT chinese')
    assert query.words == ("neural", "parsing", "tagging", "data", "set")
    assert query.conditions == (AnyOf((word("parsing"), word("tagging"))), NegatedCondition(word("chinese")))
    assert (query.phrases, query.excluded) == (("data set",), ("survey",))
    assert query.filters == Filters(venues=("acl",))
    assert [chip.label for chip in query.chips] == ["venue:acl"]


def test_words_of_a_field_and_beginnings_rank_and_those_behind_not_do_not() -> None:
    query = parse_query("title:attention transform* NOT (title:vision OR speech)")
    assert (query.words, query.beginnings) == (("attention",), ("transform",))
    query = parse_query("abstract:attention -title:vision transform*")
    assert query.conditions == (
        TextCondition("attention", "abstract"),
        NegatedCondition(TextCondition("vision", "title")),
        word("transform", beginning=True),
    )


@pytest.mark.parametrize(
    "typed",
    [
        "cats and dogs or mice not birds",
        "ATTENTION IS NOT ALL YOU NEED",
        "Which papers do NOT use attention?",
        "parsing (dependency) of f(x)",
        "Foundations AND, OR; NOT.".replace("NOT.", "no"),
        "A* search and D*",
        '"AND" "OR"',
    ],
)
def test_without_operators_nothing_is_a_tree(typed: str) -> None:
    query = parse_query(typed)
    assert not has_operators(typed)
    assert (query.conditions, query.beginnings, query.kind) == ((), (), None)


@pytest.mark.parametrize(
    ("typed", "column", "at_fault", "says"),
    [
        ("bert AND (gpt OR t5", 10, "(", "a closing parenthesis is missing"),
        ("bert AND gpt)", 13, ")", "no opening parenthesis"),
        ("bert AND", 6, "AND", "needs something after it"),
        ("OR bert", 1, "OR", "needs something before it"),
        ("bert AND OR gpt", 6, "AND", "needs something after it"),
        ("bert NOT", 6, "NOT", "needs something after it"),
        ("bert AND ()", 10, "()", "nothing between"),
        ("bert AND foo:bar", 10, "foo:", "Unknown filter"),
        ("bert OR year:20x1", 14, "20x1", "not a year"),
        ('bert AND "gpt', 10, '"gpt', "not closed"),
        ("bert AND title: x", 10, "title:", "needs a value"),
        ("bert AND " + "(" * 40 + "x" + ")" * 40, 40, "(", "levels"),
    ],
)
def test_an_error_names_the_column(typed: str, column: int, at_fault: str, says: str) -> None:
    with pytest.raises(QueryError, match=says) as caught:
        parse_query(typed)
    assert caught.value.start + 1 == column
    assert typed[caught.value.start : caught.value.end] == at_fault


@given(TYPED)
@example("(c OR a(b )AND d")
@example('-a"b AND title:(:x -y)')
@example("NOT -(a b) OR -venue:acl")
@example("title:(a OR (b AND c)) NOT x)")
def test_what_is_printed_is_read_as_the_same_tree(text: str) -> None:
    try:
        tree = parse_expression(text)
    except QueryError as error:
        assert 0 <= error.start < error.end <= len(text)
        return
    if tree is not None:
        assert parse_expression(format_expression(tree)) == tree


@given(TYPED, st.booleans())
@example("(((", False)
@example("NOT " * 500, True)
@example("(" * 5000, True)
def test_any_text_is_read_or_names_a_column(text: str, finished: bool) -> None:
    try:
        parse_query(text, finished=finished)
    except QueryError as error:
        assert 0 <= error.start < error.end <= len(text)


@pytest.mark.parametrize(
    "typed", ["bert AND", "bert AND ", "bert AND (", "(bert OR gp", "bert NOT", "bert AND venue:", "-("]
)
def test_what_may_yet_come_is_no_fault_while_typing(typed: str) -> None:
    assert find_fault(typed) is None
    parse_query(typed, finished=False)


@pytest.mark.parametrize(("typed", "at"), [("bert AND gpt) x", 12), ("a AND AND b", 2), ("a OR foo:bar x", 5)])
def test_what_stays_wrong_is_marked_where_it_stands(typed: str, at: int) -> None:
    fault = find_fault(typed)
    assert fault is not None
    assert fault.start == at


def test_the_word_being_typed_is_a_beginning() -> None:
    query = parse_query("bert AND trans", finished=False)
    typed = AnyOf((word("trans"), word("trans", beginning=True)))
    assert query.conditions == (AllOf((word("bert"), typed)),)
    assert (query.words, query.unfinished) == (("bert",), "trans")
    assert parse_query("bert AND NOT trans", finished=False).conditions == (word("bert"),)


def test_options_hold_for_all_of_a_query_with_operators() -> None:
    assert append_filters("bert OR gpt", [("venue", "acl")]) == "(bert OR gpt) venue:acl"
    assert append_filters("bert gpt", [("venue", "acl")]) == "bert gpt venue:acl"
    query = parse_query(append_filters("bert OR gpt", [("year", "2020..")]))
    assert query.filters == Filters(years=(YearRange(2020),))


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        ("attention AND (", "("),
        ("attention OR (bert AND", "AND"),
        ("a NOT ", "NOT"),
        ("a OR title:(b c", "("),
        ('a venue:"b c', '"'),
        ("a “b c", "“"),
        ("a AND (b OR c)", ""),
        ("(a", ""),
        ("foo: AND", "AND"),
    ],
)
def test_what_waits_for_its_other_side(typed: str, part: str) -> None:
    span = find_open_part(typed)
    assert (typed[span.start : span.end] if span else "") == part
