"""What BibTeX writes of a paper is read again: export, import and export give the same text."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.importers.article_fields import page_urls
from litterm.importers.bibtex.reader import read_bibtex
from litterm.importers.byte_sources import memory_content
from litterm.importers.ids import rank_ids
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.render.bibliography import bibtex
from litterm.text.clean import clean_line

# What importers let into a record: text on one line; formulas that could be told in Unicode are none any more.
SIGNS = st.sampled_from("\\{}~^&%#_@,;\"'`<>()[]=-+|!?.: abcXYZ12 éßłøŁÅ王ЖΩ–—“”’…")
LINES = st.text(SIGNS | st.characters(exclude_characters="$", codec="utf-8"), max_size=25).map(
    # Two of these are a dash or a quotation mark for TeX.
    lambda text: clean_line(re.sub(r"([-`'])\1+", r"\1", text))
)
# Letters alone, and more than three of them: digits behind a name are marks of notes, and `II` or `PhD` is no name.
LETTERS = st.text(st.characters(categories=["Ll"], max_codepoint=0x2FF), min_size=4, max_size=12).map(str.capitalize)
WORDS = LETTERS | st.sampled_from(["a, b", "C++", "x_y & z"])
DETAILS = st.builds(
    PublicationDetails,
    **dict.fromkeys("volume issue publisher address article_number edition series note institution".split(), LINES),
    isbn=st.sampled_from(["", "978-3-16-148410-0", "0-19-852663-6 (pbk)"]),
    issn=st.sampled_from(["", "1234-567X"]),
    journal=LETTERS,
    booktitle=LETTERS,
    pages=st.sampled_from(["", "1–9", "e77", "S12–S19"]),
    language=st.sampled_from(["", "de", "english"]),
    bibkey=st.sampled_from(["Müller2010", "王2013", "O'Neil2011", "Smith(2016)a", "DBLP:conf/acl/X", "a&b_c$d*e!f@g"]),
    files=st.lists(
        st.sampled_from(["a b.pdf", "files/1/x_y.pdf", "C:\\papers\\x.pdf", "/home/u/a;b:c.pdf", "ü%20.pdf"]),
        unique=True,
    ).map(tuple),
)
PAPERS = st.builds(
    Paper,
    id=st.just(PaperId("doi:10.1002/(sici)1096(1996)365:1<113::aid-cne9>3.0.co;2-6")),
    title=LINES.map(lambda text: clean_line(f"On {text} and more")),
    abstract=LINES,
    authors=st.lists(st.builds(Author, family=LETTERS, given=LETTERS), max_size=3).map(tuple),
    year=st.just(2018),
    date=st.sampled_from(["2018", "2018-07", "2018-07-05"]),
    keywords=st.lists(WORDS, max_size=3, unique_by=str.lower).map(tuple),
    aliases=st.sampled_from([(), (PaperId("arxiv:1810.04805"),), (PaperId("pmid:90123456"), PaperId("pmc:PMC77"))]),
    urls=st.sampled_from([(), ("https://example.org/~a_b/?c=1&d=%20#e",)]),
    retraction=st.sampled_from(["", "retracted", "retracted: of the authors", "corrected: a number", "concern"]),
    decision=st.sampled_from(["", "reject", "withdrawn", "desk-reject", "workshop", "unknown"]),
    venue=st.sampled_from(["ICLR", "Some Conference"]),
    type=st.sampled_from(["article", "inproceedings", "book", "chapter", "thesis", "report", "other"]),
    imprint=DETAILS,
)  # fmt: skip


def as_imported(paper: Paper, degree: str) -> Paper:
    """`paper` with what follows from its type and its ids, as importers have it."""
    urls = (*page_urls(rank_ids((paper.id, *paper.aliases))), *paper.urls)
    degree = degree if paper.type == "thesis" else ""
    return replace(paper, urls=urls, imprint=replace(paper.imprint, thesis=degree))


THESES = st.sampled_from(["phd", "master", "bachelor", "habilitation", "Diplomarbeit", ""])


def read(text: str) -> Paper:
    (found,) = read_bibtex(memory_content("x.bib", text.encode()))
    assert isinstance(found, Parsed)
    return found.paper


@settings(max_examples=60, deadline=None)
@given(st.builds(as_imported, PAPERS, THESES))
def test_export_import_and_export_give_the_same(paper: Paper) -> None:
    text = bibtex.entries([paper])
    again = read(text)
    assert bibtex.entries([again]) == text
    kept = ("title", "abstract", "authors", "year", "date", "keywords", "retraction", "decision")
    assert [getattr(again, name) for name in kept] == [getattr(paper, name) for name in kept]
    assert {again.id, *again.aliases} == {paper.id, *paper.aliases}
    details = ["bibkey", "edition", "language", "note", "files"]
    if not paper.decision:
        # What was refused is in no volume of anything.
        details += ["thesis", "volume", "issue", "pages", "address", "article_number", "series", "isbn", "issn"]
    assert [getattr(again.imprint, name) for name in details] == [getattr(paper.imprint, name) for name in details]


def test_the_venue_is_the_conference_and_stays_so() -> None:
    paper = read("@inproceedings{a, title={T}, booktitle={Advances in Lamps}, series={LNCS}, volume={12}, year={2020}}")
    assert (paper.venue, paper.imprint.series) == ("Advances in Lamps", "LNCS")
    again = read(bibtex.entries([paper]))
    assert (again.venue, again.imprint.series, again.venue_keys) == (paper.venue, "LNCS", paper.venue_keys)
