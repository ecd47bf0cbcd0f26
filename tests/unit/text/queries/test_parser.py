from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litterm.core.errors import QueryError
from litterm.model.document import Span
from litterm.model.search import Filters, YearRange
from litterm.text.queries.fields import FIELDS
from litterm.text.queries.parser import append_filters, parse_query, remove_filter, replace_word

_FIELDS = "year: venue: author: has: tag: source: foo: .. 2019 2019..2021 acl fulltext C++ é 机器 https://x.org".split()
_PIECES = st.sampled_from((*'"“”„-:.,<>() \t\n', "Title: ", *_FIELDS))
TYPED = st.one_of(st.text(), st.lists(_PIECES, max_size=12).map("".join))


def test_words_phrases_exclusions_and_filters_in_one_line() -> None:
    query = parse_query('pruning "language models" -survey -"data set" venue:ACL,emnlp author:"Danqi Chen"')
    assert query.words == ("pruning", "language", "models")
    assert query.phrases == ("language models",)
    assert query.excluded == ("survey", "data set")
    assert query.filters == Filters(venues=("acl", "emnlp"), authors=("Danqi Chen",))
    assert [chip.label for chip in query.chips] == ["venue:ACL,emnlp", 'author:"Danqi Chen"']
    assert [query.text[chip.span.start : chip.span.end] for chip in query.chips] == [c.label for c in query.chips]


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2021", 2021, 2021),
        ("2019..2023", 2019, 2023),
        ("2019-2023", 2019, 2023),
        ("..2022", None, 2022),
        ("2020..", 2020, None),
        (">2020", 2021, None),
        (">=2020", 2020, None),
        ("<2020", None, 2019),
        ("<=2020", None, 2020),
    ],
)
def test_years_are_inclusive_ranges(value: str, first: int | None, last: int | None) -> None:
    assert parse_query(f"year:{value}").filters.years == (YearRange(first, last),)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("type:article", Filters(types=("article",))),
        ("type:Conference", Filters(types=("inproceedings",))),
        ("decision:rejected", Filters(decisions=("reject",))),
        ("source:openreview", Filters(sources=("iclr",))),
        ("SOURCE:acl", Filters(sources=("acl",))),
        ("tag:to-read", Filters(tags=("to-read",))),
        ("has:fulltext", Filters(full_text=True)),
        ("-has:full-text", Filters(full_text=False)),
        ("author:Chen,D", Filters(authors=("Chen,D",))),
    ],
)
def test_each_field_reads_its_values(typed: str, expected: Filters) -> None:
    assert parse_query(typed).filters == expected


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("Title: with colon", ("Title", "with", "colon")),
        ("Source: a new data set", ("Source", "a", "new", "data", "set")),
        ("C++: a language", ("C++", "a", "language")),
        ("https://aclanthology.org/P18-1001", ("https://aclanthology.org/P18-1001",)),
        ("acl:P18-1001 arxiv:1706.03762", ("acl:P18-1001", "arxiv:1706.03762")),
        ("std::vector at 12:30, ratio 3:1", ("std::vector", "at", "12:30", "ratio", "3:1")),
        ('a 5" screen (state-of-the-art).', ("a", "5", "screen", "state-of-the-art")),
        ('- -- "" F# …', ("F#",)),
    ],
)
def test_what_is_not_plainly_a_filter_is_text(typed: str, words: tuple[str, ...]) -> None:
    query = parse_query(typed)
    assert query.words == words
    assert query.filters == Filters()


@pytest.mark.parametrize(
    ("typed", "at_fault", "says"),
    [
        ("bert vanue:acl", "vanue:", "venue:"),
        ("format:bert", "format:", "Unknown filter"),
        ("bert year:20x1", "20x1", "2019..2023"),
        ("year:2023..2019", "2023..2019", "ends before"),
        ("year:..", "..", "not a year"),
        ("type:jornal x", "jornal", "journal"),
        ("source:nowhere", "nowhere", "known are acl"),
        ("a venue: acl", "venue:", "needs a value"),
        ("venue:, x", "venue:,", "needs a value"),
        ('say "open end', '"open end', "not closed"),
        ('author:"Chen', 'author:"Chen', "not closed"),
        ("-in:fulltext", "-in:fulltext", "in:fulltext"),
        ("is:starrd", "starrd", "starred"),
    ],
)
def test_an_error_points_at_what_is_wrong(typed: str, at_fault: str, says: str) -> None:
    with pytest.raises(QueryError, match=says) as caught:
        parse_query(typed)
    assert typed[caught.value.start : caught.value.end] == at_fault


