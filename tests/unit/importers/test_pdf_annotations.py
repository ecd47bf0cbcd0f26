"""Highlights and notes in PDFs: the words they cover, and all that a damaged or hostile file can do."""

from __future__ import annotations

from pypdf.generic import ByteStringObject

from litterm.importers.pdf.annotations import MAX_COMMENT_CHARS, colour_name
from litterm.importers.pdf.marked_words import MAX_ANNOTATIONS
from litterm.importers.pdf.reader import read_pdf
from litterm.model.paper import FileAnnotation
from tests.annotated_pdfs import Entry, annotated, highlight, quad
from tests.pdfs import LEFT, RIGHT, Text, column, make_pdf, paper

FIRST = quad(LEFT, 538, 290, 549)
"""The first line of the introduction, at the baseline 540."""
SECOND = quad(LEFT, 526, 290, 537)
THIRD = quad(LEFT, 514, 290, 525)


def read(*entries: Entry, **options: int) -> tuple[FileAnnotation, ...]:
    return read_pdf(annotated(paper(), *entries, **options)).annotations


def test_a_highlight_has_its_words_page_colour_comment_author_and_day() -> None:
    (read_back,) = read(highlight(FIRST, comment="Why slow?", T="Ada", M="D:20260314101500+01'00'"))
    assert read_back == FileAnnotation(
        "highlight",
        "1",
        "Parsers of natural language have been studied for a",
        "Why slow?",
        "yellow",
        "Ada",
        "2026-03-14",
    )


def test_lines_are_joined_and_words_divided_by_them_too() -> None:
    (read_back,) = read(highlight(FIRST, SECOND, THIRD))
    assert read_back.quote == (
        "Parsers of natural language have been studied for a very long time, and most of them are slow on long input. "
        "Evaluation of parsers needs a treebank that was"
    )


def test_only_the_words_under_it_in_the_column_it_is_in() -> None:
    start, end = quad(100, 538, 190, 549), quad(RIGHT, 598, 390, 609)
    (left, right) = (one.quote for one in read(highlight(start), highlight(end)))
    assert left == "of natural language" and right == "The measure itself"


def test_a_highlight_from_one_column_to_the_next_is_in_reading_order() -> None:
    (read_back,) = read(highlight(quad(RIGHT, 598, 540, 609), quad(LEFT, 478, 290, 489)))
    assert read_back.quote.startswith("and that the choice is stable") and read_back.quote.endswith("state-of-")


def test_without_quads_the_rectangle_counts() -> None:
    entry = {"Subtype": "/Underline", "Rect": [LEFT, 538, 290, 549]}
    (read_back,) = read(entry)
    assert (read_back.kind, read_back.quote[:7]) == ("underline", "Parsers")
    assert (
        read({"Subtype": "/Squiggly", "Rect": [LEFT, 538, 290, 549], "QuadPoints": [1, 2]})[0].quote == read_back.quote
    )


def test_a_page_shown_turned_and_one_that_is_written_turned() -> None:
    assert read(highlight(FIRST), rotate=90)[0].quote.startswith("Parsers of natural")
    # Written upwards: the baseline of the line runs at x = 100 from y = 72 on.
    words = [
        f"This line of the turned page is the {'abcdefghi'[number]}-th and long enough to be read."
        for number in range(9)
    ]
    stream = "\n".join(
        f"BT /F0 10 Tf 0 1 -1 0 {100 + 14 * number} 72 Tm ({line}) Tj ET" for number, line in enumerate(words)
    )
    pdf = annotated(make_pdf([stream.encode()]), highlight(quad(91, 72, 102, 500)))
    assert read_pdf(pdf).annotations[0].quote == words[0]


