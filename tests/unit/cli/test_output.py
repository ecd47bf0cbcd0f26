"""What goes to which stream, in which dress."""

from __future__ import annotations

import io
import sys

import pytest

from litterm.cli.terminal.output import Output, ReaderGone, standard_output
from litterm.core.errors import LittermError


class EncodedTerminal(io.TextIOWrapper):
    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self) -> bool:
        return True


class Gone(io.StringIO):
    def write(self, _text: str) -> int:
        raise BrokenPipeError


def on_terminal(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], **wishes: bool) -> Output:
    # Not in a fixture: pytest puts its own streams back between set-up and test.
    monkeypatch.setattr(sys, "stdout", EncodedTerminal())
    return standard_output(environ, **wishes)


@pytest.mark.parametrize(
    ("environ", "colour"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], colour: bool
) -> None:
    assert on_terminal(monkeypatch, environ).colour is colour


def test_plain_is_as_if_there_were_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    output = on_terminal(monkeypatch, {"TERM": "xterm"}, plain_look=True)
    assert (output.colour, output.columns, output.terminal) == (False, 0, False)


@pytest.mark.parametrize(
    ("environ", "ascii_only"),
    [
        ({"LC_ALL": "C"}, True),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({}, False),
        ({"LC_ALL": "", "LC_CTYPE": "POSIX"}, True),
    ],
)
def test_a_c_locale_gets_ascii_marks(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], ascii_only: bool
) -> None:
    assert on_terminal(monkeypatch, environ).ascii is ascii_only
    assert on_terminal(monkeypatch, environ, ascii_marks=not ascii_only).ascii is not ascii_only


def test_an_encoding_without_our_marks_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    output = standard_output({})
    assert output.ascii
    assert not output.is_unicode


def test_a_pipe_is_written_whole_lines() -> None:
    out = io.StringIO()
    output = Output(out, None)
    output.write("one")
    output.write("")
    output.write_lines(["two", "three"])
    assert out.getvalue() == "one\ntwo\nthree\n"


def test_a_reader_that_went_away_is_told_apart_from_trouble() -> None:
    with pytest.raises(ReaderGone):
        Output(Gone(), None).write("x")
    with pytest.raises(LittermError, match="closed"):
        Output(None, None).write("x")


def test_narration_is_one_harmless_line_and_never_fatal() -> None:
    err = io.StringIO()
    Output(None, err, ascii=True).say("a\x1b[2J\nb …")
    Output(None, None).say("lost")
    Output(None, Gone()).say("lost")
    assert err.getvalue() == "a b ...\n"
