"""Third-party text never acts on a terminal."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.text.escape import ascii_marks, isolate, plain, plain_in_place, plain_lines

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\x1b\x9b\x9d\x90\x9c\x07\x08\r\n\t[]0;m?1hPX^_\\ \u202e\u200b\u200d\u2066\ufeff\ud800"),
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b]0;owned\x07Title", "Title"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[31mRed\x1b[0m", "Red"),
        ("\x9b31mRed\x9d0;x\x9cgone", "Redgone"),
        ("\x1bP+q544e\x1b\\ok \x1bc\x1b(0", "ok "),
        ("\x1b]52;c;ZXZpbA==\x07copied", "copied"),
        ("unended \x1b]0;title", "unended 0;title"),
        ("a\x08\x08b\x00\x7f", "ab"),
        ("two\nlines\tand\r\nmore\u2028x", "two lines and more x"),
        ("abc \u202e evil \u2066x\u2069", "abc  evil x"),
        ("zero\u200bwidth\u2060\ufeff soft\u00adhyphen", "zerowidth softhyphen"),
        ("tag\U000e0041\U000e007f", "tag"),
        ("lone \ud83d surrogate", "lone \ufffd surrogate"),
        ("[bold]x[/bold] [@click=app.quit]y[/]", "[bold]x[/bold] [@click=app.quit]y[/]"),
        ("naïve Å 東京 عربي", "naïve Å 東京 عربي"),
    ],
)
def test_what_would_act_is_gone_and_what_is_read_stays(raw: str, shown: str) -> None:
    assert plain(raw) == shown


@given(HOSTILE)
def test_nothing_that_acts_survives(raw: str) -> None:
    shown = plain(raw)
    assert [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")] == []
    assert not any(c in shown for c in "\u200b\u200d\u200e\u200f\u061c\u202a\u202e\u2066\u2069\ufeff\u00ad")
    shown.encode("utf-8")
    assert plain(shown) == shown


def test_lines_are_kept_where_they_are_asked_for() -> None:
    assert plain_lines("one\x1b[2J\ntwo\x07\n") == "one\ntwo"


def test_marks_piled_on_a_letter_are_thinned_and_scripts_are_left() -> None:
    assert len(plain("Z" + "\u0301" * 500)) == 7
    assert plain("Ti\u1ebfng Vi\u1ec7t \u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd") == (
        "Ti\u1ebfng Vi\u1ec7t \u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd"
    )


def test_endless_openings_take_no_endless_time() -> None:
    started = time.process_time()
    for opening in ("\x1b]", "\x9d", "\x1b[", "\x1b", "\u0301"):
        plain(opening * 100_000 + "é")
    assert time.process_time() - started < 20


def test_right_to_left_text_is_isolated_and_other_text_is_not() -> None:
    assert isolate("עברית") == "\u2068עברית\u2069"
    assert isolate("naïve") == "naïve"


def test_our_marks_have_an_ascii_form() -> None:
    assert ascii_marks("a · b … §4 ¶3 東") == "a - b ... s4 p3 東"


@given(HOSTILE)
def test_text_made_harmless_in_place_keeps_its_length_and_its_lines(text: str) -> None:
    shown = plain_in_place(text)
    assert len(shown) == len(text)
    assert [at for at, char in enumerate(shown) if char == "\n"] == [at for at, char in enumerate(text) if char == "\n"]
    assert plain_lines(shown).split() == plain_lines(plain_lines(shown)).split()
    shown.encode()


def test_a_sequence_becomes_blanks_in_place() -> None:
    assert plain_in_place("a\x1b[31mb\u202ec") == "a     b c"
