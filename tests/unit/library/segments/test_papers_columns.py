"""A paper is read back as it was written, to the last field, and an older litterm can still read it."""

from __future__ import annotations

import json

from litterm.library.segments.papers import paper_from_line, paper_line
from litterm.model.paper import Author, Paper, PaperId, Provenance, PublicationDetails, SourceRecord

PAPER = Paper(
    PaperId("doi:10.5555/a"),
    "Owls of the North",
    authors=(
        Author("Berg", "Jan", prefix="van den"),
        Author("King", "Martin L.", suffix="Jr."),
        Author("The Owl Group", is_literal=True),
        Author("Nilsson", "Eva"),
    ),
    imprint=PublicationDetails(
        journal="Birds",
        editors=(Author("Vries", "Bo", prefix="de"),),
        article_number="e12",
        edition="2nd",
        series="Lecture Notes",
        isbn="978-3-16-148410-0",
        issn="1234-5678",
        thesis="master",
        institution="Oslo",
        note="read twice",
        files=("a.pdf", "b.pdf"),
        has_more_editors=True,
        accession_numbers=("Embase L2029880245",),
        databases=("Embase", "Medline"),
        collections=("Thesis > Owls", "read"),
        exported_on="2024-07-03",
    ),
    provenance=Provenance("bibtex", "owls.bib", "2026-01-01T00:00:00"),
    has_more_authors=True,
    is_title_certain=False,
    unverified_ids=(PaperId("arxiv:1905.55555"),),
    sources=(
        SourceRecord(Paper(PaperId("local:1"), "Owls", authors=(Author("Berg", "J."),)), ("f00",)),
        SourceRecord(Paper(PaperId("doi:10.5555/a"), "Owls of the North", abstract="They hunt.")),
    ),
)


def test_every_field_is_read_back() -> None:
    assert paper_from_line(json.dumps(paper_line(PAPER, 0)).encode()) == PAPER


def test_an_older_litterm_finds_the_names_it_knows() -> None:
    record = paper_line(PAPER, 0)["record"]
    assert isinstance(record, dict)
    assert record["authors"] == [
        ["van den Berg", "Jan"],
        ["King", "Martin L."],
        ["The Owl Group"],
        ["Nilsson", "Eva"],
    ]
    assert set(record["imprint"]) <= {"booktitle", "journal", "volume", "issue", "pages", "publisher", "address"}
