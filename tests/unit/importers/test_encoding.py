"""Files in other encodings than UTF-8 are read, and what is guessed is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.importers.bibtex.bibliography import append_entries, read_entries
from litterm.importers.detect import detect
from litterm.importers.encoding import decode_text, encode_addition
from litterm.model.paper import Author, Paper, PaperId

ENTRY = "@article{kelp,\n  title = {Über Möwen},\n  author = {Grün, Zoë},\n}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_needs_no_guess(encoding: str) -> None:
    data = ENTRY.encode(encoding)
    assert (decode_text(data).text, decode_text(data).remark) == (ENTRY, "")
    assert detect(data, "a.bib") == "bibtex"


@pytest.mark.parametrize(
    ("line", "encoding"),
    [
        ("% Encoding: ISO-8859-1", "latin-1"),
        ("% Encoding: ISO8859_2", "iso8859-2"),
        ("% Encoding: Cp1250", "cp1250"),
        ("% This file was made by JabRef 2.9.\n% Encoding: MacRoman", "mac-roman"),
        ("@comment{x-kbibtex-encoding=cp1252}", "cp1252"),
        ("% -*- coding: latin-1 -*-", "latin-1"),
    ],
)
def test_what_the_file_says_is_no_guess(line: str, encoding: str) -> None:
    text = f"{line}\n\n" + ENTRY.replace("ë", "é")
    assert (decode_text(text.encode(encoding)).text, decode_text(text.encode(encoding)).remark) == (text, "")


def test_a_wrong_statement_is_not_believed() -> None:
    for line in ("% Encoding: UTF-8\n", "% Encoding: hex\n", "% Encoding: no-such-thing\n"):
        decoded = decode_text(line.encode() + ENTRY.encode("cp1252"))
        assert (decoded.text, decoded.encoding) == (line + ENTRY, "cp1252")
        assert "Windows-1252" in decoded.remark
    assert decode_text(b"% Encoding: latin-1\n" + ENTRY.encode()).text.endswith(ENTRY)


def test_what_says_nothing_is_windows_1252() -> None:
    text = ENTRY.replace("Möwen", "“Möwen” – klein")
    assert decode_text(text.encode("cp1252")).text == text


def test_bytes_that_windows_1252_lacks_speak_for_another_encoding() -> None:
    text = "title = {Les forêts et les rivières à Besançon, où l'on fête les pêcheurs}"
    assert decode_text(text.encode("mac-roman")).text == text
    # Too little to tell: each byte becomes a character nevertheless.
    assert decode_text(b"f\xfcr \x81").text == "für \x81"


def test_one_line_in_another_encoding_spoils_no_other() -> None:
    decoded = decode_text(ENTRY.encode() * 3 + b"title = {K\xe4fer}")
    assert decoded.text == ENTRY * 3 + "title = {Käfer}"
    assert decoded.remark.startswith("Read as UTF-8, but for 1 line")


@given(st.binary(max_size=60))
def test_no_bytes_break_the_reading(data: bytes) -> None:
    assert isinstance(decode_text(data).text, str)


def test_what_is_added_to_a_file_is_in_its_encoding() -> None:
    added = encode_addition("Müller Łódź", "cp1252")
    assert added.startswith("Müller ".encode("cp1252"))
    assert added.isascii() is False and b"\\L" in added
    assert encode_addition("Łódź", "utf-16-le") == "Łódź".encode("utf-16-le")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8"])
def test_an_entry_that_a_bibliography_has_is_not_added_again(tmp_path: Path, encoding: str) -> None:
    bib = tmp_path / "a.bib"
    bib.write_bytes(ENTRY.encode(encoding))
    known = Paper(PaperId("local:x"), "Über Möwen", authors=(Author("Grün", "Zoë"),))
    other = Paper(PaperId("local:y"), "Käfer am Fluß", authors=(Author("Bär", "Ä."),), year=2001)
    assert append_entries(bib, [known, other])[known.id] == "kelp"
    assert [entry.title for entry in read_entries(bib)] == ["Über Möwen", "Käfer am Fluß"]
    assert decode_text(bib.read_bytes()).text.startswith(ENTRY)
