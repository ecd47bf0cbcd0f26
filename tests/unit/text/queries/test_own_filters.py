"""Filters by what the user keeps about papers, and what a minus leaves out."""

from __future__ import annotations

import pytest

from litterm.model.search import TO_READ_LIST, Filters
from litterm.text.queries.parser import find_fault, parse_query


@pytest.mark.parametrize(
    ("typed", "filters"),
    [
        ("is:starred", Filters(lists=("starred",))),
        ("status:reading", Filters(lists=("reading",))),
        ("status:to-read", Filters(lists=(TO_READ_LIST,))),
        ("is:to-read", Filters(lists=(TO_READ_LIST,))),
        ('status:"to read"', Filters(lists=(TO_READ_LIST,))),
        ("note:replicate has:note", Filters(notes=("replicate", ""))),
        ("-venue:acl,emnlp", Filters(without=(Filters(venues=("acl",)), Filters(venues=("emnlp",))))),
        ("-is:excluded -has:note", Filters(without=(Filters(lists=("excluded",)), Filters(notes=("",))))),
        ("-has:fulltext", Filters(full_text=False)),
    ],
)
def test_a_filter_is_read(typed: str, filters: Filters) -> None:
    assert parse_query(typed).filters == filters


@pytest.mark.parametrize("typed", ["", "bert", "bert foo:", "venue:ij", "year:20", 'author:"Chen', "-venue:acl x"])
def test_what_may_yet_become_right_is_no_fault(typed: str) -> None:
    assert find_fault(typed) is None


@pytest.mark.parametrize(
    ("typed", "says"), [("bert foo:b", "Unknown filter “foo:”"), ("is:red bert", "is: does not accept “red”")]
)
def test_what_stays_wrong_is_named_while_one_types(typed: str, says: str) -> None:
    assert says in str(find_fault(typed))
