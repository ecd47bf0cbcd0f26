"""What RIS writes of a paper is read again: export, import and export give the same text, but for what RIS loses.

The losses are listed in `docs/reference/exchange-formats.md`.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.importers.article_fields import page_urls
from litterm.importers.byte_sources import memory_content
from litterm.importers.detect import detect
from litterm.importers.ids import rank_ids
from litterm.importers.ris import read_ris
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.render.bibliography import ris
from litterm.text.clean import clean_line

# Without the signs of LaTeX, HTML and entities, which are read as what they mean.
SIGNS = st.sampled_from("{}~^%#_@,\"'()[]=-+|!?.: abcXYZ12 éßłøŁÅ王ЖΩ–—“”’…")
LINES = st.text(SIGNS | st.characters(exclude_characters="$\\<&;", codec="utf-8"), max_size=25).map(clean_line)
# Behind a letter: a field of signs alone may say that there is nothing.
TEXTS = LINES.map(lambda text: clean_line(f"On {text} and more"))
LETTERS = st.text(st.characters(categories=["Ll"], max_codepoint=0x2FF), min_size=4, max_size=12).map(str.capitalize)
PEOPLE = st.builds(
    Author, family=LETTERS, given=LETTERS, prefix=st.sampled_from(["", "van"]), suffix=st.sampled_from(["", "Jr."])
) | st.builds(Author, family=LETTERS.map(lambda name: f"{name} 2019 Collaborators"), is_literal=st.just(True))
DETAILS = st.builds(
    PublicationDetails,
    **dict.fromkeys("volume issue publisher address edition series note".split(), TEXTS | st.just("")),
    article_number=st.sampled_from(["", "e12", "103640"]),
    isbn=st.sampled_from(["", "978-3-16-148410-0", "0-19-852663-6 (pbk)"]),
    issn=st.sampled_from(["", "1234-567X", "1234-5678, 8765-4321"]),
    journal=LETTERS,
    booktitle=LETTERS,
    pages=st.sampled_from(["", "1–9", "e77", "S12–S19", "5"]),
    language=st.sampled_from(["", "de", "english"]),
    bibkey=st.sampled_from(["Müller2010", "王2013", "O'Neil2011", "Smith(2016)a", "DBLP:conf/acl/X"]),
    editors=st.lists(PEOPLE, max_size=2, unique=True).map(tuple),
    files=st.lists(st.sampled_from(["a b.pdf", "files/1/x_y.pdf", "C:\\papers\\x.pdf", "ü%20.pdf"]), unique=True).map(
        tuple
    ),
)
PAPERS = st.builds(
    Paper,
    id=st.just(PaperId("doi:10.1002/(sici)1096(1996)365:1<113::aid-cne9>3.0.co;2-6")),
    title=TEXTS,
    abstract=TEXTS | st.just(""),
    authors=st.lists(PEOPLE, max_size=3, unique=True).map(tuple),
    year=st.just(2018),
    date=st.sampled_from(["2018", "2018-07", "2018-07-05"]),
    keywords=st.lists(TEXTS, max_size=3, unique_by=str.lower).map(tuple),
    aliases=st.sampled_from([(), (PaperId("arxiv:1810.04805"),), (PaperId("pmid:90123456"), PaperId("pmc:PMC77"))]),
    urls=st.sampled_from([(), ("https://example.org/~a_b/?c=1&d=%20#e",)]),
    retraction=st.sampled_from(["", "retracted", "retracted: of the authors", "corrected: a number", "concern"]),
    decision=st.sampled_from(["", "reject", "withdrawn", "desk-reject", "workshop", "unknown"]),
    venue=st.sampled_from(["ICLR", "Some Conference"]),
    type=st.sampled_from("article inproceedings book chapter thesis report other preprint proceedings".split()),
    imprint=DETAILS,
)  # fmt: skip
DEGREES = st.sampled_from(["phd", "master", "bachelor", "habilitation", "Diplomarbeit", ""])


def as_imported(paper: Paper, degree: str) -> Paper:
    """`paper` with what follows from its type and its ids, as importers have it."""
    urls = (*page_urls(rank_ids((paper.id, *paper.aliases))), *paper.urls)
    return replace(paper, urls=urls, imprint=replace(paper.imprint, thesis=degree if paper.type == "thesis" else ""))


def read(text: str) -> Paper:
    assert detect(text.encode(), "x") == "ris"
    (found,) = read_ris(memory_content("x.ris", text.encode()))
    assert isinstance(found, Parsed)
    return found.paper


@settings(max_examples=40, deadline=None)
@given(st.builds(as_imported, PAPERS, DEGREES))
def test_export_import_and_export_give_the_same(paper: Paper) -> None:
    text = ris.entries([paper])
    again = read(text)
    assert ris.entries([again]) == text
    kept = ("title", "abstract", "year", "date", "keywords", "retraction", "decision")
    assert [getattr(again, name) for name in kept] == [getattr(paper, name) for name in kept]
    assert {again.id, *again.aliases} == {paper.id, *paper.aliases}
    if paper.authors:
        assert again.authors == paper.authors
    details = ["bibkey", "edition", "language", "note", "files"]
    if not paper.decision:
        details += ["thesis", "volume", "issue", "pages", "address", "article_number", "series", "isbn", "issn"]
    assert [getattr(again.imprint, name) for name in details] == [getattr(paper.imprint, name) for name in details]
