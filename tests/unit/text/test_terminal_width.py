"""Text is measured, cut and wrapped in terminal cells, never inside what a reader takes for one character."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from litterm.text.escape import plain
from litterm.text.terminal_width import clip, pad, width_of, wrap_text

SHOWN = st.text(max_size=60).map(plain)


@pytest.mark.parametrize("one", ["e\u0301", "👍🏽", "👩\u200d💻", "🇩🇪", "각", "❤\ufe0f", "க்"])
def test_a_cut_never_falls_inside_what_is_one_character_to_a_reader(one: str) -> None:
    cut = clip(one * 4, 2 * width_of(one) + 1)
    assert cut == one * 2 + "…"


def test_wide_letters_count_two() -> None:
    assert clip("東京大学", 6) == "東京…"
    assert clip("東京大学", 5) == "東京…"
    assert pad("東京", 5) == "東京 "


def test_widths_agree_with_a_table_made_for_terminals() -> None:
    letters = [chr(c) for c in range(0x20, 0x20000) if unicodedata.category(chr(c))[0] in "LN"]
    shown = [c for c in letters if plain(c) == c]
    differ = [hex(ord(c)) for c in shown if width_of(c) != wcwidth(c)]
    assert len(shown) > 60_000
    assert len(differ) < 60, differ


@given(SHOWN, st.integers(1, 30))
def test_a_cut_fits_and_shows_a_beginning(text: str, cells: int) -> None:
    short = clip(text, cells)
    assert width_of(short) <= max(cells, 0)
    if short != text and short.endswith("…"):
        assert text.startswith(short[:-1])


@given(SHOWN, st.integers(2, 30))
def test_wrapped_lines_hold_every_word_and_fit(text: str, cells: int) -> None:
    lines = wrap_text(text, cells)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(width_of(line) <= cells for line in lines)