@pytest.mark.parametrize(
    ("typed", "words", "unfinished"),
    [
        ("neural transl", ("neural",), "transl"),
        ("neural transl ", ("neural", "transl"), ""),
        ("billion-par", ("billion",), "par"),
        ('"exact phr', ("exact",), "phr"),
        ("learn C++", ("learn", "C++"), ""),
        ("models,", ("models",), ""),
        ("bert venue:ac", ("bert",), ""),
        ("bert foo:", ("bert", "foo"), ""),
        ("bert foo:b", ("bert",), ""),
        ("bert -surv", ("bert",), ""),
        ("bert year:20", ("bert",), ""),
    ],
)
def test_what_is_still_being_typed_is_forgiven(typed: str, words: tuple[str, ...], unfinished: str) -> None:
    query = parse_query(typed, finished=False)
    assert (query.words, query.unfinished) == (words, unfinished)
    assert (query.phrases, query.excluded, query.filters) == ((), (), Filters())


def test_in_a_pasted_text_only_a_slip_of_a_field_is_an_error() -> None:
    pasted = "we set the flag verbose:true in every run of the model and report what was found there"
    assert "verbose:true" in parse_query(pasted).words
    with pytest.raises(QueryError, match="Unknown filter “verbose:”"):
        parse_query("verbose:true")
    with pytest.raises(QueryError, match="venue:"):
        parse_query(f"{pasted} vanue:acl")


def test_a_closed_quote_is_finished_even_at_the_end() -> None:
    assert parse_query('"exact phrase"', finished=False).phrases == ("exact phrase",)
    assert parse_query('author:"Chen"', finished=False).filters.authors == ("Chen",)


def test_typographic_quotes_quote() -> None:
    assert parse_query("“language model”").phrases == ("language model",)


@given(TYPED, st.booleans())
@example('"', True)
@example("-", True)
@example("venue:\n", True)
def test_nothing_but_a_query_error_within_the_text_is_ever_raised(typed: str, finished: bool) -> None:
    try:
        query = parse_query(typed, finished=finished)
    except QueryError as error:
        assert 0 <= error.start < error.end <= len(typed)
    else:
        assert query.text == typed
        assert all(word.strip() == word != "" for word in query.words)
        assert all(typed[chip.span.start : chip.span.end] == chip.label for chip in query.chips)


@given(
    st.lists(st.from_regex(r"[a-zé0-9]{1,8}(-[a-z]{1,5})?\+{0,2}", fullmatch=True), max_size=5),
    st.lists(st.from_regex(r"[a-z]{1,8}( [a-z]{1,8}){0,2}", fullmatch=True), max_size=2),
    st.lists(
        st.tuples(st.sampled_from(["venue", "author", "tag"]), st.from_regex(r"[a-z]{1,6} ?[a-z]{1,6}", fullmatch=True))
    ),
)
def test_what_is_composed_is_read_back(words: list[str], phrases: list[str], filters: list[tuple[str, str]]) -> None:
    text = append_filters(" ".join([*words, *(f'"{phrase}"' for phrase in phrases)]), filters)
    query = parse_query(text)
    assert query.words == (*words, *(word for phrase in phrases for word in phrase.split()))
    assert query.phrases == tuple(phrases)
    for field, read in (
        ("venue", query.filters.venues),
        ("author", query.filters.authors),
        ("tag", query.filters.tags),
    ):
        assert read == tuple(value for name, value in filters if name == field)
    for chip in reversed(query.chips):
        text = remove_filter(text, chip.span)
    assert parse_query(text).words == query.words
    assert parse_query(text).filters == Filters()


def test_a_value_with_quotes_is_composed_without_them() -> None:
    assert parse_query(append_filters("", [("author", 'Ann "Ada" Lee')])).filters.authors == ("Ann Ada Lee",)


def test_removing_a_chip_leaves_the_rest() -> None:
    assert remove_filter("a venue:acl b", Span(2, 11)) == "a b"


def test_a_better_word_replaces_words_but_no_filters() -> None:
    typed = 'langauge "Langauge models" sublangauge venue:langauge -langauge'
    assert replace_word(typed, "langauge", "language") == (
        'language "language models" sublangauge venue:langauge -langauge'
    )


def test_every_field_is_reachable() -> None:
    values = {
        "year": "2020",
        "source": "acl",
        "type": "book",
        "decision": "accept",
        "has": "fulltext",
        "in": "fulltext",
        "cited": ">50",
        "sort": "citations",
        "is": "starred",
        "status": "reading",
    }
    for field in FIELDS:
        query = parse_query(f"{field}:{values.get(field, 'x')}")
        assert (
            query.filters != Filters() or query.conditions or query.like == ("x",) or query.in_full_texts or query.sort
        )
