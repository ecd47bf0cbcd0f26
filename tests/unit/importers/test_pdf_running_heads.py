"""Running heads, page numbers, and lines drawn out of order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from litterm.importers.pdf.content_stream import Word
from litterm.importers.pdf.pages import PdfPage
from litterm.importers.pdf.running_heads import page_bodies

TEXT = "some running text of this page which goes on"


def words(text: str, y: float, *, x0: float = 50.0, wide: float = 200.0, size: float = 10.0) -> list[Word]:
    """One line of type, its words side by side."""
    pieces = text.split()
    each = wide / len(pieces)
    return [
        Word(piece, x0 + at * each, x0 + (at + 1) * each - 3, y, size, "Serif", False, False, 0)
        for at, piece in enumerate(pieces)
    ]


def page(number: int, *lines: Sequence[Word], body: int = 8) -> PdfPage:
    text = [words(f"{TEXT} {chr(97 + number)}{chr(97 + at)}", 600.0 - 12 * at) for at in range(body)]
    return PdfPage(number, 400.0, 800.0, tuple(word for line in [*lines, *text] for word in line))


def running(*pages: PdfPage) -> list[list[str]]:
    """The lines of each page that are set aside."""
    return [[line.text for line in page.running] for page in page_bodies(pages)]


@pytest.mark.parametrize(("y", "aside"), [(697.0, True), (695.0, False), (103.0, True), (105.0, False)])
def test_a_line_that_repeats_near_an_edge_is_set_aside(y: float, aside: bool) -> None:
    heads = [page(number, words("Zebras and lions", y)) for number in (1, 2)]
    assert running(*heads) == [["Zebras and lions"] if aside else []] * 2


def test_a_line_that_stands_once_stays() -> None:
    assert running(page(1, words("Of zebras", 730)), page(2, words("Of lions", 730))) == [[], []]


def test_a_running_head_may_hop_a_little() -> None:
    assert running(page(1, words("Of zebras", 727)), page(2, words("Of zebras", 729))) == [["Of zebras"]] * 2
    assert running(page(1, words("Of zebras", 720)), page(2, words("Of zebras", 740))) == [[], []]


@pytest.mark.parametrize(
    ("text", "aside"), [("17", True), ("– 17 –", True), ("page 3 of 12", True), ("xiv", True), ("17 zebras", False)]
)
def test_a_page_number_is_set_aside_though_it_stands_once(text: str, aside: bool) -> None:
    assert running(page(1, words(text, 40, wide=40))) == [[text] if aside else []]


def test_a_number_amid_the_text_is_none_of_the_page() -> None:
    assert running(page(1, words("17", 400, wide=40))) == [[]]


@pytest.mark.parametrize(("size", "aside"), [(12.0, True), (12.1, False)])
def test_the_title_of_the_first_page_stays_where_later_pages_repeat_it(size: float, aside: bool) -> None:
    pages = [page(1, words("Of zebras", 730, size=size)), page(2, words("Of zebras", 730))]
    assert running(*pages) == [["Of zebras"] if aside else [], ["Of zebras"]]


@pytest.mark.parametrize(
    ("text", "y", "size", "aside"),
    [
        ("Of zebras 117", 640, 10.0, True),
        ("Of zebras 117", 617, 10.0, False),
        ("Of zebras", 640, 10.0, False),
        ("Of zebras", 640, 9.1, True),
        ("Of zebras", 640, 9.3, False),
        ("Of zebras 117", 640, 10.4, False),
        ("Of zebras 117", 480, 10.0, True),
    ],
)
def test_a_line_apart_from_the_text_that_carries_a_number_is_set_aside(
    text: str, y: float, size: float, aside: bool
) -> None:
    assert running(page(1), page(2, words(text, y, size=size)))[1] == ([text] if aside else [])
    assert running(page(1, words(text, y, size=size)))[0] == []


def test_on_a_page_of_few_lines_none_stands_apart() -> None:
    assert running(page(1), page(2, words("Of zebras 117", 640), body=2))[1] == []
    assert running(page(1), page(2, words("Of zebras 117", 640), body=3))[1] == ["Of zebras 117"]


def across(rows: int) -> PdfPage:
    """Two columns drawn line by line across both."""
    lines = [
        words(f"{TEXT[:20]} {side}{chr(97 + at)}", 700.0 - 12 * at, x0=x0, wide=150)
        for at in range(rows)
        for side, x0 in (("left", 30.0), ("right", 220.0))
    ]
    return PdfPage(1, 400.0, 800.0, tuple(word for line in lines for word in line))


@pytest.mark.parametrize(("rows", "sorted_"), [(4, False), (5, True)])
def test_a_page_drawn_across_its_columns_is_put_in_order_from_nine_hops_on(rows: int, sorted_: bool) -> None:
    (page,) = page_bodies([across(rows)])
    sides = ["left" in line.text for line in page.lines]
    assert sides == ([True] * rows + [False] * rows if sorted_ else [True, False] * rows)
    if sorted_:
        assert [line.text[-1] for line in page.lines] == [chr(97 + at) for at in range(rows)] * 2
