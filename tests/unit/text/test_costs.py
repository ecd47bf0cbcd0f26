"""What somebody else wrote costs no more than its length: nothing takes twice as much again for every doubling."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from regex_costs import RATIO, Use, grows_too_fast, growth, pumped, uses

from litterm.core.errors import BadInput
from litterm.importers.bibtex.reader import read_bibtex
from litterm.importers.byte_sources import memory_content
from litterm.importers.jsonl.rows import JsonRow, parse_row
from litterm.render.bibliography.bibtex import escape_title
from litterm.text import clean, escape
from litterm.text.documents.hyphens import HyphenStatistics
from litterm.text.documents.sentences import split
from litterm.text.latex.formula import formula_to_text
from litterm.text.latex.prose import latex_to_text
from litterm.text.references.parser import read_reference


def as_row(text: str) -> None:
    lines = ("abstract", "authors", "venue", "doi", "url", "keywords", "year", "date", "pages")
    sections = [{"title": text, "text": text}]
    row = {"title": "T", **dict.fromkeys(lines, text), "references": [text], "sections": sections}
    parse_row(JsonRow(row), "x", HyphenStatistics())


def as_bibtex(text: str) -> None:
    fields = "".join(f" {name} = {{{text}}}," for name in ("title", "author", "pages", "journal", "doi", "note"))
    for entry in (f"@article{{k,{fields}}}", f"@article{{k, title={{T}}\n{text}", text):
        try:
            list(read_bibtex(memory_content("x", entry.encode("utf-8", "replace"))))
        except BadInput:
            continue


WORST = (" ", "\u00a0", "( )", "\n\n", "{", "}", "$", "\\", "<a ", "- ")
"""What readers have been found to stumble over; every expression by itself is tried with all there are."""
READERS: dict[str, Callable[[str], object]] = {
    "clean_line": clean.clean_line,
    "prose": clean.prose,
    "latex": latex_to_text,
    "formula": formula_to_text,
    "screen": escape.plain,
    "in place": escape.plain_in_place,
    "sentences": split,
    "reference": read_reference,
    "bibtex written": escape_title,
    "row": as_row,
    "bibtex": as_bibtex,
}


@pytest.mark.parametrize("name", READERS)
def test_no_reader_of_text_takes_the_square_of_its_length(name: str) -> None:
    assert [told for unit in WORST if (told := grows_too_fast(READERS[name], unit))] == []


def test_the_measure_finds_what_is_quadratic() -> None:
    # On a busy machine the shorter text may have waited, which hides a square: one that shows once is one.
    assert any(grows_too_fast(Use("here", r"\s+$", 0, "search").run, " ") for _ in range(8))
    assert any(grows_too_fast(Use("here", r"(a+)+$", 0, "match").run, "a") for _ in range(8))
    assert not grows_too_fast(Use("here", r"(?<!\s)\s+$", 0, "search").run, " ")


def test_the_measure_of_growth_tells_a_square_from_a_line() -> None:
    assert growth(lambda text: re.findall(r"\w+", text), "x ", 50_000) < RATIO
    # On a busy machine the shorter text may have waited: a square that shows once is one.
    assert any(
        growth(lambda text: re.search(r"\s+$", text), " ", size) > RATIO for size in (2_000, 3_000, 4_000, 5_000)
    )


def test_no_expression_of_the_package_takes_the_square_of_the_length_of_a_text() -> None:
    known = uses()
    assert len(known) > 300
    slow = [
        f"{use.where}: {told}"
        for use in known
        for unit in pumped(use.pattern)
        if (told := grows_too_fast(use.run, unit))
    ]
    assert slow == []
