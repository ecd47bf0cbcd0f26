"""What CSV writes of a paper is read again: export, import and export give the same row, but for its losses.

The losses are listed in `docs/reference/exchange-formats.md`.
"""

from __future__ import annotations

import csv
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import detect
from litterm.importers.tables import read_table
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.render.export.papers import Export
from litterm.text.clean import clean_line

# Without the signs of LaTeX, HTML and entities, which are read as what they mean.
SIGNS = st.sampled_from("{}~^%#_@,\"'()[]=-+|!?.:; abcXYZ12 éßłøŁÅ王ЖΩ–—“”’…")
LINES = st.text(SIGNS | st.characters(exclude_characters="$\\<&", codec="utf-8"), max_size=25).map(clean_line)
# Behind a letter: a cell of signs alone may say that there is nothing.
TEXTS = LINES.map(lambda text: clean_line(f"On {text} and more"))
WORDS = TEXTS.map(lambda text: clean_line(text.replace(";", " ").replace("|", " ").replace(",", " ")))
LETTERS = st.text(st.characters(categories=["Ll"], max_codepoint=0x2FF), min_size=4, max_size=12).map(str.capitalize)
PEOPLE = st.builds(Author, family=LETTERS, given=LETTERS)
DETAILS = st.builds(
    PublicationDetails,
    volume=st.sampled_from(["", "12", "A 3"]),
    issue=st.sampled_from(["", "4", "4-5"]),
    pages=st.sampled_from(["", "1–9", "S12–S19", "5"]),
    article_number=st.sampled_from(["", "e12", "103640"]),
    **dict.fromkeys("publisher address edition series note".split(), TEXTS | st.just("")),
    isbn=st.sampled_from(["", "978-3-16-148410-0"]),
    issn=st.sampled_from(["", "1234-567X", "1234-5678, 8765-4321"]),
    language=st.sampled_from(["", "de", "english"]),
    bibkey=st.sampled_from(["Müller2010", "王2013", "O'Neil2011", "Smith(2016)a", "DBLP:conf/acl/X"]),
    editors=st.lists(PEOPLE, max_size=2, unique=True).map(tuple),
    files=st.sampled_from([(), ("/home/me/a paper.pdf",), ("a.pdf", "b.pdf")]),
)
PAPERS = st.builds(
    Paper,
    id=st.just(PaperId("doi:10.1002/(sici)1096(1996)365:1<113::aid-cne9>3.0.co;2-6")),
    title=TEXTS,
    abstract=TEXTS | st.just(""),
    authors=st.lists(PEOPLE, max_size=3, unique=True).map(tuple),
    year=st.just(2018),
    date=st.sampled_from(["2018", "2018-07", "2018-07-05"]),
    keywords=st.lists(WORDS, max_size=3, unique_by=str.lower).map(tuple),
    aliases=st.sampled_from([(), (PaperId("arxiv:1810.04805"),), (PaperId("pmid:90123456"), PaperId("pmc:PMC77"))]),
    retraction=st.sampled_from(["", "retracted", "corrected"]),
    has_more_authors=st.booleans(),
    venue=st.sampled_from(["Some Conference", "Journal of Owls"]),
    type=st.sampled_from("article inproceedings book chapter thesis report other preprint proceedings".split()),
    imprint=DETAILS,
)
DEGREES = st.sampled_from(["phd", "master", "bachelor", "habilitation", "Diplomarbeit", ""])
KEPT = """key title authors year venue standing doi date keywords abstract volume issue pages article_number edition
    series editors publisher address institution isbn issn pmid pmcid arxiv language retraction source_note files type
    thesis""".split()


def as_imported(paper: Paper, degree: str, institution: str) -> Paper:
    """`paper` with what follows from its type, as importers have it."""
    if paper.type in ("book", "proceedings") and not paper.authors:
        paper = replace(paper, authors=paper.imprint.editors, has_more_authors=False)
    if paper.type not in ("thesis", "report"):
        return paper
    thesis = degree if paper.type == "thesis" else ""
    return replace(paper, imprint=replace(paper.imprint, thesis=thesis, institution=institution))


def table(paper: Paper) -> str:
    export = Export("csv")
    return export.render_batch([paper], {}, {}) + export.render_end()


def read(text: str) -> Paper:
    assert detect(text.encode(), "x") == "csv"
    (found,) = read_table(memory_content("x.csv", text.encode()))
    assert isinstance(found, Parsed)
    return found.paper


def row(text: str) -> dict[str, str]:
    (cells,) = csv.DictReader(text.splitlines(keepends=True))
    return {name: cells[name] for name in KEPT}


@settings(max_examples=60, deadline=None)
@given(st.builds(as_imported, PAPERS, DEGREES, TEXTS))
def test_export_import_and_export_give_the_same_row(paper: Paper) -> None:
    text = table(paper)
    again = read(text)
    assert row(table(again)) == row(text)
    assert {again.id, *again.aliases} == {paper.id, *paper.aliases}
    assert (again.authors, again.imprint.bibkey) == (paper.authors, paper.imprint.bibkey)
