"""Where one entry of a printed reference list ends and the next begins."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from litterm.importers.pdf.dehyphenate import WordCounts
from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.references import split_references


def lines(*texts: str, lefts: Sequence[float] = (), steps: Sequence[float] = (), page: int = 1) -> list[Line]:
    found: list[Line] = []
    y = 700.0
    for at, text in enumerate(texts):
        y -= steps[at] if steps else 12.0
        x0 = lefts[at] if lefts else 0.0
        found.append(Line(text, page, x0, 200.0, y, 10.0, "Serif", False, False))
    return found


def starts(found: Sequence[Line]) -> list[str]:
    """The first word of each entry."""
    return [entry.text.split()[0] for entry in split_references(found, WordCounts({}))]


ADA, BOB, CLEO, DAN = (
    "Ada, A. Of lions. 1999.",
    "Bob, B. Of zebras. 2001.",
    "Cleo, C. Of birds. 2003.",
    "Dan, D. 2004, fish.",
)


def test_numbers_in_order_begin_entries_and_one_may_be_missed() -> None:
    assert starts(lines("[1] Ada. Of lions.", "told at length", "[2] Bob. Of zebras.", "[3] Cleo. Of birds.")) == [
        "[1]",
        "[2]",
        "[3]",
    ]
    missed = lines(*(f"[{n}] Ada. Of lions." for n in (1, 2, 3, 5, 6, 7)))
    assert starts(missed) == [f"[{n}]" for n in (1, 2, 3, 5, 6, 7)]


def test_a_number_out_of_order_begins_nothing() -> None:
    found = lines("[1] Ada. Of lions.", "[2] Bob. Of", "17. birds, and how", "[3] Cleo. Of fish.", "[4] Dan. Of ants.")
    assert starts(found) == ["[1]", "[2]", "[3]", "[4]"]


@pytest.mark.parametrize(("before", "count"), [(3, 3), (4, 1)])
def test_the_first_number_stands_near_the_head_of_the_list(before: int, count: int) -> None:
    found = lines(*["some other line"] * before, "[1] Ada. Of lions.", "[2] Bob. Of ants.", "[3] Cleo. Of fish.")
    assert len(starts(found)) == count


def test_labels_in_brackets_begin_entries() -> None:
    found = lines("[Ada99] Ada. Of lions.", "and more", "[Bob01] Bob. Of zebras.", "[Cle03] Cleo. Of birds.")
    assert starts(found) == ["[Ada99]", "[Bob01]", "[Cle03]"]
    assert len(starts(found[:3])) == 1
    assert len(starts([*lines("a first line"), *found])) == 1


def test_a_line_that_hangs_out_begins_an_entry() -> None:
    found = lines(ADA, "with more", BOB, "with more", CLEO, "with more", lefts=[0, 10, 0, 10, 0, 10])
    assert starts(found) == ["Ada,", "Bob,", "Cleo,"]


@pytest.mark.parametrize(("indent", "count"), [(3.5, 3), (3.4, 1)])
def test_what_hangs_out_by_a_third_of_a_letter_does(indent: float, count: int) -> None:
    found = lines(ADA, "with more", BOB, "with more", CLEO, "with more", lefts=[0, indent] * 3)
    assert len(starts(found)) == count


def test_columns_have_left_edges_of_their_own() -> None:
    left = lines(ADA, "with more", BOB, "with more", lefts=[0, 10, 0, 10])
    right = lines(CLEO, "with more", DAN, "with more", lefts=[300, 310, 300, 310])
    assert starts([*left, *right]) == ["Ada,", "Bob,", "Cleo,", "Dan,"]
    other_page = lines(CLEO, "with more", DAN, "with more", lefts=[20, 30, 20, 30], page=2)
    assert starts([*left, *other_page]) == ["Ada,", "Bob,", "Cleo,", "Dan,"]


@pytest.mark.parametrize(("gap", "count"), [(14.5, 3), (14.4, 1)])
def test_a_gap_begins_an_entry_where_nothing_hangs_out(gap: float, count: int) -> None:
    found = lines(ADA, "with more", BOB, "with more", CLEO, "with more", steps=[12, 12, gap, 12, gap, 12])
    assert len(starts(found)) == count


def test_behind_a_gap_an_entry_begins_with_a_capital() -> None:
    found = lines(ADA, "with more", BOB, "with more", CLEO, "with more", "and more", steps=[12, 12, 18, 12, 18, 12, 18])
    assert starts(found) == ["Ada,", "Bob,", "Cleo,"]


def test_a_column_that_ends_within_an_entry_goes_on_in_the_next() -> None:
    steps = [12, 12, 18, 12, -60, 18, 12]
    ended = lines(ADA, "with more", BOB, "told in 2001.", CLEO, DAN, "more", steps=steps)
    assert starts(ended) == ["Ada,", "Bob,", "Cleo,", "Dan,"]
    open_ended = lines(ADA, "with more", BOB, "told in 2001,", "Press of Ohio.", DAN, "more", steps=steps)
    assert starts(open_ended) == ["Ada,", "Bob,", "Dan,"]


def test_a_split_that_leaves_entries_without_a_year_is_none() -> None:
    texts = [ADA, "with more", "Bob, B. Of zebras.", "with more", "Cleo, C. Of birds.", "with more"]
    assert len(starts(lines(*texts, lefts=[0, 10] * 3))) == 1
    assert len(starts(lines(ADA, "more", BOB, "more", *texts[2:], lefts=[0, 10] * 4))) == 1
    assert len(starts(lines(ADA, "more", BOB, "more", CLEO, "more", *texts[2:], lefts=[0, 10] * 5))) == 5


def test_an_entry_that_is_too_short_or_too_long_is_left_out() -> None:
    found = lines("[1] Ada. " + "Of lions. " * 160, "[2] Bo.", "[3] Cleo. Of birds.")
    assert starts(found) == ["[3]"]
    assert split_references([], WordCounts({})) == ()


def test_an_entry_has_nine_characters_at_least() -> None:
    assert starts(lines("[1] Bo 99", "[2] Cy 9", "[3] Cleo. Of birds.")) == ["[1]", "[3]"]


def test_two_numbered_entries_are_a_list_where_the_first_begins_it() -> None:
    assert starts(lines("[1] Ada. Of lions, with", "[9] others.", "[2] Bob. Of zebras,", "told.")) == ["[1]", "[2]"]
    assert starts(lines("Ada. Of lions,", "1. the first", "of all,", "2. the second")) == ["Ada."]
