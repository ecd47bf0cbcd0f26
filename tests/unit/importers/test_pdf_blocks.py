"""Which lines of a page belong together: gaps, indents, columns and faces each decide where others leave it open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from litterm.importers.pdf.blocks import page_columns, page_parts
from litterm.importers.pdf.content_stream import Word
from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.running_heads import PageBody, Style

STYLE = Style(10.0, "Serif", 12.0)
LONG = "running text that goes on and on to the edge"
WIDE = 200.0


def line(
    text: str,
    y: float,
    *,
    x0: float = 50.0,
    x1: float = 50.0 + WIDE,
    size: float = 10.0,
    font: str = "Serif",
    bold: bool = False,
) -> Line:
    words = tuple(Word(each, x0, x1, y, size, font, bold, False, 0) for each in text.split())
    return Line(text, 1, x0, x1, y, size, font, bold, False, words)


def lines(*texts: str, top: float = 700.0, step: float = 12.0, **looks: object) -> list[Line]:
    return [line(text, top - step * at, **looks) for at, text in enumerate(texts)]  # type: ignore[arg-type]


FILL = lines(*[f"some {LONG},"] * 6, top=300)
"""A paragraph that tells where the column stands."""


def cut(*given: Line) -> list[list[str]]:
    """The texts of the parts that `given` falls into, above a paragraph."""
    parts = page_parts(PageBody(300.0, 800.0, (*given, *FILL)), STYLE)
    return [[each.text for each in part.lines] for part in parts][:-1]


def joined(*given: Line) -> bool:
    return len(cut(*given)) == 1


@pytest.mark.parametrize(("step", "one"), [(17.4, True), (17.5, False), (-12.0, False)])
def test_a_gap_ends_a_paragraph(step: float, one: bool) -> None:
    assert joined(line(f"a {LONG}", 700), line(f"b {LONG}", 700 - step)) is one


@pytest.mark.parametrize(("step", "one"), [(14.5, True), (26.0, True), (27.0, False)])
def test_a_paragraph_set_wide_is_measured_by_its_own_lines(step: float, one: bool) -> None:
    wide = [line(f"a {LONG}", 700), line(f"b {LONG}", 683), line(f"c {LONG}", 665)]
    assert joined(*wide[:2])
    assert joined(*wide, line(f"d {LONG}", 665 - step)) is one


@pytest.mark.parametrize(("step", "one"), [(17.4, True), (17.6, False)])
def test_two_pieces_on_one_height_tell_no_pitch(step: float, one: bool) -> None:
    pieces = [line(f"a {LONG}", 700, x1=140), line(f"b {LONG}", 696, x0=50, x1=240)]
    assert joined(*pieces, line(f"c {LONG}", 696 - step)) is one


@pytest.mark.parametrize(
    ("indent", "one"), [(0.0, True), (5.9, True), (6.1, False), (59.0, False), (61.0, True), (-8.0, True)]
)
def test_an_indent_begins_a_paragraph(indent: float, one: bool) -> None:
    assert joined(line(f"a {LONG}", 700), line(f"b {LONG}", 688, x0=50 + indent)) is one


@pytest.mark.parametrize(("x0", "one"), [(53.9, False), (54.1, True)])
def test_an_indent_counts_below_a_line_at_the_edge_only(x0: float, one: bool) -> None:
    assert joined(line(f"a {LONG}", 700, x0=x0), line(f"b {LONG}", 688, x0=70)) is one


@pytest.mark.parametrize(
    ("first", "x1", "second", "one"),
    [
        ("It ended.", 225.0, "Then more", False),
        ("It ended.", 227.0, "Then more", True),
        ("It ended", 225.0, "Then more", True),
        ("It ended.", 225.0, "then more", True),
    ],
)
def test_a_short_last_line_ends_a_paragraph(first: str, x1: float, second: str, one: bool) -> None:
    assert joined(line(first, 700, x1=x1), line(f"{second} {LONG}", 688)) is one


def test_in_a_text_without_a_right_edge_a_short_line_ends_nothing() -> None:
    ragged = [line(f"{LONG}, {LONG}", 500 - 12 * at, x1=180.0 + 17 * (at % 5)) for at in range(20)]
    given = [line("It ended.", 700, x1=200), line(f"Then more {LONG}", 688, x1=230)]
    parts = list(page_parts(PageBody(300.0, 800.0, (*given, *ragged)), STYLE))
    assert len(parts[0].lines) == 2


@pytest.mark.parametrize(
    ("text", "x0", "one"),
    [("• an item", 50.0, False), ("an item", 50.0, True), ("(a) an item", 50.0, False), ("• an item", 47.0, True)],
)
def test_an_item_of_a_list_begins_a_part(text: str, x0: float, one: bool) -> None:
    assert joined(line(f"{LONG}.", 700), line(f"{text} {LONG}", 688, x0=x0)) is one
    assert joined(line(f"{LONG},", 700), line(f"{text} {LONG}", 688, x0=x0))


@pytest.mark.parametrize(("size", "one"), [(10.6, True), (10.7, False), (9.3, False)])
def test_another_size_begins_a_part(size: float, one: bool) -> None:
    assert joined(line(f"a {LONG}", 700), line(f"b {LONG}", 688, size=size)) is one


def test_another_face_begins_a_part_where_the_line_is_short() -> None:
    assert not joined(line("Methods", 700, bold=True, x1=100), line(f"b {LONG}", 688))
    assert not joined(line("Methods", 700, font="Sans", x1=100), line(f"b {LONG}", 688))
    assert joined(line(f"Methods {LONG}", 700, font="Sans"), line(f"b {LONG}", 688))
    assert not joined(line(f"Methods {LONG}", 700, font="Sans"), line(f"Below {LONG}", 688))
    assert joined(line(f"Methods {LONG},", 700, font="Sans"), line(f"Below {LONG}", 688))
    assert joined(line("Methods.", 700, font="Sans", x1=100), line(f"b {LONG}", 688))


def test_capitals_in_another_face_stand_alone() -> None:
    assert not joined(*lines("RESULTS", f"of {LONG}", font="Sans"))
    assert joined(*lines("DNA,", f"of {LONG}", font="Sans"))
    assert joined(*lines("RESULTS,", f"of {LONG}"))


def two_columns() -> list[Line]:
    left = lines(*[f"some {LONG},"] * 6, top=700, x0=50, x1=140)
    return [*left, *lines(*[f"some {LONG},"] * 6, top=700, x0=160, x1=250)]


def gaps(given: Sequence[Line]) -> list[float]:
    return [part.gap for part in page_parts(PageBody(300.0, 800.0, tuple(given)), STYLE)]


def test_columns_are_told_by_the_gap_between_their_lines() -> None:
    columns = page_columns(PageBody(300.0, 800.0, tuple(two_columns())))
    assert columns.gutter is not None and 138 < columns.gutter < 162
    assert columns.edges == {"left": (50.0, 140.0), "right": (160.0, 250.0)}
    assert page_columns(PageBody(300.0, 800.0, tuple(FILL))).gutter is None
    four = [each for each in two_columns() if each.y > 650]
    assert len(four) == 10
    assert page_columns(PageBody(300.0, 800.0, tuple(four))).gutter is not None
    assert page_columns(PageBody(300.0, 800.0, tuple(four[:9]))).gutter is None


@pytest.mark.parametrize(("crossing", "told"), [(15, True), (16, False)])
def test_a_page_most_of_whose_lines_cross_has_one_column(crossing: int, told: bool) -> None:
    full = lines(*[f"full {LONG},"] * crossing, top=600, x0=50, x1=250)
    given = [*(each for each in two_columns() if each.y > 650), *full]
    assert (page_columns(PageBody(300.0, 800.0, tuple(given))).gutter is not None) is told


def test_the_gap_above_a_part_is_told_in_lines_and_is_large_at_the_head_of_a_column() -> None:
    given = [line(f"a {LONG}", 700), line(f"b {LONG}", 676), line(f"c {LONG}", 646), line(f"d {LONG}", 690)]
    assert gaps([*given, *FILL])[:4] == [9.0, 2.0, 2.5, 9.0]


def test_a_part_knows_its_column() -> None:
    first, second = page_parts(PageBody(300.0, 800.0, tuple(two_columns())), STYLE)
    assert (first.side, second.side) == ("left", "right")
    assert first.width == 90.0
    (indented, _) = page_parts(PageBody(300.0, 800.0, (line(f"a {LONG}", 700, x0=56.1), *FILL)), STYLE)
    assert indented.indented
    (flush, _) = page_parts(PageBody(300.0, 800.0, (line(f"a {LONG}", 700, x0=55.9), *FILL)), STYLE)
    assert not flush.indented


@pytest.mark.parametrize(
    ("text", "looks", "label"),
    [
        ("Figure 2: Zebras.", {}, "Figure 2"),
        ("Table 3. Lions and", {}, "Table 3"),
        ("Figure 2 Zebras", {"bold": True}, "Figure 2"),
        ("Figure 2 Zebras", {}, ""),
        ("Figure 2 shows zebras", {"bold": True}, ""),
        ("Figure 2 Zebras", {"size": 9.5}, "Figure 2"),
        ("Figure 2 Zebras", {"size": 9.7}, ""),
        ("Figures of zebras", {"bold": True}, ""),
    ],
)
def test_a_caption_is_told_from_a_sentence_about_it(text: str, looks: dict[str, object], label: str) -> None:
    given = [line(f"{LONG},", 700), line(text, 688, **looks), *FILL]  # type: ignore[arg-type]
    parts = list(page_parts(PageBody(300.0, 800.0, tuple(given)), STYLE))
    assert [part.label for part in parts if part.label] == ([label] if label else [])