def test_notes_text_boxes_and_drawings_with_words() -> None:
    entries = (
        {"Subtype": "/Text", "Contents": "Ask Bob", "Rect": [1, 1, 9, 9]},
        {"Subtype": "/FreeText", "Contents": "Compare\rwith 2019", "page": 2},
        {"Subtype": "/Ink", "Contents": "an arrow"},
        {"Subtype": "/Ink"},
        {"Subtype": "/Link", "Contents": "http://example.org"},
        {"Subtype": "/Popup", "Contents": "twice"},
        {"Subtype": "/Text", "Contents": "secret", "F": 2},
    )
    assert [(one.kind, one.page, one.comment) for one in read(*entries)] == [
        ("note", "1", "Ask Bob"),
        ("drawing", "1", "an arrow"),
        ("text", "2", "Compare\nwith 2019"),
    ]


def test_replies_follow_what_they_reply_to() -> None:
    entries = (
        highlight(FIRST, comment="Why?", T="Ada"),
        {"Subtype": "/Text", "IRT": 0, "Contents": "See page 9", "T": "Bob"},
        {"Subtype": "/Text", "IRT": 1, "Contents": "Thanks"},
        {"Subtype": "/Text", "IRT": 0, "Contents": "Accepted set by Bob", "StateModel": "Review", "State": "Accepted"},
    )
    (read_back,) = read(*entries)
    assert read_back.comment == "Why?\nBob: See page 9\nThanks"


def test_threads_in_a_circle_end() -> None:
    comments = [
        one.comment for one in read(*({"Subtype": "/Text", "IRT": (n + 1) % 3, "Contents": f"{n}"} for n in range(3)))
    ]
    assert sorted(comments) == ["0", "1", "2"]
    assert [one.comment for one in read({"Subtype": "/Text", "IRT": 0, "Contents": "to itself"})] == ["to itself"]


def test_texts_in_every_encoding_and_without_control_characters() -> None:
    contents = ("Größe – 大きさ", ByteStringObject(b"\xfe\xff\x00A\x00\xe9"), "a\x1b[31mred\x1b[0m\u202e b", 7)
    comments = [one.comment for one in read(*({"Subtype": "/Text", "Contents": text} for text in contents))]
    assert comments[0] == "Größe – 大きさ" and "é" in comments[1]
    assert "\x1b" not in comments[2] and "\u202e" not in comments[2] and len(comments) == 3


def test_a_comment_that_repeats_the_marked_words_is_none() -> None:
    (read_back,) = read(highlight(FIRST, comment="parsers of natural language have been studied for a"))
    assert read_back.comment == ""


def test_what_is_damaged_costs_itself_alone() -> None:
    entries = (
        {"Subtype": "/Highlight", "QuadPoints": "none", "Rect": ["a", 1, 2, 3], "C": [2, "x"]},
        {"Subtype": 3},
        {"Subtype": "/Highlight", "QuadPoints": [1e30] * 8, "Contents": "far away"},
        highlight(FIRST),
    )
    assert [(one.quote[:7], one.comment) for one in read(*entries)] == [("", "far away"), ("Parsers", "")]


def test_an_encrypted_file_without_a_password() -> None:
    pdf = annotated(paper(), highlight(FIRST, comment="Why?"), password="")
    assert read_pdf(pdf).annotations[0].comment == "Why?"


def test_too_many_and_too_long_ones_are_bounded_and_counted() -> None:
    lines = column(72, 700, ["A line of text that is long enough to be a paper of its own, surely."] * 9)
    entry = {"Subtype": "/Text", "Contents": "x" * 20}
    pdf = annotated(
        make_pdf([[Text(72, 750, "A Title of Some Length", 16, "bold"), *lines]]), *[entry] * (MAX_ANNOTATIONS + 5)
    )
    found = read_pdf(pdf)
    assert (len(found.annotations), found.left_out_annotations) == (MAX_ANNOTATIONS, 5)
    (long_one,) = read({"Subtype": "/Text", "Contents": "y" * 90_000})
    assert len(long_one.comment) == MAX_COMMENT_CHARS


def test_colours_have_names() -> None:
    named = {"#ffd400": "yellow", "#ff6666": "red", "#5fb236": "green", "#2ea8e5": "blue", "#a28ae5": "purple"}
    named |= {"#e56eee": "magenta", "#f19837": "orange", "#aaaaaa": "grey"}
    for code, name in named.items():
        parts = [int(code[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        assert colour_name(*parts) == name, code
