"""ACL Anthology XML to records."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import XML

import pytest

from litterm.core.errors import BadInput
from litterm.importers.anthology import AnthologyReader, running_text, venue_acronym, venue_acronyms
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author
from litterm.text.documents.hyphens import HyphenStatistics

Papers = Callable[[Path], list[Parsed]]


def read(xml: str) -> list[Parsed | Failure]:
    return list(AnthologyReader({}, HyphenStatistics()).papers(XML(xml), "x"))


def test_a_checkout_is_read_with_its_venue_names(samples: Path, papers: Papers) -> None:
    found = {each.paper.id: each.paper for each in papers(samples / "checkout")}
    assert list(found) == ["acl:2031.demo-main.1", "acl:2031.demo-main.2", "acl:2031.demo-main.3", "acl:W99-0503"]
    first = found["acl:2031.demo-main.1"]
    assert first.title == "FastText in O(n²) and $\\mathbb{S}^{n_0-1}$ re- visited"
    assert first.abstract == (
        "We show representation learning with care at 95%: a representation, pre- and post-hoc. See https://example.org."
    )
    assert first.authors == (Author("Łovelace", "Ada"), Author("Plato"))
    assert (first.year, first.date, first.venue) == (2031, "2031-07", "DemoConf")
    assert first.venue_keys == ("demo", "democonf", "ws")
    assert first.aliases == ("doi:10.9999/v1/2031.demo-main.1",)
    assert first.urls[1] == "https://aclanthology.org/2031.demo-main.1.pdf"
    imprint = first.imprint
    assert (imprint.booktitle, imprint.pages) == ("Proceedings of the Demo Conference", "1–9")
    assert (imprint.publisher, imprint.address, imprint.language) == ("Demo Press", "Nowhere", "deu")
    assert imprint.editors == (Author("Editor", "Erika"),)
    assert imprint.bibkey == "lovelace-plato-2031-fasttext"
    assert first.provenance.format == "anthology"


def test_flags_and_foreign_pdfs(samples: Path, papers: Papers) -> None:
    found = {each.paper.id: each.paper for each in papers(samples / "checkout")}
    second = found["acl:2031.demo-main.2"]
    assert second.retraction == "retracted: The numbers were wrong."
    assert second.urls == ("https://aclanthology.org/2031.demo-main.2", "http://example.org/paper2.pdf")
    assert second.abstract == ""
    assert second.authors == ()
    assert found["acl:2031.demo-main.3"].retraction == "corrected: Fixed a table."


def test_the_schema_of_2026(samples: Path, papers: Papers) -> None:
    found = {each.paper.id.rpartition(".")[2]: each.paper for each in papers(samples / "checkout2026")}
    study = found["7"]
    assert study.title == "A Study of NLP with care, small caps and O(n) Cost"
    assert study.abstract == "First paragraph. Second paragraph, see the site."
    assert (study.id, study.venue, study.year) == ("acl:2032.demo-long.7", "DemoConf", 2032)
    assert study.urls == ("https://aclanthology.org/2032.demo-long.7", "https://aclanthology.org/2032.demo-long.7.pdf")
    assert (study.retraction, study.aliases) == ("corrected: Fixed Table 2.", ("doi:10.9999/v1/2032.demo-long.7",))
    assert found["8"].urls == ("https://aclanthology.org/2032.demo-long.8", "https://example.org/8.pdf")
    assert found["9"].retraction == "retracted"
    gone = found["10"]
    assert (gone.retraction, gone.urls) == (
        "removed: At the authors' wish.",
        ("https://aclanthology.org/2032.demo-long.10",),
    )
    assert (found["11"].retraction, found["11"].imprint.language) == ("corrected", "fra")
    assert found["12"].type == "other"
    assert len(found) == 6, "front matter is no paper"


def test_an_archive_of_a_checkout_of_2026(samples: Path, tmp_path: Path, papers: Papers) -> None:
    with tarfile.open(tmp_path / "master.tar.gz", "w:gz") as archive:
        archive.add(samples / "checkout2026", "acl-anthology-master")
    found = papers(tmp_path / "master.tar.gz")
    assert len(found) == 6 and {each.paper.venue for each in found} == {"DemoConf"}


@pytest.mark.parametrize("told", [b"", b"[]", b"{", b'{"acl": 5}', b'{"acl": {"acronym": 5}}', b"[" * 100_000])
def test_odd_venue_files_name_nothing(told: bytes) -> None:
    assert venue_acronyms(told) == {}


def test_a_journal_issue(samples: Path, papers: Papers) -> None:
    (found,) = papers(samples / "checkout" / "data" / "xml" / "W99.xml")
    paper = found.paper
    assert (paper.id, paper.type) == ("acl:W99-0503", "article")
    assert (paper.imprint.journal, paper.imprint.volume, paper.imprint.issue) == ("Demo Quarterly", "7", "2")
    assert paper.imprint.booktitle == ""


@pytest.mark.parametrize(
    ("collection", "volume", "paper", "key"),
    [
        ("P18", "1", "1", "P18-1001"),
        ("W05", "1", "3", "W05-0103"),
        ("C69", "10", "2", "C69-1002"),
        ("D19", "1", "1682", "D19-11682"),
        ("D19", "1", "12", "D19-1012"),
        ("D19", "57", "3", "D19-5703"),
        ("2020.acl", "main", "207", "2020.acl-main.207"),
    ],
)
def test_ids_are_put_together_as_the_anthology_does(collection: str, volume: str, paper: str, key: str) -> None:
    xml = (
        f"<collection id='{collection}'><volume id='{volume}'><meta><year>2000</year></meta>"
        f"<paper id='{paper}'><title>T</title></paper></volume></collection>"
    )
    (found,) = read(xml)
    assert isinstance(found, Parsed) and found.paper.id == f"acl:{key}"


def test_without_venue_names_the_slug_is_shown() -> None:
    xml = (
        "<collection id='X'><volume id='1'><meta><year>n.d.</year><venue>abc</venue></meta>"
        "<paper id='1'><title>T</title></paper></volume></collection>"
    )
    (found,) = read(xml)
    assert isinstance(found, Parsed)
    assert (found.paper.venue, found.paper.venue_keys, found.paper.year) == ("ABC", ("abc",), None)


@pytest.mark.parametrize("xml", ["<collection/>", "<volume/>", "<event id='x'/>"])
def test_what_is_no_collection_is_refused(xml: str) -> None:
    with pytest.raises(BadInput):
        read(xml)


def test_what_is_broken_in_a_collection_costs_itself_only() -> None:
    xml = (
        "<collection id='2031.a'><volume id='1'><meta><year>2031</year></meta><paper id='1'><title/></paper>"
        "<paper><title>No number</title></paper></volume>"
        "<volume id='2'><paper id='1'><title>Lost</title></paper></volume>"
        "<volume id='3'><meta><year>2031</year></meta><paper id='1'><title>Kept</title></paper></volume></collection>"
    )
    assert [(each.origin, each.cause) if isinstance(each, Failure) else each.paper.id for each in read(xml)] == [
        ("x:2031.a-1.1", "A paper without a title."),
        ("x:2031.a-1.?", "A paper without an id."),
        ("x:2031.a-2", "A volume without an id or without its meta element."),
        "acl:2031.a-3.1",
    ]


def test_the_form_before_2019(tmp_path: Path, papers: Papers) -> None:
    (tmp_path / "P17.bin").write_text("""<?xml version='1.0' encoding='UTF-8'?>
