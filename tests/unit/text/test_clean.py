"""Text from a source comes out harmless, on one line, and with its words whole."""

from __future__ import annotations

import time
import unicodedata
from xml.etree.ElementTree import XML

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.text import clean, escape
from litterm.text.clean import characters, clean_line, element_text, prose

HARMLESS_JOINERS = {"\u200c", "\u200d"}


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\x1b]0;owned\x07\x1b[31mRed\x1b[0m title", "Red title"),
        ("a \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ b", "a link b"),
        ("never \x1b]0;ended but kept", "never 0;ended but kept"),
        ("left\u202eright\u2066 and zero\u200bwidth", "leftright and zerowidth"),
        ("soft\u00adhyphen, non\u2011breaking", "softhyphen, non-breaking"),
        ("ﬁne eﬀort, ﬂat oﬃce", "fine effort, flat office"),
        ("two\u00a0 blanks\nand\ta break\r\n", "two blanks and a break"),
        ("\x93quoted\x94 by Windows \x96 here", "“quoted” by Windows – here"),
        ("e\u0301te\u0301", "été"),
        ("null\x00 and private\uf6da use", "null and private use"),
        ("half a pair \ud800 here", "half a pair \ufffd here"),
        ("می\u200cخواهم stays", "می\u200cخواهم stays"),
    ],
)
def test_what_is_not_text_goes_and_words_stay(raw: str, clean: str) -> None:
    assert clean_line(raw) == clean


@given(st.text())
def test_nothing_a_terminal_acts_on_is_left(text: str) -> None:
    clean = clean_line(text)
    assert clean_line(clean) == clean
    assert clean == clean.strip()
    assert all(
        unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or c in HARMLESS_JOINERS for c in clean
    )
    clean.encode()


@given(st.text(alphabet=" \n\tab-\u00a0"))
def test_pieces_keep_their_blanks(text: str) -> None:
    assert len(characters(text)) == len(text)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("H<sub>2</sub>O &amp; 10<sup>-3</sup>", "H₂O & 10⁻³"),
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
        ("p < 0.05 and x<y, a <mask> token", "p < 0.05 and x<y, a <mask> token"),
        ("&lt;b&gt; is text once read", "is text once read"),
        ("&#x41;&#66; &nosuch;", "AB &nosuch;"),
    ],
)
def test_markup_in_prose_is_read(raw: str, clean: str) -> None:
    assert prose(raw) == clean


def test_mixed_content_keeps_what_stands_behind_children() -> None:
    element = XML("<title>A <b>bold</b> claim<fn>1</fn> on <tex-math>n^2</tex-math> H<sub>2</sub></title>")
    assert element_text(element, {"fn": "skip", "tex-math": "tex"}) == "A bold claim on n² H₂"


@pytest.mark.parametrize("piece", ["\x1b]", "<", "&", "\\", "$", "{", "\x1b[", "<a ", "- a", "\\'"])
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    started = time.process_time()
    prose(piece * 40_000)
    assert time.process_time() - started < 20


IGNORABLE = [
    0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x200B, 0x200E, 0x200F,
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0,
    *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000),
]  # fmt: skip
"""Unicode's default-ignorable characters but the two joiners, which some scripts are spelt with."""


def test_characters_that_print_nothing_are_neither_kept_nor_shown() -> None:
    for code in IGNORABLE:
        text = f"plain{chr(code)}text"
        for cleaned in (clean.clean_line(text), clean.characters(text), clean.prose(text), escape.plain(text)):
            assert cleaned == "plaintext", hex(code)
        assert chr(code) not in escape.plain_in_place(text)


def test_words_of_scripts_that_need_a_joiner_keep_it_and_emoji_stay_whole_signs() -> None:
    for word in ("می\u200cخواهم", "क्\u200dष", "ශ්\u200dරී"):
        assert clean.clean_line(word) == word
    assert clean.clean_line("I \u2764\ufe0f NLP") == "I \u2764 NLP"
    assert clean.clean_line("a\U0001f469\u200d\U0001f52c b") == "a\U0001f469\U0001f52c b"
