"""Exports of other programs in a folder are named with what they are; ordinary files stay silent."""

from __future__ import annotations

import pytest

from litterm.importers.detect import Unreadable, detect

EXPORTS = [
    ("lib.enw", "%0 Journal Article\n%T Moss\n%A Lee, Ann\n", "EndNote"),
    ("lib.txt", "%0 Conference Paper\n%T Moss\n", "EndNote"),
    ("savedrecs.ciw", "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\n", "Web of Science"),
    ("savedrecs.txt", "PT\tAU\tTI\tSO\nJ\tLee, A\tMoss\tBryology\n", "Web of Science"),
    ("rw.txt", "RT Journal Article\nSR Electronic(1)\nID 12\nA1 Lee,Ann\nT1 Moss\n", "RefWorks"),
    ("ovid.txt", "<1>\nUnique Identifier\n  123\nTitle\n  Moss.\n", "Ovid"),
    ("scopus.csv", '"Authors","Title","Year","Source title","DOI"\n"Lee A.","Moss",2020,"B",""\n', "CSV"),
    ("zotero.csv", '"Key","Item Type","Publication Year","Author","Title"\n"A","report","2020","Lee","Moss"\n', "CSV"),
    ("pubmed.csv", "PMID,Title,Authors,Citation,First Author,Journal/Book\n1,Moss,Lee A,B,Lee A,Bryology\n", "CSV"),
    ("ieee.csv", '"Document Title",Authors,"Publication Year","DOI"\n"Moss","A. Lee",2020,""\n', "CSV"),
    ("semicolons.csv", "Title;Authors;Year;Journal\nMoss;Lee;2020;B\n", "CSV"),
    ("dimensions.csv", '"About the data"\nRank,DOI,Title,Authors,PubYear\n1,d,Moss,Lee,2020\n', "CSV"),
    ("list.tsv", "title\tauthors\tyear\tdoi\nMoss\tLee\t2020\t10.1/x\n", "tab-separated"),
    ("list.txt", "title\tauthors\tyear\tdoi\nMoss\tLee\t2020\t10.1/x\n", "tab-separated"),
    ("endnote.xml", "<?xml version='1.0'?><xml><records><record/></records></xml>", "EndNote (XML)"),
    ("export.txt", "<xml><records><record/></records></xml>", "EndNote (XML)"),
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


def test_an_export_in_utf_16_is_recognised() -> None:
    found = detect("PT\tAU\tTI\tSO\nJ\tLée, A\tMoss\tBryology\n".encode("utf-16"), "savedrecs.txt")
    assert isinstance(found, Unreadable)
    assert "Web of Science" in found.cause and not found.ignorable


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