<volume id="P17">
  <paper id="1000"><title>Proceedings of Demo (Volume 1)</title><editor><first>Erika</first><last>Editor</last></editor>
    <month>July</month><year>2017</year><publisher>Demo Press</publisher><address>Nowhere</address></paper>
  <paper id="1001"><title>A <fixed-case>S</fixed-case>tudy</title>
    <author><first>Ada</first><last>Lovelace</last></author>
    <booktitle>Proceedings of Demo (Volume 1: Long)</booktitle><year>2017</year><pages>1--9</pages>
    <url>http://www.aclweb.org/anthology/P17-1001</url><doi>10.9999/v1/P17-1001</doi></paper>
  <paper id="2013"><title>Short</title><booktitle>Proceedings of Demo (Volume 2)</booktitle><year>2017</year></paper>
</volume>""")
    (tmp_path / "W17.bin").write_text(
        "<volume id='W17'><paper id='0101'><title>Shop</title><year>2017</year></paper></volume>"
    )
    found = {each.paper.id: each.paper for each in papers(tmp_path)}
    assert list(found) == ["acl:P17-1001", "acl:P17-2013", "acl:W17-0101"]
    first = found["acl:P17-1001"]
    assert (first.title, first.year, first.date, first.venue) == ("A Study", 2017, "2017-07", "ACL")
    assert (first.authors, first.imprint.editors) == ((Author("Lovelace", "Ada"),), (Author("Editor", "Erika"),))
    assert (first.imprint.booktitle, first.imprint.publisher) == ("Proceedings of Demo (Volume 1)", "Demo Press")
    assert first.aliases == ("doi:10.9999/v1/p17-1001",)
    assert found["acl:P17-2013"].imprint.booktitle == "Proceedings of Demo (Volume 2)"
    assert found["acl:W17-0101"].venue == "WS"


def test_venue_files_and_running_text() -> None:
    assert venue_acronym(b"acronym: 'ACL'\nname: x\n") == "ACL"
    assert venue_acronym(b"name: no acronym\n") == ""
    assert running_text(b"<a><title>One <b>two</b></title><x>no</x><abstract>three</abstract></a>") == (
        b"One <b>two</b>\nthree"
    )
