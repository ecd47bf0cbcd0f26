"""Which PDFs have a text to read, and which small print is none of an abstract."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from litterm.core.errors import BadInput
from litterm.importers.pdf.blocks import PdfBlock
from litterm.importers.pdf.content_stream import Word
from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.pages import PdfPage, PdfPages, _box
from litterm.importers.pdf.reader import _MIN_LETTERS, _MIN_LETTERS_PER_PAGE, _check_readable
from litterm.importers.pdf.title_page import _is_small_print


def pages(*texts: str, glyphs: int = 100, unreadable: int = 0) -> PdfPages:
    made = [
        PdfPage(number, 400.0, 800.0, (Word(text, 0, 10, 0, 10, "Serif", False, False, 0),))
        for number, text in enumerate(texts, 1)
    ]
    return PdfPages(tuple(made), glyphs=glyphs, unreadable=unreadable)


def test_a_pdf_needs_some_letters() -> None:
    _check_readable(pages("x" * _MIN_LETTERS))
    with pytest.raises(BadInput, match="holds no text on its 1 page, only images"):
        _check_readable(pages("x" * (_MIN_LETTERS - 1)))


def test_a_long_pdf_needs_some_letters_a_page() -> None:
    count = _MIN_LETTERS // _MIN_LETTERS_PER_PAGE + 10
    needed = count * _MIN_LETTERS_PER_PAGE
    _check_readable(pages("x" * needed, *[""] * (count - 1)))
    with pytest.raises(BadInput, match=f"holds no text on its {count} pages"):
        _check_readable(pages("x" * (needed - 1), *[""] * (count - 1)))


@pytest.mark.parametrize(("unreadable", "fine"), [(50, True), (51, False)])
def test_half_of_the_glyphs_may_be_unreadable(unreadable: int, fine: bool) -> None:
    drawn = pages("x" * 5000, unreadable=unreadable)
    if fine:
        _check_readable(drawn)
    else:
        with pytest.raises(BadInput, match="do not say which characters"):
            _check_readable(drawn)


def test_a_third_of_what_is_shown_are_letters() -> None:
    _check_readable(pages("x" * 3500 + "%" * 6500))
    with pytest.raises(BadInput, match="not readable text"):
        _check_readable(pages("x" * 3499 + "%" * 6501))


@pytest.mark.parametrize(
    ("width", "height", "found"),
    [(400, 800, (1.0, 2.0, 400.0, 800.0)), (0.5, 800, (0.0, 0.0, 612.0, 792.0)), (400, 1, (0.0, 0.0, 612.0, 792.0))],
)
def test_a_page_without_an_extent_is_of_the_usual_size(
    width: float, height: float, found: tuple[float, float, float, float]
) -> None:
    box = SimpleNamespace(left=1, bottom=2, width=width, height=height)
    assert _box(SimpleNamespace(cropbox=box)) == found  # type: ignore[arg-type]


def block(size: float) -> PdfBlock:
    return PdfBlock((Line("Zebras.", 1, 0.0, 100.0, 0.0, size, "Serif", False, False),), "left", 1.0, False)


@pytest.mark.parametrize(("size", "aside"), [(9.5, False), (9.3, True), (10.5, False), (10.7, True)])
def test_print_of_another_size_is_none_of_the_abstract(size: float, aside: bool) -> None:
    assert _is_small_print([block(10.0)], block(size)) is aside
    assert not _is_small_print([], block(size))
