"""Crossref: the record of a DOI, and the references that publishers deposit.

Its documentation: https://www.crossref.org/documentation/retrieve-metadata/rest-api/.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from litterm.core.errors import Malformed, NotFound
from litterm.core.tasks import Task
from litterm.model.citations.citation_counts import ServiceCount
from litterm.model.citations.graph import Direction, ExternalList, ListedWork
from litterm.model.document import Reference
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import ANY_YEAR
from litterm.services.http.client import HttpClient
from litterm.services.http.messages import Request, ServiceResponse, quote_segment
from litterm.services.json_access import (
    Record,
    families_of,
    integer,
    only_papers,
    parse_service_row,
    record,
    records,
    require_fields,
    text,
)
from litterm.text.clean import prose
from litterm.text.references.identity import first_id, key_in, make_id

NAME: Final = "crossref"
BASE = "https://api.crossref.org"
_HOST = "api.crossref.org"
_COUNT_BATCH_SIZE = 40
"""DOIs joined in one filter."""
_PAPER_TYPES = {
    "journal-article": "article",
    "proceedings-article": "inproceedings",
    "posted-content": "preprint",
    "book": "book",
    "monograph": "book",
    "book-chapter": "chapter",
    "dissertation": "thesis",
    "report": "report",
    "proceedings": "proceedings",
}
_UPDATES = (
    ("retracted", ("retraction", "removal", "withdrawal", "partial-retraction")),
    ("concern", ("expression-of-concern",)),
    ("corrected", ("correction", "corrigendum", "erratum")),
)
_ABSTRACT_HEADINGS = (
    "<jats:title>Abstract</jats:title>",
    "<jats:title>ABSTRACT</jats:title>",
    "<title>Abstract</title>",
)


class Crossref:
    """Fits `IdLookup`, `Finder`, `CitationCounter` and, for references, `CitationLister`."""

    name = NAME
    schemes = ("doi",)
    max_papers_per_step = _COUNT_BATCH_SIZE

    def __init__(self, client: HttpClient, *, base: str = BASE) -> None:
        self._client = client
        self._base = base

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order."""
        results: list[Parsed | Failure] = []
        for paper_id in ids:
            try:
                work = yield from self._work(paper_id)
            except NotFound as error:
                results.append(Failure(paper_id, str(error)))
            else:
                results.append(parse_service_row(_row(work), NAME, f"{BASE}/works/{paper_id.partition(':')[2]}"))
        return tuple(results)

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` works by likeness to `query`, a printed reference or a part of one; of any year."""
        request = Request(f"{self._base}/works", (("query.bibliographic", query), ("rows", str(limit))))
        page = _page((yield from self._client.get(request, _page)))
        rows = [parse_service_row(_row(work), NAME, f"{BASE}/works/{text(work.get('DOI'))}") for work in page]
        return only_papers(rows)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has a DOI."""
        return bool(key_in(paper, "doi"))

    def list_works(self, paper: Paper, direction: Direction, *, limit: int) -> Task[ExternalList]:
        """The references that the publisher deposited; Crossref gives no citations.

        Raises:
            NotFound: it does not know the paper, or `direction` is `citations`.
        """
        doi = first_id(paper, ("doi",))
        if doi is None or direction != "references":
            raise NotFound("Crossref lists references of papers with a DOI only.")
        work = yield from self._work(doi)
        rows = records(work.get("reference"))[:limit]
        works = tuple(ListedWork(_reference(row, index)) for index, row in enumerate(rows))
        return ExternalList(paper.id, "crossref", direction, works)

    def can_count(self, paper: Paper) -> bool:
        """Whether `paper` has a DOI that a filter can hold: a comma would begin the next filter."""
        doi = key_in(paper, "doi")
        return bool(doi) and "," not in doi

    def fetch_counts(self, papers: Sequence[Paper]) -> Task[tuple[ServiceCount | None, ...]]:
        """Per paper how often works with deposited references cite it."""
        dois = [key_in(paper, "doi").casefold() if self.can_count(paper) else "" for paper in papers]
        distinct = sorted(filter(None, set(dois)))
        if not distinct:
            return (None,) * len(papers)
        params = (
            ("filter", ",".join(f"doi:{doi}" for doi in distinct)),
            # Twenty rows come otherwise.
            ("rows", str(len(distinct))),
            ("select", "DOI,is-referenced-by-count"),
        )
        request = Request(f"{self._base}/works", params)
        page = _page((yield from self._client.get(request, _page)))
        rows = ((text(row.get("DOI")).casefold(), integer(row.get("is-referenced-by-count"))) for row in page)
        today = self._client.today()
        counts = {doi: ServiceCount(NAME, count, today) for doi, count in rows if count is not None}
        return tuple(counts.get(doi) for doi in dois)

    def _work(self, doi: PaperId) -> Task[Record]:
        request = Request(f"{self._base}/works/{quote_segment(doi.partition(':')[2])}")
        return _message_of((yield from self._client.get(request, _message_of)))


def _message_of(answer: ServiceResponse) -> Record:
    work = record(require_fields(answer, _HOST, "message").get("message"))
    if work.keys().isdisjoint(("DOI", "title")):
        raise Malformed("Crossref did not answer with a work.")
    return work


def _page(answer: ServiceResponse) -> list[Record]:
    message = record(require_fields(answer, _HOST, "message").get("message"))
    if "items" not in message:
        raise Malformed("Crossref answered with something that is not a list of works.")
    return records(message.get("items"))


def _row(work: Record) -> Record:
    """A work as a row of `importers.jsonl.rows`."""
    container = _first(work.get("container-title"))
    kind = _PAPER_TYPES.get(text(work.get("type")), "other")
    in_proceedings = kind in ("inproceedings", "chapter")
    return {
        "doi": work.get("DOI"),
        "title": ": ".join(part for part in (_first(work.get("title")), _first(work.get("subtitle"))) if part),
        "abstract": _abstract(text(work.get("abstract"))),
        "authors": [_person(person) for person in records(work.get("author"))],
        "editors": [_person(person) for person in records(work.get("editor"))],
        "date": _date(work),
        "venue": _first(work.get("short-container-title")) or container,
        "type": kind,
        "journal": "" if in_proceedings else container,
        "booktitle": container if in_proceedings else "",
        "volume": work.get("volume"),
        "issue": work.get("issue"),
        "pages": text(work.get("page")).replace("-", "–"),
        "publisher": work.get("publisher"),
        "language": work.get("language"),
        "url": f"https://doi.org/{text(work.get('DOI'))}",
        "retraction": _retraction(work),
    }


def _first(value: object) -> str:
    return text(value[0]) if isinstance(value, list) and value else ""


def _person(fields: Record) -> Record:
    if not text(fields.get("family")):
        # Only groups and institutions have a name as a whole.
        return {"literal": text(fields.get("name"))}
    # `prefix` is a title here (`Dr.`), and no part of the name.
    return {part: text(fields.get(part)) for part in ("family", "given", "suffix")}


def _date(work: Record) -> str:
    # `published` is the earliest of the others; a record without it may still have one of them.
    for name in ("published", "issued", "published-online", "published-print"):
        parts = record(work.get(name)).get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
        numbers = [number for number in map(integer, first) if number]
        if numbers:
            return "-".join(f"{number:02d}" for number in numbers)
    return ""


def _abstract(markup: str) -> str:
    for opening in _ABSTRACT_HEADINGS:
        markup = markup.removeprefix(opening)
    return prose(markup.replace("<jats:", "<").replace("</jats:", "</"))


def _retraction(work: Record) -> str:
    """The gravest notice published about the work (retraction before correction), with its DOI."""
    updates = {text(update.get("type")).replace("_", "-"): update for update in records(work.get("updated-by"))}
    for word, kinds in _UPDATES:
        for kind in kinds:
            if kind in updates:
                notice = make_id("doi", text(updates[kind].get("DOI")))
                # The gravest is asked for first: a paper may be corrected and then retracted.
                return f"{word}: see {notice}" if notice is not None else word
    return "retracted" if _first(work.get("title")).upper().startswith(("RETRACTED:", "RETRACTED ARTICLE")) else ""


def _reference(row: Record, index: int) -> Reference:
    # Publishers deposit fields, a printed line, or a DOI alone.
    title = prose(text(row.get("article-title")) or text(row.get("volume-title")))
    year, author = integer(text(row.get("year"))[:4]), text(row.get("author"))
    doi = make_id("doi", text(row.get("DOI")))
    printed = text(row.get("unstructured")) or ". ".join(
        part for part in (author, title, text(row.get("journal-title")), str(year or "")) if part
    )
    return Reference(
        index,
        printed or (doi or f"reference {index + 1}, not described"),
        title=title,
        families=families_of([author]),
        year=year,
        ids=(doi,) if doi else (),
    )
