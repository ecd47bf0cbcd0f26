"""What goes in comes out, equal to the last character."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from libraries import store

from litterm.library.segments.library import DuckLibrary
from litterm.model.document import (
    CitingContext,
    Document,
    DocumentId,
    DocumentOrigin,
    Reference,
    Section,
    SectionKind,
    Sentence,
    SentenceKind,
    Span,
    Table,
)
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import Author, Decision, Paper, PaperId, PaperType, Provenance, PublicationDetails

TEXT = st.text(max_size=12)
LINE = st.text(alphabet=st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)
NAMES = st.lists(st.builds(Author, TEXT, TEXT), max_size=3).map(tuple)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
NUMBER = st.integers(0, 2**31 - 1)
ID = st.builds(lambda key: PaperId(f"doi:{key}"), LINE)

PAPER = st.builds(
    Paper,
    id=st.just(PaperId("acl:P1")),
    title=TEXT,
    abstract=TEXT,
    authors=NAMES,
    year=st.none() | st.integers(0, 3000),
    date=TEXT,
    venue=TEXT,
    venue_keys=TEXTS,
    type=st.sampled_from(get_args(PaperType)),
    keywords=TEXTS,
    aliases=st.lists(ID, max_size=2, unique=True).map(tuple),
    urls=TEXTS,
    retraction=TEXT,
    decision=st.sampled_from(get_args(Decision)),
    status=TEXT,
    abstract_by=st.sampled_from(("authors", "litterm")),
    imprint=st.builds(PublicationDetails, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, NAMES, TEXT, TEXT),
    provenance=st.builds(Provenance, TEXT, TEXT, st.just("2026-01-01T00:00:00Z")),
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(max_size=60))
    spans = st.builds(lambda a, b: Span(min(a, b), max(a, b)), st.integers(0, len(text)), st.integers(0, len(text)))
    sections = draw(
        st.lists(st.tuples(TEXT, TEXT, st.integers(1, 9), st.sampled_from(get_args(SectionKind))), max_size=3)
    )
    rows = draw(
        st.lists(
            st.tuples(spans, st.none() | TEXT, st.sampled_from(get_args(SentenceKind)), NUMBER, st.none() | NUMBER),
            max_size=5,
        )
    )
    return Document(
        id=DocumentId("d"),
        paper_id=PaperId("acl:P1"),
        text=text,
        sections=tuple(Section(number, *fields) for number, fields in enumerate(sections)),
        sentences=tuple(
            Sentence(number, text[span.start : span.end] if own is None else own, span, kind, at, at, number, page)
            for number, (span, own, kind, at, page) in enumerate(rows)
        ),
        # A reference list beside an abstract is stored too, but counts as no full text.
        origin=draw(st.sampled_from([each for each in get_args(DocumentOrigin) if each != "abstract"])),
        tables=tuple(
            Table(number, label, caption, cells, first)
            for number, (label, caption, cells, first) in enumerate(
                draw(st.lists(st.tuples(TEXT, TEXT, st.lists(TEXTS, max_size=2).map(tuple), NUMBER), max_size=2))
            )
        ),
        references=tuple(
            Reference(number, *fields)
            for number, fields in enumerate(
                draw(
                    st.lists(
                        st.tuples(
                            TEXT, TEXT, TEXT, TEXTS, st.none() | NUMBER, st.just((PaperId("doi:1"),)), st.none() | ID
                        ),
                        max_size=2,
                    )
                )
            )
        ),
        references_known=draw(st.booleans()),
        contexts=tuple(draw(st.lists(st.builds(CitingContext, NUMBER, NUMBER, spans), max_size=2))),
        licence=draw(TEXT),
    )


def numbered(parsed: tuple[Paper, Document], number: int) -> Parsed:
    paper, document = parsed
    told = PaperId(f"acl:P{number}")
    aliases = tuple(PaperId(f"{each}-{number}") for each in paper.aliases)
    # Titles that say nothing keep the papers apart.
    return Parsed(
        replace(paper, id=told, aliases=aliases, title=f"{paper.title}{number}", full_text=True),
        replace(document, id=DocumentId(f"d{number}"), paper_id=told),
    )


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(st.tuples(PAPER, documents()), min_size=1, max_size=6))
def test_papers_and_full_texts(tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[Paper, Document]]) -> None:
    root = tmp_path_factory.mktemp("library")
    records = [numbered(each, number) for number, each in enumerate(drawn)]
    report = store(root, records)
    assert (report.added, report.documents) == (len(records), len(records))
    library = DuckLibrary(root)
    assert library.by_id([each.paper.id for each in records]) == tuple(each.paper for each in records)
    assert [library.document(each.paper.id) for each in records] == [each.document for each in records]
    library.close()


def test_a_document_longer_than_duckdb_likes(tmp_path: Path) -> None:
    text = "word " * 4_000_000
    long = Document(DocumentId("long"), PaperId("acl:P1"), text, (), (), "pdf")
    store(tmp_path, [Parsed(Paper(PaperId("acl:P1"), "Long"), long)])
    assert DuckLibrary(tmp_path).document(PaperId("acl:P1")) == long


def test_rows_come_in_the_order_asked_for_however_many(tmp_path: Path) -> None:
    store(tmp_path, [Parsed(Paper(PaperId(f"acl:P{n}"), f"Title {n}", f"Abstract {n}.")) for n in range(1500)])
    library = DuckLibrary(tmp_path)
    snapshot = library.snapshot()
    (segment,) = snapshot.segments
    for order in ([7, 3, 1499], list(reversed(range(1200)))):
        refs = [RowRef(segment.key, row) for row in order]
        assert [paper.id for paper in library.papers(snapshot, refs)] == [f"acl:P{row}" for row in order]
        assert library.texts(snapshot, refs)[0] == (f"Title {order[0]}", f"Abstract {order[0]}.")
