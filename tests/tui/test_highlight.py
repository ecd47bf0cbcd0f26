"""Which words of a text are marked."""

from __future__ import annotations

import pytest

from litterm.tui.widgets.highlight import WordFinder, word_finder


@pytest.mark.parametrize(
    ("typed", "text", "marked"),
    [
        ("hallucination", "Hallucinating models, hallucinations and a hallucinated fact", 3),
        ("hospital", "Hospitalizations and hospitals, but no hospice", 2),
        ("parsing", "We parse; a parser parses.", 3),
        ("of", "often", 0),
    ],
)
def test_words_of_one_stem_are_marked_whatever_their_ending(typed: str, text: str, marked: int) -> None:
    found = {text[start:end].casefold() for start, end, _ in word_finder([typed]).ranges(text)}
    assert len(found) == marked, found


def test_only_the_part_asked_for_is_looked_through() -> None:
    text = "parsing, then parsing"
    assert word_finder(["parse"]).ranges(text, 10) == [(14, 21, "match")]
    assert word_finder(["", " "]) == WordFinder() and not WordFinder().ranges(text)
