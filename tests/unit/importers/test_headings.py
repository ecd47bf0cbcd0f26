"""What makes a line of a PDF a heading: each sign decides where the others leave it open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litterm.importers.pdf.blocks import PdfBlock
from litterm.importers.pdf.content_stream import Word
from litterm.importers.pdf.headings import Heading, find_heading, heading_levels, run_in_heading
from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.running_heads import Style, style_of

STYLE = Style(10.0, "Serif", 12.0)
ENDED = "This paragraph is long enough to tell whether its last sentence has ended."
BODY = "What stands below a heading is a paragraph in the size of the text."


def part(
    text: str,
    *,
    size: float = 10.0,
    bold: bool = False,
    font: str = "Serif",
    gap: float = 1.0,
    wide: float = 100.0,
    lines: int = 1,
) -> PdfBlock:
    words = tuple(Word(each, 0, 10, 0, size, font, bold, False, 0) for each in text.split())
    line = Line(text, 1, 0.0, wide, 0.0, size, font, bold, False, words)
    return PdfBlock((line,) * lines, "left", gap, False, width=100.0 if wide > 100 else 300.0)


def is_heading(
    text: str = "Zebras and Lions", *, previous: str = "", below: str = "", below_size: float = 10.0, **looks: object
) -> bool:
    before = part(previous) if previous else None
    after = part(below, size=below_size) if below else None
    return find_heading(part(text, **looks), before, after, STYLE) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("just", "not_quite"),
    [
        # Size of the letters.
        ({"size": 10.7, "gap": 1.5}, {"size": 10.6, "gap": 1.5}),
        ({"bold": True, "size": 9.2, "gap": 1.5}, {"bold": True, "size": 9.1, "gap": 1.5}),
        # Space above.
        ({"size": 12, "gap": 1.31}, {"size": 12, "gap": 1.3}),
        ({"font": "Sans", "gap": 1.8, "previous": ENDED}, {"font": "Sans", "gap": 1.79, "previous": ENDED}),
        ({"text": "3 Zebras", "bold": True, "gap": 0.8}, {"text": "3 Zebras", "bold": True, "gap": 0.79}),
        # Face.
        ({"bold": True, "gap": 1.5}, {"gap": 1.5}),
        ({"font": "Sans", "gap": 1.5, "below": BODY}, {"font": "Serif", "gap": 1.5, "below": BODY}),
        ({"text": "ZEBRAS AND LIONS", "gap": 2.0, "below": BODY}, {"gap": 2.0, "below": BODY}),
        ({"text": "LION", "gap": 2.0, "below": BODY}, {"text": "LIO", "gap": 2.0, "below": BODY}),
        # Number: a figure says more than a letter.
        ({"text": "3 Zebras and Lions", "gap": 1.5}, {"text": "Zebras and Lions 3", "gap": 1.5}),
        ({"text": "3 Zebras and Lions", "gap": 1.5}, {"text": "A Zebras and Lions", "gap": 1.5}),
        # What stands before and below.
        ({"size": 12, "previous": ENDED, "below": BODY}, {"size": 12, "previous": ENDED[:-1], "below": BODY}),
        ({"size": 12, "previous": ENDED, "below": BODY}, {"size": 12, "previous": ENDED[-58:], "below": BODY}),
        ({"size": 12, "gap": 1.0, "previous": ENDED, "below": BODY}, {"size": 12, "gap": 1.0, "previous": ENDED}),
        (
            {"size": 12, "previous": ENDED, "below": BODY, "below_size": 10.6},
            {"size": 12, "previous": ENDED, "below": BODY, "below_size": 10.7},
        ),
        ({"size": 12, "previous": ENDED, "below": BODY[:41]}, {"size": 12, "previous": ENDED, "below": BODY[:40]}),
        # Words: how a section is usually named, and how no heading ends or begins.
        ({"text": "Acknowledgements", "gap": 1.5}, {"text": "Astonishments", "gap": 1.5}),
        ({"size": 12, "gap": 1.5}, {"text": "Zebras and Lions of the", "size": 12, "gap": 1.5}),
        ({"size": 12, "gap": 1.5}, {"text": "Zebras (and Lions", "size": 12, "gap": 1.5}),
        ({"size": 12, "gap": 1.5}, {"text": "Zebras met lions.", "size": 12, "gap": 1.5}),
        (
            {"text": "3 Zebras met lions.", "size": 12, "gap": 1.5},
            {"text": "Zebras met lions.", "size": 12, "gap": 1.5},
        ),
        ({"size": 12, "gap": 1.5}, {"text": "zebras and lions", "size": 11.4, "gap": 1.5}),
        ({"text": "Zebras 123", "size": 12, "gap": 1.5}, {"text": "Zebras 1234", "size": 12, "gap": 1.5}),
        ({"text": "A" * 170, "size": 12, "gap": 1.5}, {"text": "A" * 171, "size": 12, "gap": 1.5}),
        (
            {"text": "Zebra " * 14, "size": 12, "gap": 1.5},
            {"text": "Zebra " * 15, "size": 12, "gap": 1.5},
        ),
        ({"size": 12, "gap": 1.5, "lines": 4}, {"size": 12, "gap": 1.5, "lines": 5}),
        ({"size": 12, "gap": 1.5, "wide": 97.0}, {"size": 12, "gap": 1.5, "wide": 295.0}),
    ],
)
def test_one_sign_more_makes_a_heading(just: dict[str, object], not_quite: dict[str, object]) -> None:
    assert is_heading(**just)  # type: ignore[arg-type]
    assert not is_heading(**not_quite)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["https://a.example", "me@uni.example", "p = 0.05 in Zebras", "Vol. 3 of Zebras", "12"]
)
def test_an_address_or_a_formula_is_none_however_large(text: str) -> None:
    assert not is_heading(text, size=20, bold=True, gap=3.0)


def numbered(*numbers: str) -> list[Heading]:
    return [Heading(number, "Zebras", (12.0, True, False, True)) for number in numbers]


def test_levels_follow_the_depth_of_numbers_and_end_at_five() -> None:
    assert heading_levels(numbered("1", "1.1", "1.1.1", "1.1.1.1", "1.1.1.1.1", "1.1.1.1.1.1")) == [1, 2, 3, 4, 5, 5]
    assert heading_levels(numbered("2.1", "2.2")) == [1, 1]
    assert heading_levels(numbered("1", "1.1.1")) == [1, 2]


def test_levels_without_numbers_follow_the_look() -> None:
    large, small = (14.0, True, False, True), (11.0, True, False, True)
    loose = [Heading("", title, look) for title, look in (("Zebras", large), ("Lions", small), ("Hyenas", large))]
    assert heading_levels(loose) == [1, 2, 1]
    assert heading_levels([*numbered("1"), Heading("", "Lions", small)]) == [1, 2]
    assert heading_levels([*numbered("1"), Heading("", "Lions", (12.0, True, False, True))]) == [1, 1]
    assert heading_levels([*numbered("1", "1.1"), Heading("", "References", small)]) == [1, 2, 1]


def line(text: str, y: float, *, size: float = 10.0, font: str = "Serif", x0: float = 0.0) -> Line:
    return Line(text, 1, x0, 200.0, y, size, font, False, False)


def test_the_style_of_a_text_is_that_of_its_long_lines() -> None:
    long = "a line of running text of some length"
    text = [line(long, 700 - 14 * n) for n in range(6)]
    table = [line("12.5", 500 - 20 * n, size=8.0, font="Sans") for n in range(30)]
    assert style_of([*text, *table]) == Style(10.0, "Serif", 14.0)


@pytest.mark.parametrize(("step", "pitch"), [(8.0, 12.0), (8.5, 8.5), (24.5, 24.5), (25.0, 12.0)])
def test_lines_too_near_or_too_far_say_nothing_of_the_pitch(step: float, pitch: float) -> None:
    long = "a line of running text of some length"
    assert style_of([line(long, 700 - step * n) for n in range(6)]).pitch == pitch


def test_lines_of_other_columns_or_pages_say_nothing_of_the_pitch() -> None:
    long = "a line of running text of some length"
    columns = [line(long, 700 - 14 * n, x0=300.0 * (n % 2)) for n in range(6)]
    assert style_of(columns).pitch == 12.0
    pages = [replace(line(long, 700 - 14 * n), page=n) for n in range(6)]
    assert style_of(pages).pitch == 12.0


def test_a_size_that_is_near_by_is_another() -> None:
    long = "a line of running text of some length"
    text = [line(long, 700 - 12 * n) for n in range(3)]
    other = [line(long[:30], 600 - 12 * n, size=10.5, font="Caption") for n in range(3)]
    assert style_of([*text, *other]).font == "Serif"
    assert style_of([*text, *(line("short", 500, size=11.0, font="Caption") for _ in range(80))]).font == "Serif"


def test_what_stands_behind_the_references_does_not_count() -> None:
    long = "a line of running text of some length"
    text = [line(long, 700 - 12 * n) for n in range(5)]
    listed = [line(long, 500 - 9 * n, size=8.0, font="Small") for n in range(9)]
    assert style_of([*text, line("References", 520), *listed]) == Style(10.0, "Serif", 12.0)


@pytest.mark.parametrize(("apart", "pitch"), [(39.0, 14.0), (41.0, 12.0)])
def test_lines_far_from_each_other_across_the_page_say_nothing_of_the_pitch(apart: float, pitch: float) -> None:
    long = "a line of running text of some length"
    assert style_of([line(long, 700 - 14 * n, x0=apart * (n % 2)) for n in range(6)]).pitch == pitch


def paragraph(*words: tuple[str, str], size: float = 10.0, lines: int = 2) -> PdfBlock:
    """A paragraph whose first line has words each in a font of its own; `Bold` is bold."""
    first = tuple(
        Word(text, 20.0 * at, 20.0 * at + 18, 0, size, font, font == "Bold", False, 0)
        for at, (text, font) in enumerate(words)
    )
    head = Line(" ".join(text for text, _ in words), 1, 0.0, 200.0, 0.0, size, "Serif", False, False, first)
    rest = Line("and so on to its end.", 1, 0.0, 200.0, -12.0, size, "Serif", False, False)
    return PdfBlock((head, *(rest,) * (lines - 1)), "left", 1.0, False, width=200.0)


def run_in_title(*words: tuple[str, str], **looks: object) -> tuple[str, str, str] | None:
    """Number, title and what remains of the line."""
    found = run_in_heading(paragraph(*words, **looks), STYLE)  # type: ignore[arg-type]
    return None if found is None else (found[0].number, found[0].title, found[1][0].text)


TOLD = (("Lions", "Serif"), ("rest.", "Serif"))


def test_a_heading_in_bold_at_the_head_of_its_paragraph() -> None:
    assert run_in_title(("Data.", "Bold"), *TOLD) == ("", "Data", "Lions rest.")
    assert run_in_title(("3.1", "Bold"), ("Zebras", "Bold"), *TOLD) == ("3.1", "Zebras", "Lions rest.")
    assert run_in_title(("Zebras", "Sans"), *TOLD) is None
    assert run_in_title(("Zebras", "Serif"), *TOLD) is None
    assert run_in_title(("Zebras.", "Bold")) is None


def test_a_number_in_the_face_of_the_text_stands_before_a_heading_in_its_own() -> None:
    assert run_in_title(("3.1", "Serif"), ("Zebras.", "Sans"), *TOLD) == ("3.1", "Zebras", "Lions rest.")
    assert run_in_title(("In", "Serif"), ("Zebras.", "Sans"), *TOLD) is None
    assert run_in_title(("3.1", "Serif"), ("Zebras.", "Sans")) is None


@pytest.mark.parametrize(("looks", "found"), [({"size": 10.6}, True), ({"size": 10.7}, False), ({"lines": 1}, False)])
def test_a_run_in_heading_stands_in_the_type_of_the_text(looks: dict[str, object], found: bool) -> None:
    assert (run_in_title(("Data.", "Bold"), *TOLD, **looks) is not None) is found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([("Zebras", "Bold")] * 14, True),
        ([("Zebras", "Bold")] * 15, False),
        ([("zebras.", "Bold")], False),
        ([("References.", "Bold")], False),
    ],
)
def test_not_all_that_is_bold_is_a_heading(words: list[tuple[str, str]], found: bool) -> None:
    assert (run_in_title(*words, *TOLD) is not None) is found
    assert run_in_title(("Zebras", "Bold"), ("lions", "Serif"), ("rest.", "Serif")) is None
    assert run_in_title(("Zebras", "Bold"), ("“lions”", "Serif"), ("rest.", "Serif")) is not None


def test_a_run_in_heading_stands_one_level_below_the_heading_before_it() -> None:
    look = (10.0, True, False, True)
    inner = Heading("", "Zebras", look, run_in=True)
    assert heading_levels([inner, inner]) == [1, 1]
    assert heading_levels([inner, *numbered("1")]) == [1, 1]
    assert heading_levels([*numbered("1"), inner, inner]) == [1, 2, 2]
    assert heading_levels([*numbered("1", "1.1"), inner]) == [1, 2, 3]


def test_what_stands_below_a_heading_is_judged_by_its_first_line() -> None:
    below = part(BODY)
    other = replace(below, lines=(*below.lines, replace(below.lines[0], size=14.0)))
    title = part("Zebras and Lions", size=12.0)
    assert find_heading(title, part(ENDED), below, STYLE) is not None
    assert find_heading(title, part(ENDED), other, STYLE) is not None
    turned = replace(other, lines=other.lines[::-1])
    assert find_heading(title, part(ENDED), turned, STYLE) is None
