"""Lists of references in a CSL style: the order, the numbers, and nothing of a title acts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from litterm.cli.main import main
from litterm.core.errors import BadInput, UsageError
from litterm.render.export.references import find_style, format_references

NUMBERED = """<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
<info><title>Numbered</title><id>numbered</id><updated>2026-01-01T00:00:00+00:00</updated></info>
<citation><layout><text variable="citation-number"/></layout></citation>
<bibliography second-field-align="flush"><layout>
<text variable="citation-number" prefix="[" suffix="]"/><names variable="author" suffix=". "><name/></names>
<text variable="title" font-style="italic"/></layout></bibliography></style>
"""
ITEMS = [
    {"id": "B", "type": "book", "title": "2 Ropes & <b>knots</b>", "author": [{"family": "Baker", "given": "Bo"}]},
    {"id": "b", "type": "book", "title": "Boats", "author": [{"literal": "Able <Group>"}]},
]


@pytest.fixture
def style(tmp_path: Path) -> Path:
    path = tmp_path / "numbered.csl"
    path.write_text(NUMBERED, "utf-8")
    return path


def test_a_list_has_the_order_of_the_items_and_their_texts_as_they_are(style: Path) -> None:
    assert format_references(ITEMS, style, html=False).splitlines() == [
        "[1] Bo Baker. 2 Ropes & <b>knots</b>",
        "[2] Able <Group>. Boats",
    ]
    page = format_references(ITEMS, style, html=True)
    assert "<p>[1] Bo Baker. <i>2 Ropes &amp; &lt;b&gt;knots&lt;/b&gt;</i></p>" in page
    assert "Able &lt;Group&gt;" in page


def test_a_style_of_citeproc_itself_sorts(tmp_path: Path) -> None:
    lines = format_references(ITEMS, find_style("harvard-cite-them-right", tmp_path), html=False).splitlines()
    assert [line[:4] for line in lines] == ["Able", "Bake"]


def test_what_is_no_style_is_said(style: Path, tmp_path: Path) -> None:
    assert find_style("numbered", tmp_path) == style
    with pytest.raises(BadInput, match="There is no style nothing"):
        find_style("nothing", tmp_path)
    for text in ("no XML", "<style/>"):
        style.write_text(text, "utf-8")
        with pytest.raises(BadInput, match="cannot use this style"):
            format_references(ITEMS, style, html=False)
    style.write_text('<style><link href="http://www.zotero.org/styles/apa" rel="independent-parent"/></style>', "utf-8")
    with pytest.raises(BadInput, match="only refers to another style apa"):
        find_style(str(style), tmp_path)


def test_without_citeproc_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "citeproc", None)
    with pytest.raises(UsageError, match=r'pip install "citeproc-py'):
        find_style("apa", tmp_path)


def test_the_command_writes_references_without_the_users_notes(
    home: Path, style: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.bib").write_text("@book{k, title = {Boats}, author = {Able, Ann}, year = 2010}", "utf-8")
    assert main(["add", str(tmp_path / "own.bib")]) == 0
    capsys.readouterr()
    assert main(["export", "k", "--style", str(style)]) == 0
    assert capsys.readouterr().out == "[1] Ann Able. Boats\n"
    for options in (["--html"], ["--style", str(style), "--ris"]):
        assert main(["export", "k", *options]) == 2
