"""Europe PMC: search, records by id, open full texts, references, citations.

Its documentation: https://europepmc.org/RestfulWebService.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from litterm.core.errors import Malformed, NotFound, NotOpen, RequestFaulty, ServiceDown
from litterm.core.tasks import Task
from litterm.importers.article_fields import reference_from_fields
from litterm.model.citations.citation_counts import ServiceCount
from litterm.model.citations.graph import Direction, ExternalList, ListedWork
from litterm.model.document import Reference
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import ANY_YEAR, OpenText
from litterm.services.http.client import HttpClient
from litterm.services.http.messages import (
    MEGABYTE,
    TEXT_TIMEOUT_S,
    Request,
    ServiceResponse,
    hashed_file,
    quote_segment,
)
from litterm.services.json_access import (
    Record,
    decode_json,
    integer,
    only_papers,
    parse_service_row,
    record,
    records,
    require_fields,
    text,
    texts,
)
from litterm.text.references.identity import first_id, make_id

NAME: Final = "europepmc"
BASE = "https://www.ebi.ac.uk/europepmc/webservices/rest"
_HOST = "www.ebi.ac.uk"
_PAGE_SIZE = 100
_LIST_PAGE_SIZE = 100
_COUNT_BATCH_SIZE = 40
"""Ids joined in one query."""
_COUNT_SCHEMES = ("pmid", "pmc")
_MAX_TEXT_BYTES = 64 * MEGABYTE
_FIELD = re.compile(r"\b[A-Z_]{3,}:")
_NOT_IN_QUERIES = re.compile(r"[^\w\s\"'-]+")
_PAPER_TYPES = {"preprint": "preprint", "journal article": "article", "book": "book"}


class EuropePmc:
    """Fits `Finder`, `IdLookup`, `TextRoute`, `CitationLister` and `CitationCounter`."""

    name = NAME
    schemes = ("pmid", "pmc", "doi")
    max_papers_per_step = _COUNT_BATCH_SIZE

    def __init__(self, client: HttpClient, *, base: str = BASE) -> None:
        self._client = client
        self._base = base

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` papers by relevance."""
        rows: list[Record] = []
        cursor = "*"
        while len(rows) < limit:
            size = str(min(_PAGE_SIZE, limit - len(rows)))
            page = yield from self._search(_query(query, years), [("pageSize", size), ("cursorMark", cursor)])
            results = records(record(page.get("resultList")).get("result"))
            following = text(page.get("nextCursorMark"))
            rows += results
            # The service marks the end in three ways.
            if not results or following in ("", cursor):
                break
            cursor = following
        return only_papers([_parse_result(row) for row in rows[:limit]])

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order."""
        results: list[Parsed | Failure] = []
        for paper_id in ids:
            row = yield from self._record(paper_id)
            results.append(_parse_result(row) if row else Failure(paper_id, "Europe PMC does not have it."))
        return tuple(results)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has an id by which it is found here."""
        return _best(paper) is not None

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The full text as JATS, where the record says that it is open.

        Raises:
            NotOpen: it is not, or there is no full text here.
            NotFound: there is no record.
        """
        best = _best(paper)
        row = (yield from self._record(best)) if best is not None else {}
        if not row:
            raise NotFound("Europe PMC does not have it.")
        number = text(row.get("pmcid"))
        # Asked for a closed article this route answers with status 500, so the record is asked first.
        if row.get("isOpenAccess") != "Y" or not number:
            raise NotOpen("Europe PMC may not give its full text.")
        url = f"{self._base}/{quote_segment(number)}/fullTextXML"
        request = Request(url, expect="xml", read_s=TEXT_TIMEOUT_S, most_bytes=_MAX_TEXT_BYTES, keep=False)
        try:
            answer = yield from self._client.get(request)
        except NotFound as error:
            raise ServiceDown(
                "Europe PMC says that the text is open, but does not deliver it at the moment.", status=404
            ) from error
        path = hashed_file(folder, number, ".xml")
        path.write_bytes(answer.body)
        return OpenText(path, "jats", answer.url, licence=text(row.get("license")))

    def list_works(self, paper: Paper, direction: Direction, *, limit: int) -> Task[ExternalList]:
        """Works without the sentences that cite; unmatched references have no id.

        Raises:
            NotFound: there is no record.
        """
        best = _best(paper)
        row = (yield from self._record(best)) if best is not None else {}
        if not row:
            raise NotFound("Europe PMC does not have it.")
        path = f"/{quote_segment(text(row.get('source')))}/{quote_segment(text(row.get('id')))}/{direction}"
        names = ("referenceList", "reference") if direction == "references" else ("citationList", "citation")
        rows: list[Record] = []
        number = 1
        while len(rows) < limit:
            params = [("page", str(number)), ("pageSize", str(_LIST_PAGE_SIZE)), ("format", "json")]
            page = yield from self._get(path, params)
            results = records(record(page.get(names[0])).get(names[1]))
            rows += results
            if not results or len(rows) >= (integer(page.get("hitCount")) or 0):
                break
            number += 1
        works = tuple(ListedWork(_reference(row, index)) for index, row in enumerate(rows[:limit]))
        return ExternalList(paper.id, "europepmc", direction, works)

    def can_count(self, paper: Paper) -> bool:
        """Whether it is indexed there, which a DOI alone does not show."""
        # Asking for every DOI of a library would mostly be asking for papers of other fields.
        return first_id(paper, _COUNT_SCHEMES) is not None

    def fetch_counts(self, papers: Sequence[Paper]) -> Task[tuple[ServiceCount | None, ...]]:
        """Per paper its count."""
        ids = [first_id(paper, _COUNT_SCHEMES) for paper in papers]
        distinct = list(dict.fromkeys(paper_id for paper_id in ids if paper_id is not None))
        counts: dict[PaperId, ServiceCount] = {}
        if distinct:
            # A work may be there twice, as an article and as its full text.
            params = [("query", " OR ".join(f"({_by_id(paper_id)})" for paper_id in distinct)), ("format", "json")]
            page = yield from self._get(
                "/search", [*params, ("resultType", "lite"), ("pageSize", str(2 * len(distinct)))]
            )
            for row in records(record(page.get("resultList")).get("result")):
                count = integer(row.get("citedByCount"))
                for paper_id in (make_id("pmid", text(row.get("pmid"))), make_id("pmc", text(row.get("pmcid")))):
                    if count is not None and paper_id is not None:
                        counts[paper_id] = ServiceCount(NAME, count, self._client.today())
        return tuple(counts.get(paper_id) if paper_id is not None else None for paper_id in ids)

    def _record(self, paper_id: PaperId) -> Task[Record]:
        page = yield from self._search(_by_id(paper_id), [("pageSize", "1")])
        results = records(record(page.get("resultList")).get("result"))
        return results[0] if results else {}

    def _search(self, query: str, params: Sequence[tuple[str, str]]) -> Task[Record]:
        full = [("query", query), ("format", "json"), ("resultType", "core"), *params]
        return (yield from self._get("/search", full))

    def _get(self, path: str, params: Sequence[tuple[str, str]]) -> Task[Record]:
        answer = yield from self._client.get(Request(f"{self._base}{path}", tuple(params)), _check)
        return record(decode_json(answer, _HOST))


def _check(answer: ServiceResponse) -> None:
    fields = require_fields(answer, _HOST, "hitCount", "resultList", "referenceList", "citationList", "errCode")
    code = integer(fields.get("errCode"))
    if code is not None:
        # Errors come with status 200, and their own code inside.
        kind = RequestFaulty if code < 500 else Malformed
        raise kind(f"Europe PMC reports an error inside its answer: {text(fields.get('errMsg'))[:160]}")


def _query(query: str, years: YearRange) -> str:
    terms = query if _FIELD.search(query) else " ".join(_NOT_IN_QUERIES.sub(" ", query).split())
    if years == ANY_YEAR:
        return terms
    return f"({terms}) AND PUB_YEAR:[{years.first or 1500} TO {years.last or 2999}]"


def _by_id(paper_id: PaperId) -> str:
    scheme, _, key = paper_id.partition(":")
    forms = {"pmid": f"EXT_ID:{key} AND SRC:MED", "pmc": f"PMCID:{key}"}
    return forms.get(scheme, f'DOI:"{key}"')


def _best(paper: Paper) -> PaperId | None:
    return first_id(paper, ("pmc", "pmid", "doi"))


def _parse_result(row: Record) -> Parsed | Failure:
    return parse_service_row(
        _row(row), NAME, f"https://europepmc.org/article/{text(row.get('source'))}/{text(row.get('id'))}"
    )


def _row(row: Record) -> Record:
    """A record as a row of `importers.jsonl.rows`."""
    info = record(row.get("journalInfo"))
    journal = record(info.get("journal"))
    kinds = [kind.lower() for kind in texts(record(row.get("pubTypeList")).get("pubType"))]
    return {
        "pmid": text(row.get("pmid")),
        "pmcid": text(row.get("pmcid")),
        "doi": row.get("doi"),
        # As PubMed has them: with a full stop.
        "title": text(row.get("title")).removesuffix("."),
        # Headings of structured abstracts would run into the words after them.
        "abstract": re.sub(r"</?h4>", " ", text(row.get("abstractText"))),
        "authors": [_person(kind) for kind in records(record(row.get("authorList")).get("author"))],
        "year": integer(row.get("pubYear")),
        "date": row.get("firstPublicationDate"),
        "venue": text(journal.get("isoabbreviation")) or text(journal.get("title")),
        "type": next((_PAPER_TYPES[kind] for kind in kinds if kind in _PAPER_TYPES), "article"),
        "journal": journal.get("title"),
        "volume": info.get("volume"),
        "issue": info.get("issue"),
        "pages": text(row.get("pageInfo")).replace("-", "–"),
        "language": row.get("language"),
        "keywords": list(texts(record(row.get("keywordList")).get("keyword"))),
        "retraction": _retraction(row, kinds),
    }


def _retraction(row: Record, kinds: Sequence[str]) -> str:
    relations = records(record(row.get("commentCorrectionList")).get("commentCorrection"))
    notices = {text(relation.get("type")).lower() for relation in relations}
    if "retracted publication" in kinds or "retraction in" in notices:
        return "retracted"
    if "expression of concern in" in notices:
        return "concern"
    return "corrected" if notices & {"erratum in", "corrected and republished in"} else ""


def _person(fields: Record) -> Record:
    family = text(fields.get("lastName"))
    if family:
        return {"family": family, "given": text(fields.get("firstName")) or text(fields.get("initials"))}
    return {"literal": text(fields.get("collectiveName")), "name": text(fields.get("fullName"))}


def _reference(row: Record, index: int) -> Reference:
    source, key = text(row.get("source")), text(row.get("id"))
    ids = (make_id("pmid", key) if source == "MED" else None, make_id("pmc", key) if source == "PMC" else None)
    known = tuple(paper_id for paper_id in (*ids, make_id("doi", text(row.get("doi")))) if paper_id is not None)
    # Names come as `Smith J, Doe A.`: family name first, initials last.
    names = (
        re.sub(r"(?<!\s)\s+[A-Z-]{1,4}$", "", name.strip(" .")) for name in text(row.get("authorString")).split(",")
    )
    families = tuple(name for name in names if name)
    title = text(row.get("title")).removesuffix(".")
    return reference_from_fields(
        index, title, families, integer(row.get("pubYear")), known, text(row.get("journalAbbreviation"))
    )
