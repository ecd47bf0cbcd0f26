"""The bibliographic facts of a paper, decided once for BibTeX, RIS and CSL alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from litterm.model.annotations import PaperNotes
from litterm.model.paper import Author, Decision, Paper, PaperId
from litterm.render.bibliography.keys import citation_keys
from litterm.text.escape import plain, plain_lines
from litterm.text.references.identity import key_in

Kind = Literal[
    "conference", "journal", "preprint", "submission", "proceedings", "book", "chapter", "thesis", "report", "other"
]
_KIND_OF_TYPE: dict[str, Kind] = {
    "article": "journal",
    "inproceedings": "conference",
    "preprint": "preprint",
    "proceedings": "proceedings",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
}
_VENUE_NAMES = {
    "ICLR": "International Conference on Learning Representations",
    "COLM": "Conference on Language Modeling",
}
"""Venues whose sources name them by acronym only."""
_REFUSAL_NOTES: dict[Decision, str] = {
    "reject": "Submitted to {}; rejected",
    "withdrawn": "Submitted to {}; withdrawn",
    "desk-reject": "Submitted to {}; desk-rejected",
    "unknown": "Submitted to {}; decision unknown",
    "workshop": "Workshop track of {}",
}


_CORRECTION_PREFIX = "corrected"
NO_NOTES: Mapping[PaperId, PaperNotes] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Publication:
    """A paper as it was published, or as it was not; all text is on one line and harmless."""

    kind: Kind
    """`submission` where a venue did not take it into its proceedings: rejected, withdrawn, workshop track, unknown."""
    title: str
    authors: tuple[Author, ...]
    editors: tuple[Author, ...]
    container: str
    """Proceedings, journal or book it is part of; empty for a submission."""
    year: int | None
    month: int | None
    day: int | None
    volume: str
    issue: str
    pages: str
    """With a single hyphen between first and last."""
    publisher: str
    address: str
    doi: str
    arxiv: str
    url: str
    language: str
    note: str
    """Refusal and retraction, in sentences; empty if there is neither."""
    correction: str = ""
    """A sentence; worth knowing, but nothing that a bibliography prints."""
    keywords: tuple[str, ...] = ()
    """The user's tags, without commas, which separate them in every format."""
    remark: str = ""
    """The user's note, line by line."""


def publications(
    papers: Sequence[Paper], notes: Mapping[PaperId, PaperNotes] = NO_NOTES, taken_keys: set[str] | None = None
) -> Iterator[tuple[str, Publication]]:
    """Citation key and facts of every paper, in order, each paper once: the first record of it counts.

    `taken_keys` holds keys that are not free, and then those given here too.
    """
    # In reverse, so that of several records of one id the first stays.
    first_records = {paper.id: paper for paper in reversed(papers)}
    keys = citation_keys(papers, taken_keys)
    return ((key, publication(first_records[paper_id], notes.get(paper_id))) for paper_id, key in keys.items())


def publication(paper: Paper, notes: PaperNotes | None = None) -> Publication:
    """The facts of `paper` a bibliography may state; a rejected or withdrawn one is in no proceedings."""
    tags = notes.tags if notes else ()
    refusal = _refusal(paper)
    imprint = paper.imprint
    kind: Kind = "submission" if refusal else _kind(paper)
    month, day = _month_and_day(paper.date)
    return Publication(
        kind=kind,
        title=plain(paper.title),
        authors=_people(paper.authors),
        editors=() if refusal else _people(imprint.editors),
        # What was refused must not read as if it was in the proceedings.
        container="" if refusal else _container(paper, kind),
        year=paper.year,
        month=month,
        day=day,
        volume="" if refusal else plain(imprint.volume),
        issue="" if refusal else plain(imprint.issue),
        pages="" if refusal else re.sub(r"(?:(?<!\s)\s+)?[-–—−]+\s*", "-", plain(imprint.pages)).strip("-"),
        publisher="" if refusal else plain(imprint.publisher),
        address="" if refusal else plain(imprint.address),
        doi=plain(key_in(paper, "doi")),
        arxiv=plain(key_in(paper, "arxiv")),
        url=plain(paper.urls[0]).replace(" ", "%20") if paper.urls else "",
        language=plain(imprint.language),
        note=". ".join(part for part in (refusal, _retraction(paper)) if part),
        correction=_correction(paper),
        keywords=tuple(word for word in (" ".join(plain(tag).replace(",", " ").split()) for tag in tags) if word),
        remark=plain_lines(notes.note).strip() if notes else "",
    )


def _people(authors: tuple[Author, ...]) -> tuple[Author, ...]:
    cleaned = (
        Author(
            plain(author.family).strip(),
            plain(author.given).strip(),
            plain(author.prefix).strip(),
            plain(author.suffix).strip(),
            author.is_literal,
        )
        for author in authors
    )
    return tuple(
        author if author.family else Author(author.given) for author in cleaned if author.family or author.given
    )


def _kind(paper: Paper) -> Kind:
    if paper.type == "other" and paper.decision == "accept":
        return "conference"
    return _KIND_OF_TYPE.get(paper.type, "other")


def _refusal(paper: Paper) -> str:
    # A record that also has an Anthology id was published there, whatever became of it elsewhere.
    if any(key.startswith("acl:") for key in (paper.id, *paper.aliases)):
        return ""
    venue = f"{paper.venue} {paper.year or ''}".strip() or "a conference"
    return _REFUSAL_NOTES.get(paper.decision, "").format(plain(venue))


def _retraction(paper: Paper) -> str:
    # A retraction belongs in every bibliography; a correction would only fill it.
    return "" if paper.retraction.startswith(_CORRECTION_PREFIX) else _status_words(paper)


def _correction(paper: Paper) -> str:
    return _status_words(paper) if paper.retraction.startswith(_CORRECTION_PREFIX) else ""


def _status_words(paper: Paper) -> str:
    word, _, reason = (plain(part).strip() for part in paper.retraction.partition(":"))
    return f"{word.capitalize()}: {reason}" if reason else word.capitalize()


def _container(paper: Paper, kind: Kind) -> str:
    imprint = paper.imprint
    first, second = (imprint.journal, imprint.booktitle) if kind == "journal" else (imprint.booktitle, imprint.journal)
    fallback = _VENUE_NAMES.get(paper.venue, paper.venue) if kind in ("conference", "journal", "chapter") else ""
    return plain(first or second or fallback)


def _month_and_day(date: str) -> tuple[int | None, int | None]:
    parts = re.fullmatch(r"\d{4}-(\d\d)(?:-(\d\d))?", date)
    if parts is None or not 1 <= int(parts[1]) <= 12:
        return None, None
    return int(parts[1]), int(parts[2]) if parts[2] else None
