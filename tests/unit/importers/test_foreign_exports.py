"""Exports of other programs in a folder are named with what they are; ordinary files stay silent."""

from __future__ import annotations

import pytest

from litterm.importers.detect import Unreadable, detect

EXPORTS = [
    ("rw.txt", "RT Journal Article\nSR Electronic(1)\nID 12\nA1 Lee,Ann\nT1 Moss\n", "RefWorks"),
    ("ovid.txt", "<1>\nUnique Identifier\n  123\nTitle\n  Moss.\n", "Ovid"),
    (
        "better.json",
        '{\n "config": {"id": "x"},\n "items": [{"itemType": "journalArticle", "title": "Moss"}]}',
        "Zotero",
    ),
    ("mods.xml", '<modsCollection xmlns="http://www.loc.gov/mods/v3"><mods/></modsCollection>', "MODS"),
    ("my.rdf", '<rdf:RDF xmlns:rdf="r" xmlns:z="http://www.zotero.org/export#"><z:x/></rdf:RDF>', "Zotero (RDF)"),
]


@pytest.mark.parametrize(("name", "text", "kind"), EXPORTS, ids=[name for name, _, _ in EXPORTS])
def test_an_export_is_named_with_what_it_is_and_the_next_step(name: str, text: str, kind: str) -> None:
    found = detect(text.encode(), name)
    assert isinstance(found, Unreadable)
    assert not found.ignorable
    assert kind in found.cause
    assert "litterm add" in found.cause


ORDINARY = [
    ("README.txt", "Read this first.\nTY is short for thank you.\n"),
    ("notes.md", "# Title\n\n- authors, year, doi\n"),
    ("films.csv", "title,year,director\nMoss,1999,Lee\n"),
    ("scores.csv", "id,f1,accuracy\n1,0.5,0.6\n"),
    ("contacts.csv", "name,title,email\nLee,Dr,lee@example.org\n"),
    ("run.py", "import csv\n\ntitle, author, year, doi = row\n"),
    ("data.tsv", "sentence\tlabel\nMoss grows.\t1\n"),
    ("header-only.csv", "title,authors,year,doi"),
    ("style.css", "%0 { color: red }\n"),
]


@pytest.mark.parametrize(("name", "text"), ORDINARY, ids=[name for name, _ in ORDINARY])
def test_an_ordinary_file_stays_silent(name: str, text: str) -> None:
    found = detect(text.encode(), name)
    assert isinstance(found, Unreadable)
    assert found.ignorable
