"""Which pieces of a page are the cells of a table, which the lettering of a picture, and which text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from litterm.importers.pdf.blocks import PdfBlock
from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.running_heads import Style
from litterm.importers.pdf.tables import with_tables

STYLE = Style(10.0, "Serif", 12.0)
WIDTH = 200.0


def piece(text: str, y: float, *, x0: float = 0.0, wide: float = 40.0, size: float = 10.0, bold: bool = False) -> Line:
    return Line(text, 1, x0, x0 + wide, y, size, "Serif", bold, False)


def block(*lines: Line, gap: float = 1.0, label: str = "", indented: bool = False) -> PdfBlock:
    return PdfBlock(lines, "left", gap, indented, label=label, width=WIDTH)


def row(y: float, *cells: str, size: float = 9.0) -> PdfBlock:
    return block(*(piece(cell, y, x0=60.0 * at, size=size) for at, cell in enumerate(cells)))


def caption(text: str = "Table 1: Counts.", y: float = 500.0) -> PdfBlock:
    return block(piece(text, y, wide=WIDTH), label="Table 1")


def cells(*parts: PdfBlock) -> Sequence[tuple[str, ...]]:
    """The cells of the one table of a page; none if there is no table."""
    return next((part.rows for part in with_tables(parts, STYLE) if part.rows), ())


PARAGRAPH = block(*(piece("A line of running text of some length", 300.0 - 12 * n, wide=WIDTH) for n in range(4)))
FIRST, SECOND = row(480, "a", "1"), row(468, "b", "2")


CORNERS = (("a", 480.0, 0.0), ("1", 480.0, 60.0), ("b", 468.0, 0.0), ("2", 468.0, 60.0))


def test_a_table_stands_behind_its_caption_cell_by_cell() -> None:
    assert cells(caption(), FIRST, SECOND, PARAGRAPH) == (("a", "1"), ("b", "2"))
    kept = with_tables([caption(), FIRST, SECOND, PARAGRAPH], STYLE)
    assert [bool(part.rows) for part in kept] == [False, True, False]
    assert kept[1].label == "Table 1"


def test_a_table_may_stand_above_its_caption() -> None:
    assert cells(FIRST, SECOND, caption(y=450.0), PARAGRAPH) == (("a", "1"), ("b", "2"))
    assert cells(PARAGRAPH, FIRST, SECOND, caption(y=450.0)) == (("a", "1"), ("b", "2"))


def test_where_both_sides_look_like_cells_those_behind_the_caption_are_taken() -> None:
    above = (row(530, "x", "8"), row(520, "y", "9"))
    assert cells(*above, caption(), FIRST, SECOND) == (("a", "1"), ("b", "2"))


def test_one_piece_of_more_than_three_lines_is_a_table_and_one_of_three_is_none() -> None:
    pieces = [piece(text, y, x0=x, size=9.0) for text, y, x in CORNERS]
    four, three = block(*pieces), block(*pieces[:3])
    assert cells(caption(), four, PARAGRAPH) == (("a", "1"), ("b", "2"))
    assert cells(PARAGRAPH, four, caption(y=450.0)) == (("a", "1"), ("b", "2"))
    assert cells(caption(), three, PARAGRAPH) == ()


def test_one_row_of_cells_is_no_table() -> None:
    assert cells(caption(), row(480, "a", "1"), row(468, "b"), row(456, "c")) == ()


def test_cells_a_little_apart_stand_in_one_row() -> None:
    near = block(piece("1", 476.1, x0=60, size=9.0), piece("a", 480, size=9.0))
    far = block(piece("1", 475.9, x0=60, size=9.0), piece("a", 480, size=9.0))
    assert cells(caption(), near, SECOND) == (("a", "1"), ("b", "2"))
    assert cells(caption(), far, SECOND, row(456, "c", "3")) == (("a",), ("1",), ("b", "2"), ("c", "3"))


def lone(text: str = "z", *, gap: float = 1.0, indented: bool = False, **looks: float) -> PdfBlock:
    return block(piece(text, 456, **looks), gap=gap, indented=indented)  # type: ignore[arg-type]


def pair(*, wide: float, size: float = 10.0, bold: bool = False, gap: float = 1.0) -> PdfBlock:
    return block(*(piece(text, y, size=size, wide=wide, bold=bold) for text, y in (("z", 456), ("y", 444))), gap=gap)


def stack(*heights: float) -> PdfBlock:
    return block(*(piece("z", y, wide=150) for y in heights))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        # Small type: any that does not fill the column.
        (pair(size=9.3, wide=179), pair(size=9.3, wide=180)),
        (lone(size=9.3, wide=190), lone(size=9.5, wide=190)),
        # Type of the text's size: short.
        (lone(wide=119), lone(wide=120)),
        (lone(size=10.6, wide=80), lone(size=10.7, wide=80)),
        # A short line alone, bold and below a gap is a heading.
        (lone(gap=1.5), lone(bold=True, gap=1.5)),
        (lone(bold=True, gap=1.4), lone(bold=True, gap=1.41)),
        (lone(bold=True, gap=1.5, indented=True), lone(bold=True, gap=1.5)),
        (pair(bold=True, gap=1.5, wide=40), lone(bold=True, gap=1.5)),
        # Several on one height, at least one in four.
        (stack(456, 456, 444, 432), stack(456, 456, 444, 432, 420)),
    ],
)
def test_one_sign_more_makes_a_cell(cell: PdfBlock, text: PdfBlock) -> None:
    def last(part: PdfBlock) -> str:
        return cells(caption(), FIRST, SECOND, part)[-1][0]

    assert last(cell) != "b"
    assert last(text) == "b"


SEVEN = "one two three four five six seven"


@pytest.mark.parametrize(
    ("lettering", "text"),
    [
        # Small and few words.
        (lone("Lions", size=9.4), lone("Lions", size=9.5)),
        (lone(SEVEN, size=8, wide=190), lone(f"{SEVEN} eight", size=8, wide=190)),
        # Narrow.
        (lone(f"{SEVEN} eight", size=8, wide=69), lone(f"{SEVEN} eight", size=8, wide=70)),
        # Figures.
        (
            lone("aaaaaaaa bbbbbbbb 11 22 33 44 55 66", size=8, wide=190),
            lone("aaaaaaaaaa bbbbbbbbbb 11 22 33 44 55 66", size=8, wide=190),
        ),
        # What a section is called.
        (lone("Zebras", size=8), lone("Abstract", size=8)),
        (pair(size=8, wide=40), lone("Methods and materials", size=8)),
    ],
)
def test_lettering_is_left_out_and_text_is_not(lettering: PdfBlock, text: PdfBlock) -> None:
    assert with_tables([PARAGRAPH, lettering], STYLE) == [PARAGRAPH]
    assert with_tables([PARAGRAPH, text], STYLE) == [PARAGRAPH, text]
