"""Semantic Scholar's Academic Graph: search, records by id, open PDFs, references and citations with their sentences.

Its documentation: https://api.semanticscholar.org/api-docs/.
Data from Semantic Scholar (https://www.semanticscholar.org), which asks to be named.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from litterm.core.errors import AuthRequired, Malformed, NotFound, NotOpen, ServiceDown
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import Task
from litterm.importers.article_fields import reference_from_fields
from litterm.model.citations.citation_counts import ServiceCount
from litterm.model.citations.graph import Direction, ExternalList, ListedWork
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import ANY_YEAR, CatalogueBatch, ExpectedSize, OpenText, Scope
from litterm.services.http.client import HttpClient
from litterm.services.http.download import open_pdf
from litterm.services.http.messages import HOUR_S, WEEK_S, Request, ServiceResponse, hashed_file, quote_segment
from litterm.services.json_access import (
    Record,
    decode_json,
    families_of,
    integer,
    only_papers,
    parse_service_row,
    position,
    record,
    records,
    require_fields,
    text,
    texts,
)
from litterm.text.references.identity import bare_key, key_in, make_id, numerals, scheme_of, title_key
from litterm.text.references.titles import main_title

NAME: Final = "s2"
BASE = "https://api.semanticscholar.org/graph/v1"
_HOST = "api.semanticscholar.org"
_FIELDS = (
    "paperId,corpusId,externalIds,url,title,abstract,venue,year,publicationDate,authors,journal,"
    "publicationTypes,isOpenAccess,openAccessPdf"
)
_LIST_FIELDS = "contexts,title,year,externalIds,authors"
_MIN_TITLE_LENGTH = 20
"""Letters of a title that are worth looking it up by."""
_TIMED_OUT = 504
_PAGE_SIZE = 100
_MAX_REACHABLE = 999
"""Last place of a relevance search that can be asked for."""
_BATCH_SIZE = 500
_LATE_ARRIVAL_S = 90 * 86_400.0
"""How long after its publication a paper may still appear there."""
_LIST_PAGE_SIZE = 500
_MIN_PAGE_SIZE = 50
"""Works of one answer: what a service that times out over very cited papers is asked for at first, and at last."""
_SCHEMES = ("acl", "doi", "arxiv", "pmc", "pmid", "s2")
_ID_PREFERENCE = ("s2", "doi", "arxiv", "acl", "pmid", "pmc")
"""Its own number is exact; its list of Anthology ids has gaps."""
_MIN_TITLE_RATIO = 95.0
"""Likeness of two title keys, 0 to 100, from which they are one: the service finds something under any title."""
_TYPES = {"JournalArticle": "article", "Conference": "inproceedings", "Book": "book", "BookSection": "chapter"}
_ID_FORMS: Mapping[str, str] = {
    "acl": "ACL:{}",
    "doi": "DOI:{}",
    "arxiv": "ARXIV:{}",
    "pmid": "PMID:{}",
}


class SemanticScholar:
    """Fits `Finder`, `Catalogue`, `IdLookup`, `TextRoute`, `CitationLister` and `CitationCounter`."""

    name = NAME
    schemes = _SCHEMES
    max_papers_per_step = _BATCH_SIZE

    def __init__(self, client: HttpClient, key: Callable[[], ApiKey], *, base: str = BASE) -> None:
        """`key` is asked for with every request; without one the service is slower and refuses more."""
        self._client = client
        self._key = key
        self._base = base

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` papers by relevance; the service reaches no further than the first thousand."""
        papers: list[Parsed] = []
        offset = 0
        while len(papers) < limit and offset < _MAX_REACHABLE:
            size = min(_PAGE_SIZE, limit - len(papers), _MAX_REACHABLE - offset)
            # A hyphenated word matches nothing here.
            params = [("query", query.replace("-", " ")), ("limit", str(size)), ("offset", str(offset))]
            page = record((yield from self._get("/paper/search", [*params, *_years(years), ("fields", _FIELDS)])))
            rows = records(page.get("data"))
            papers += only_papers([self._parse_row(row) for row in rows])
            following = integer(page.get("next"))
            if not rows or following is None or following <= offset:
                break
            offset = following
        return tuple(papers[:limit])

    def expected_size(self, scope: Scope, cursor: str) -> Task[ExpectedSize]:
        """How many papers match; an estimate of the service."""
        params = [*_bulk(scope, text(position(cursor).get("since"))), ("fields", "title")]
        page = record((yield from self._get("/paper/search/bulk", params)))
        total = integer(page.get("total")) or 0
        return ExpectedSize(papers=min(total, scope.limit) if scope.limit else total)

    def next_batch(self, scope: Scope, cursor: str, folder: Path) -> Task[CatalogueBatch]:
        """Up to a thousand papers; the cursor holds the service's token and how many were seen.

        At the end it holds a date: the next synchronisation asks for what was published since, or a little before.
        """
        place = position(cursor)
        token, seen, since = text(place.get("token")), integer(place.get("seen")) or 0, text(place.get("since"))
        params = [*_bulk(scope, since), ("fields", _FIELDS), *([("token", token)] if token else [])]
        page = record((yield from self._get("/paper/search/bulk", params)))
        rows, total = records(page.get("data")), integer(page.get("total")) or 0
        if not rows and page.get("token") and seen < total:
            raise ServiceDown(f"Semantic Scholar lists nothing after {seen:,} of {total:,} papers.")
        if scope.limit:
            rows = rows[: max(scope.limit - seen, 0)]
        seen += len(rows)
        following = text(page.get("token"))
        if following and following == token:
            raise ServiceDown(f"Semantic Scholar's list leads in a circle after {seen:,} papers.")
        complete = not following or not rows or bool(scope.limit and seen >= scope.limit)
        next_place: dict[str, object] = {"token": following, "seen": seen, "since": since}
        if complete:
            next_place = {"since": _lately(self._client.settings.now())}
        items = tuple(self._parse_row(row) for row in rows)
        return CatalogueBatch(items, cursor=json.dumps(next_place), done=complete, seen=seen)

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order."""
        results: list[Parsed | Failure] = []
        for start in range(0, len(ids), _BATCH_SIZE):
            chunk = ids[start : start + _BATCH_SIZE]
            rows = yield from self._fetch_forms([form_of(paper_id) for paper_id in chunk])
            for paper_id, row in zip(chunk, rows, strict=True):
                known = record(row)
                results.append(
                    self._parse_row(known) if known else Failure(paper_id, "Semantic Scholar does not know it.")
                )
        return tuple(results)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` can be looked up: by an id, or by a title that says enough."""
        return bool(forms_of(paper)) or len(title_key(paper.title)) >= _MIN_TITLE_LENGTH

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The open PDF the service knows of.

        Raises:
            NotOpen: it knows of none.
        """
        _, fields = yield from self._find_known(paper, "", [("fields", "openAccessPdf,externalIds")])
        pdf = record(fields.get("openAccessPdf"))
        url = text(pdf.get("url"))
        if not url:
            raise NotOpen("Semantic Scholar knows of no open PDF of it.")
        path = hashed_file(folder, text(fields.get("paperId")), ".pdf")
        return (yield from open_pdf(self._client, url, path, licence=text(pdf.get("license"))))

    def list_works(self, paper: Paper, direction: Direction, *, limit: int) -> Task[ExternalList]:
        """Works with the sentences that cite; entries the publisher withholds are left out.

        Raises:
            NotFound: it does not know the paper.
        """
        side = "citedPaper" if direction == "references" else "citingPaper"
        works: list[ListedWork] = []
        form, offset, size = "", 0, _LIST_PAGE_SIZE
        while len(works) < limit:
            params = [("fields", _LIST_FIELDS), ("limit", str(size)), ("offset", str(offset))]
            try:
                if form:
                    page = record((yield from self._get(f"/paper/{form}/{direction}", params)))
                else:
                    form, page = yield from self._find_known(paper, f"/{direction}", params)
            except ServiceDown as error:
                # Over very cited papers it times out: fewer at once, from the same place.
                if error.status != _TIMED_OUT or size <= _MIN_PAGE_SIZE:
                    raise
                size = _MIN_PAGE_SIZE
                continue
            rows = records(page.get("data"))
            for row in rows:
                work = listed_work(row, side, len(works))
                works += [work] if work is not None else []
            following = integer(page.get("next"))
            if not rows or following is None or following <= offset:
                break
            offset = following
        return ExternalList(paper.id, "semantic-scholar", direction, tuple(works[:limit]))

    def can_count(self, paper: Paper) -> bool:
        """Whether it may know the paper by one of its ids."""
        return bool(forms_of(paper))

    def fetch_counts(self, papers: Sequence[Paper]) -> Task[tuple[ServiceCount | None, ...]]:
        """Per paper its count; where the surest id is not known, by each of the others in turn."""
        counts: dict[int, ServiceCount] = {}
        forms = [forms_of(paper) for paper in papers]
        for turn in range(max(map(len, forms), default=0)):
            places = [index for index, spellings in enumerate(forms) if index not in counts and turn < len(spellings)]
            if not places:
                break
            chunk = [forms[index][turn] for index in places]
            for index, row in zip(places, (yield from self._fetch_forms(chunk, "citationCount")), strict=True):
                count = integer(record(row).get("citationCount"))
                if count is not None:
                    counts[index] = ServiceCount(NAME, count, self._client.today())
        return tuple(counts.get(index) for index in range(len(papers)))

    def _find_known(self, paper: Paper, tail: str, params: Sequence[tuple[str, str]]) -> Task[tuple[str, Record]]:
        """By which name the service knows `paper`, and what it says at `/paper/NAME` + `tail`.

        Its list of Anthology ids has gaps, and it knows none of OpenReview's: then the title leads there.
        """
        for form in map(quote_segment, forms_of(paper)):
            try:
                return form, record((yield from self._get(f"/paper/{form}{tail}", params)))
            except NotFound:
                continue
        match = yield from self._get("/paper/search/match", [("query", paper.title), ("fields", "title,year")])
        best = next(iter(records(record(match).get("data"))), {})
        if not is_same(paper, best):
            raise NotFound(f"Semantic Scholar does not know {paper.id}, nor its title.")
        form = quote_segment(text(best.get("paperId")))
        return form, record((yield from self._get(f"/paper/{form}{tail}", params)))

    def _parse_row(self, row: Record) -> Parsed | Failure:
        return parse_service_row(row_of(row), NAME, f"{BASE}/paper/{text(row.get('paperId'))}")

    def _get(self, path: str, params: Sequence[tuple[str, str]]) -> Task[object]:
        answer = yield from self._client.get(self._request(path, params), _check)
        return decode_json(answer, _HOST)

    def _fetch_forms(self, forms: Sequence[str], fields: str = _FIELDS) -> Task[list[object]]:
        """What the service says of each of its names."""

        def rows(answer: ServiceResponse) -> list[object]:
            decoded_rows = decode_json(answer, _HOST)
            # Answers can be told apart by their positions only.
            if not isinstance(decoded_rows, list) or len(decoded_rows) != len(forms):
                raise Malformed("Semantic Scholar answered with another number of papers than it was asked for.")
            return decoded_rows

        request = self._request("/paper/batch", [("fields", fields)], {"ids": list(forms)})
        return rows((yield from self._client.get(request, rows)))

    def _request(self, path: str, params: Sequence[tuple[str, str]], body: object = None) -> Request:
        key = self._key()
        return Request(
            f"{self._base}{path}",
            tuple(params),
            method="GET" if body is None else "POST",
            json=body,
            fresh_s=HOUR_S if path.endswith("/bulk") else WEEK_S,
            secret_headers=(("x-api-key", key.reveal()),) if key.is_there else (),
        )


def _check(answer: ServiceResponse) -> None:
    beginning = answer.body[:2000].lstrip()
    if beginning.startswith(b'{"message"') and b"Forbidden" in beginning:
        raise AuthRequired("Semantic Scholar refuses the key; correct or remove S2_API_KEY.")
    # Where nothing matches there may be no `data`.
    require_fields(answer, _HOST, "data", "total", "paperId", "openAccessPdf")


def _years(years: YearRange) -> list[tuple[str, str]]:
    if years == ANY_YEAR:
        return []
    return [("year", f"{years.first or ''}-{years.last or ''}")]


def _lately(now_s: float) -> str:
    return datetime.fromtimestamp(now_s - _LATE_ARRIVAL_S, UTC).strftime("%Y-%m-%d")


def _bulk(scope: Scope, since: str) -> list[tuple[str, str]]:
    # By date, the newest first: a token alone promises no order.
    params = [("query", scope.query), ("sort", "publicationDate:desc"), *_years(scope.years)]
    params += [("publicationDateOrYear", f"{since}:")] if since else []
    return [*params, ("venue", ",".join(scope.venues))] if scope.venues else params


def form_of(paper_id: PaperId) -> str:
    """An id as the service spells it."""
    return _form(scheme_of(paper_id), paper_id.partition(":")[2])


def _form(scheme: str, key: str) -> str:
    if scheme == "pmc":
        return f"PMCID:{key.removeprefix('PMC')}"
    if scheme == "s2":
        return f"CorpusId:{key}" if key.isdecimal() else key
    return _ID_FORMS[scheme].format(key) if scheme in _ID_FORMS else key


def forms_of(paper: Paper) -> tuple[str, ...]:
    """Every id of `paper` as the service spells it, the surest first."""
    keys = ((scheme, key_in(paper, scheme)) for scheme in _ID_PREFERENCE)
    return tuple(_form(scheme, key) for scheme, key in keys if key)


def is_same(paper: Paper, record_found: Record) -> bool:
    """Whether what the service found under the title of `paper` is that paper: its own score says nothing."""
    year = integer(record_found.get("year"))
    # A preprint and its publication are often a year apart.
    is_near_year = year is None or paper.year is None or abs(year - paper.year) <= 1
    return is_near_year and _is_one_title(paper.title, text(record_found.get("title")))


def _is_one_title(first: str, second: str) -> bool:
    """Equal but for a subtitle that one lacks, or nearly equal with equal numerals."""
    first_key, second_key = title_key(first), title_key(second)
    if not second_key:
        return False
    if (
        first_key == second_key
        or title_key(main_title(first)) == second_key
        or first_key == title_key(main_title(second))
    ):
        return True
    from rapidfuzz import fuzz

    # "YOLOv3" and "YOLOv4" are 0.97 alike.
    return numerals(first) == numerals(second) and fuzz.ratio(first_key, second_key) >= _MIN_TITLE_RATIO


def row_of(row: Record) -> Record:
    """A record of the service as a row of `importers.jsonl.rows`."""
    ids = record(row.get("externalIds"))
    journal = record(row.get("journal"))
    kinds = [_TYPES[kind] for kind in texts(row.get("publicationTypes")) if kind in _TYPES]
    # The number is the durable one: the other changes when records are merged.
    hexadecimal = text(row.get("paperId"))
    return {
        "s2": text(row.get("corpusId")) or text(ids.get("CorpusId")) or hexadecimal,
        "aliases": [f"s2:{hexadecimal}"] if hexadecimal else [],
        "title": row.get("title"),
        "abstract": row.get("abstract"),
        "authors": [text(author.get("name")) for author in records(row.get("authors"))],
        "year": row.get("year"),
        "date": row.get("publicationDate"),
        "venue": _venue(row),
        "type": kinds[0] if kinds else "",
        "journal": "" if "inproceedings" in kinds else text(journal.get("name")),
        "volume": journal.get("volume"),
        "pages": " ".join(text(journal.get("pages")).split()),
        "anthology_id": ids.get("ACL"),
        "doi": ids.get("DOI"),
        "arxiv": ids.get("ArXiv"),
        "pmid": text(ids.get("PubMed")),
        "pmcid": text(ids.get("PubMedCentral")),
        "url": row.get("url"),
        "pdf_url": record(row.get("openAccessPdf")).get("url"),
    }


def _venue(row: Record) -> str:
    venue = text(row.get("venue"))
    return "arXiv" if venue == "arXiv.org" else venue


def listed_work(row: Record, side: str, index: int) -> ListedWork | None:
    """The work on the other side of a citation; `None` where the publisher withholds it."""
    work = record(row.get(side))
    title = text(work.get("title"))
    if not title:
        return None
    ids = record(work.get("externalIds"))
    pairs = (("acl", "ACL"), ("pmc", "PubMedCentral"), ("pmid", "PubMed"), ("doi", "DOI"), ("arxiv", "ArXiv"))
    paper_ids = [make_id(scheme, text(ids.get(name))) for scheme, name in pairs]
    paper_ids.append(make_id("s2", text(ids.get("CorpusId")) or text(work.get("paperId"))))
    families = families_of(text(item.get("name")) for item in records(work.get("authors")))
    known = tuple(dict.fromkeys(item for item in paper_ids if item is not None and bare_key(item)))
    reference = reference_from_fields(index, title, families, integer(work.get("year")), known)
    return ListedWork(reference, texts(row.get("contexts")))
