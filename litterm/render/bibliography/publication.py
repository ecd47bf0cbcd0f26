"""The bibliographic facts of a paper, decided once for BibTeX, RIS and CSL alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from litterm.model.annotations import PaperNotes
from litterm.model.paper import USER_FORMATS, Author, Decision, Paper, PaperId
from litterm.render.bibliography.keys import STANDARD_KEYS
from litterm.text.escape import plain, plain_lines
from litterm.text.file_annotations import annotation_line, annotations_of
from litterm.text.references.identity import key_in, scheme_of

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


_PAGES_OF_IDS = (
    "https://doi.org/",
    "https://arxiv.org/abs/",
    "https://pubmed.ncbi.nlm.nih.gov/",
    "https://pmc.ncbi.nlm.nih.gov/articles/",
)
"""Where the pages of the ids are that have fields of their own."""
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
    source_note: str = ""
    """The note of the source."""
    correction: str = ""
    """A sentence; worth knowing, but nothing that a bibliography prints."""
    keywords: tuple[str, ...] = ()
    """Those of the source, then the user's tags, each once; no semicolon in them, and no comma in a tag."""
    abstract: str = ""
    """The authors' own; a summary by litterm is none."""
    article_number: str = ""
    edition: str = ""
    series: str = ""
    isbn: str = ""
    issn: str = ""
    thesis: str = ""
    """`phd`, `master`, `bachelor`, `habilitation` or the source's word; empty where the degree is not known."""
    institution: str = ""
    """School of a thesis, institution of a report."""
    pmid: str = ""
    pmcid: str = ""
    """With its `PMC`."""
    files: tuple[str, ...] = ()
    remark: str = ""
    """The user's note, line by line."""
    has_more_authors: bool = False
    has_more_editors: bool = False


def publications(
    papers: Sequence[Paper],
    notes: Mapping[PaperId, PaperNotes] = NO_NOTES,
    keys: Mapping[PaperId, str] | None = None,
) -> Iterator[tuple[str, Publication]]:
    """Citation key and facts of every paper, in order, each paper once: the first record of it counts.

    `keys` holds a key for each of them; without it they are the standard ones.
    """
    # In reverse, so that of several records of one id the first stays.
    first_records = {paper.id: paper for paper in reversed(papers)}
    keys = STANDARD_KEYS.keys_of(papers) if keys is None else keys
    # In the order of the papers, whatever that of the keys is.
    ids = dict.fromkeys(paper.id for paper in papers)
    return ((keys[paper_id], publication(first_records[paper_id], notes.get(paper_id))) for paper_id in ids)


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
        series="" if refusal else plain(imprint.series),
        article_number="" if refusal else plain(imprint.article_number),
        edition=plain(imprint.edition),
        isbn="" if refusal else plain(imprint.isbn),
        issn="" if refusal else plain(imprint.issn),
        thesis=plain(imprint.thesis),
        institution=plain(imprint.institution),
        doi=plain(_stated_key(paper, "doi")),
        arxiv=plain(_stated_key(paper, "arxiv")),
        pmid=plain(_stated_key(paper, "pmid")),
        pmcid=plain(_stated_key(paper, "pmc")),
        url=_url(paper),
        language=plain(imprint.language),
        note=". ".join(part for part in (refusal, _retraction(paper)) if part),
        source_note=plain("; ".join(imprint.note.splitlines())),
        correction=_correction(paper),
        keywords=_keywords(paper, tags),
        abstract=plain(paper.abstract) if paper.abstract_by == "authors" else "",
        files=tuple(name for file in imprint.files if (name := plain(file).strip())),
        remark=_remark(paper, notes) if notes else "",
        has_more_authors=paper.has_more_authors,
        has_more_editors=not refusal and imprint.has_more_editors,
    )


def _remark(paper: Paper, notes: PaperNotes) -> str:
    """The user's note, and below it what is annotated in the files of the paper, a line each."""
    annotated = "\n".join(plain(annotation_line(annotation)) for annotation in annotations_of(paper))
    return "\n\n".join(filter(None, (plain_lines(notes.note).strip(), annotated)))


def _stated_key(paper: Paper, scheme: str) -> str:
    """The key of `paper` in `scheme`; of a record from the user's own file also one that is not verified."""
    if own := key_in(paper, scheme):
        return own
    # Two records of a file may state one DOI: litterm does not merge them, and gives back what came in.
    stated = paper.unverified_ids if paper.provenance.format in USER_FORMATS else ()
    return next((paper_id.partition(":")[2] for paper_id in stated if scheme_of(paper_id) == scheme), "")


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


def _keywords(paper: Paper, tags: Sequence[str]) -> tuple[str, ...]:
    # A comma or a semicolon divides keywords, whatever the format; a comma inside one is the source's own.
    own = (" ".join(plain(word).replace(";", ",").split()) for word in paper.keywords)
    users = (" ".join(plain(tag).replace(";", " ").replace(",", " ").split()) for tag in tags)
    words: dict[str, str] = {}
    for word in (*own, *users):
        words.setdefault(word.strip(" ,").lower(), word.strip(" ,"))
    return tuple(word for word in words.values() if word)


def _url(paper: Paper) -> str:
    """The address that says most: the first that no other field of the entry says already, else the first."""
    told = next((url for url in paper.urls if not url.lower().startswith(_PAGES_OF_IDS)), "")
    return plain(told or next(iter(paper.urls), "")).replace(" ", "%20")


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
    fallback = ""
    if kind in ("conference", "journal", "chapter"):
        fallback = _VENUE_NAMES.get(paper.venue, paper.venue)
    elif kind in ("preprint", "other") and not (paper.venue.lower() == "arxiv" and key_in(paper, "arxiv")):
        # Nothing but the name of a server or a site is known; that of arXiv is said by the number there.
        fallback = paper.venue
    container = plain(first or second or fallback)
    # A volume of proceedings is often stated as its own container.
    return "" if kind in ("proceedings", "book") and container == plain(paper.title) else container


def _month_and_day(date: str) -> tuple[int | None, int | None]:
    parts = re.fullmatch(r"\d{4}-(\d\d)(?:-(\d\d))?", date)
    if parts is None or not 1 <= int(parts[1]) <= 12:
        return None, None
    return int(parts[1]), int(parts[2]) if parts[2] else None
