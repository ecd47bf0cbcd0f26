"""Words divided at line ends are joined, and compounds that a line end cuts in two keep their hyphen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from litterm.importers.pdf.dehyphenate import WordCounts, join_lines
from litterm.importers.pdf.lines import Line


def lines(*texts: str) -> list[Line]:
    return [Line(text, 1, 0, 200, 700.0 - 12 * at, 10, "Serif", False, False) for at, text in enumerate(texts)]


def joined(*texts: str, elsewhere: Sequence[str] = ()) -> str:
    """`texts` as one paragraph of a paper that also holds the lines `elsewhere`."""
    return join_lines(lines(*texts), WordCounts.of(lines(*elsewhere))).text


@pytest.mark.parametrize(
    "compound",
    """low-resource zero-shot fine-tuned high-quality long-term human-annotated multi-head T-cell n-gram e-mail
    well-known data-driven self-attention domain-specific cross-lingual insulin-dependent large-scale BERT-based
    follow-up placebo-controlled anti-inflammatory β-carotene real-time non-parametric""".split(),
)
def test_a_compound_keeps_its_hyphen_though_the_paper_has_it_once(compound: str) -> None:
    first, second = compound.split("-")
    assert joined(f"We saw {first}-", f"{second} work.") == f"We saw {compound} work."


@pytest.mark.parametrize(
    "word",
    """infor-mation trans-lation under-standing multi-ple multi-plication low-est high-light soft-ware key-word
    human-ity self-ish text-book non-sense base-line data-base
    cross-ing long-itude word-ing on-line free-dom""".split(),
)
def test_a_divided_word_is_joined_though_its_halves_are_words(word: str) -> None:
    first, second = word.split("-")
    assert joined(f"We saw {first}-", f"{second} there.") == f"We saw {first}{second} there."


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_compound_of_several_words_is_cut_anywhere(at: int) -> None:
    words = "state of the art".split()
    first, second = "-".join(words[:at]), "-".join(words[at:])
    assert joined(f"A {first}-", f"{second} parser.") == "A state-of-the-art parser."


def test_the_paper_itself_says_most() -> None:
    broken = ("Our low-", "resource set.")
    assert joined(*broken, elsewhere=["a lowresource name"]) == "Our lowresource set."
    assert joined("An over-", "fitted one.", elsewhere=["an over-fitted-model here"]) == "An over-fitted one."
    assert joined("An over-", "fitted one.") == "An overfitted one."


def test_a_word_is_divided_within_a_compound() -> None:
    elsewhere = ["the linguistic view"]
    assert joined("A cross-linguis-", "tic view.", elsewhere=elsewhere) == "A cross-linguistic view."
    assert joined("A day-to-", "day view.", elsewhere=["until today, to them"]) == "A day-to-day view."
    assert joined("A cross-linguis\u00ad", "tic view.") == "A cross-linguistic view."


def test_a_note_mark_behind_the_word_is_no_part_of_it() -> None:
    assert joined("We wrote soft-", "ware³ for it.") == "We wrote software³ for it."
