"""OpenAlex: search, records by id, open copies, citations.

Its documentation: https://developers.openalex.org. Its data is CC0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from litterm.core.errors import NotFound, NotOpen
from litterm.core.settings.secrets import ApiKey
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
from litterm.services.http.download import open_pdf
from litterm.services.http.messages import Request, ServiceResponse, hashed_file, quote_segment
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
from litterm.text.references.identity import first_id, key_in, make_id, scheme_of

NAME: Final = "openalex"
BASE = "https://api.openalex.org"
_HOST = "api.openalex.org"
_FIELDS = (
    "id,doi,ids,title,publication_year,publication_date,type,language,authorships,primary_location,"
    "best_oa_location,biblio,is_retracted,abstract_inverted_index,referenced_works"
)
_COUNT_FIELDS = "id,doi,ids,cited_by_count,counts_by_year"
_COUNT_FILTERS: Mapping[str, str] = {"doi": "doi", "ids.pmid": "pmid"}
"""Filters that take many ids, and the scheme of these."""
_IN_FILTER = re.compile(r"[|,]")
"""What parts values and filters, and can therefore not be in one."""
_PAGE_SIZE = 100
_BATCH_SIZE = 50
"""Ids joined in one filter."""
_MAX_ABSTRACT_WORDS = 20_000
_TYPES = {"article": "article", "preprint": "preprint", "book": "book", "book-chapter": "chapter"}
_TYPES |= {"dissertation": "thesis", "report": "report"}
_ID_FORMS: Mapping[str, str] = {"doi": "doi:{}", "pmid": "pmid:{}", "pmc": "pmcid:{}", "arxiv": "doi:10.48550/arXiv.{}"}


class OpenAlex:
    """Fits `Finder`, `IdLookup`, `TextRoute`, `CitationLister` and `CitationCounter`."""

    name = NAME
    schemes = ("doi", "pmid", "pmc", "arxiv")
    max_papers_per_step = _BATCH_SIZE

    def __init__(self, client: HttpClient, key: Callable[[], ApiKey], *, base: str = BASE) -> None:
        """Without a key the service gives a few hundred searches a day."""
        self._client = client
        self._key = key
        self._base = base

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` papers by relevance."""
        rows = yield from self._list([("search", query), *_years(years)], limit)
        return only_papers([_parse_work(row) for row in rows])

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order."""
        results: list[Parsed | Failure] = []
        for paper_id in ids:
            try:
                work = yield from self._work(_form(paper_id), _FIELDS)
            except NotFound as error:
                results.append(Failure(paper_id, str(error)))
            else:
                results.append(_parse_work(work))
        return tuple(results)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has an id the service looks papers up by."""
        return bool(_best_form(paper))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The open PDF it knows of.

        Raises:
            NotOpen: it knows of none.
        """
        work = yield from self._work(_best_form(paper), "id,best_oa_location")
        copy = record(work.get("best_oa_location"))
        url = text(copy.get("pdf_url"))
        if not url:
            raise NotOpen("OpenAlex knows of no open PDF of it.")
        path = hashed_file(folder, _number(work), ".pdf")
        licence, version = text(copy.get("license")), text(copy.get("version"))
        return (yield from open_pdf(self._client, url, path, licence=licence, version=version))

    def list_works(self, paper: Paper, direction: Direction, *, limit: int) -> Task[ExternalList]:
        """Works it cites or that cite it, without the sentences.

        Raises:
            NotFound: it does not know the paper.
        """
        work = yield from self._work(_best_form(paper), "id,referenced_works")
        if direction == "citations":
            rows = yield from self._list([("filter", f"cites:{_number(work)}"), _NEWEST_FIRST], limit)
        else:
            cited = work.get("referenced_works")
            numbers = (
                [url.rpartition("/")[2] for url in cited if isinstance(url, str)] if isinstance(cited, list) else []
            )
            rows = yield from self._fetch_numbered(numbers[:limit])
        works = tuple(ListedWork(_reference(row, index)) for index, row in enumerate(rows))
        return ExternalList(paper.id, "openalex", direction, works)

    def can_count(self, paper: Paper) -> bool:
        """Whether it may know the paper by one of its ids."""
        return bool(_count_key(paper))

    def fetch_counts(self, papers: Sequence[Paper]) -> Task[tuple[ServiceCount | None, ...]]:
        """Per paper its count with citations by year; of works with one id the one cited most."""
        counts: dict[str, ServiceCount] = {}
        keys = [_count_key(paper) for paper in papers]
        for name in _COUNT_FILTERS:
            values = sorted({key for filtered, key in filter(None, keys) if filtered == name})
            if not values:
                continue
            rows = yield from self._list([("filter", f"{name}:{'|'.join(values)}")], 2 * len(values), _COUNT_FIELDS)
            for row in rows:
                count = _service_count(row, self._client.today())
                for key in _ids_of(row):
                    if count is not None and (key not in counts or counts[key].count < count.count):
                        counts[key] = count
        return tuple(counts.get(key[1]) if key else None for key in keys)

    def _fetch_numbered(self, numbers: Sequence[str]) -> Task[list[Record]]:
        """The works with these numbers, in that order; unknown ones are left out."""
        works: dict[str, Record] = {}
        for start in range(0, len(numbers), _BATCH_SIZE):
            batch_numbers = numbers[start : start + _BATCH_SIZE]
            rows = yield from self._list([("filter", f"openalex:{'|'.join(batch_numbers)}")], len(batch_numbers))
            works |= {_number(row): row for row in rows}
        return [works[number] for number in numbers if number in works]

    def _list(self, params: Sequence[tuple[str, str]], limit: int, fields: str = _FIELDS) -> Task[list[Record]]:
        rows: list[Record] = []
        cursor = "*"
        while cursor and len(rows) < limit:
            size = str(min(_PAGE_SIZE, limit - len(rows)))
            page = yield from self._get("/works", [*params, ("per_page", size), ("cursor", cursor), ("select", fields)])
            results, meta = records(page.get("results")), record(page.get("meta"))
            rows += results
            # The last page names a cursor too, that of an empty one. Pages by number end at 10,000 results.
            is_last = not results or len(rows) == integer(meta.get("count"))
            cursor = "" if is_last else text(meta.get("next_cursor"))
        return rows[:limit]

    def _work(self, form: str, fields: str) -> Task[Record]:
        if not form:
            raise NotFound("The paper has no id that OpenAlex knows.")
        return (yield from self._get(f"/works/{quote_segment(form)}", [("select", fields)]))

    def _get(self, path: str, params: Sequence[tuple[str, str]]) -> Task[Record]:
        key = self._key()
        secret = (("api_key", key.reveal()),) if key.is_there else ()
        request = Request(f"{self._base}{path}", tuple(params), secret_params=secret)
        return _fitting((yield from self._client.get(request, _fitting)))


def _fitting(answer: ServiceResponse) -> Record:
    return require_fields(answer, _HOST, "results", "id", "doi", "best_oa_location", "referenced_works")


_NEWEST_FIRST = ("sort", "publication_date:desc")


def _years(years: YearRange) -> list[tuple[str, str]]:
    if years == ANY_YEAR:
        return []
    parts = [f"from_publication_date:{years.first}-01-01"] if years.first else []
    parts += [f"to_publication_date:{years.last}-12-31"] if years.last else []
    return [("filter", ",".join(parts))]


def _form(paper_id: PaperId) -> str:
    form = _ID_FORMS.get(scheme_of(paper_id), "")
    return form.format(paper_id.partition(":")[2]) if form else ""


def _best_form(paper: Paper) -> str:
    best = first_id(paper, _ID_FORMS)
    return _form(best) if best is not None else ""


def _count_key(paper: Paper) -> tuple[str, str] | None:
    """The filter by which `paper` is found together with others, and its id there."""
    for name, scheme in _COUNT_FILTERS.items():
        key = key_in(paper, scheme).casefold()
        # A DOI may hold either sign, and would then end the filter in its middle.
        if key and not _IN_FILTER.search(key):
            return name, key
    arxiv = key_in(paper, "arxiv").casefold()
    return ("doi", f"10.48550/arxiv.{arxiv}") if arxiv else None


def _ids_of(work: Record) -> tuple[str, ...]:
    """The ids of a work as `_count_key` writes them."""
    doi = text(work.get("doi")).casefold().removeprefix("https://doi.org/")
    pmid = text(record(work.get("ids")).get("pmid")).rpartition("/")[2]
    return tuple(key for key in (doi, pmid) if key)


def _service_count(work: Record, today: str) -> ServiceCount | None:
    count = integer(work.get("cited_by_count"))
    if count is None:
        return None
    rows = (
        (integer(row.get("year")), integer(row.get("cited_by_count"))) for row in records(work.get("counts_by_year"))
    )
    by_year = {year: number for year, number in rows if year is not None and number is not None}
    return ServiceCount(NAME, count, today, tuple(sorted(by_year.items())))


def _number(work: Record) -> str:
    return text(work.get("id")).rpartition("/")[2]


def _parse_work(work: Record) -> Parsed | Failure:
    return parse_service_row(_row(work), NAME, f"{BASE}/works/{_number(work)}")


def _row(work: Record) -> Record:
    """A work as a row of `importers.jsonl.rows`."""
    ids, biblio = record(work.get("ids")), record(work.get("biblio"))
    place = record(work.get("primary_location"))
    source = record(place.get("source"))
    venue = text(source.get("display_name"))
    in_proceedings = text(source.get("type")) == "conference"
    pages = [page for page in (text(biblio.get("first_page")), text(biblio.get("last_page"))) if page]
    return {
        "doi": work.get("doi"),
        "pmid": text(ids.get("pmid")).rpartition("/")[2],
        "pmcid": text(ids.get("pmcid")).rpartition("/")[2],
        "title": work.get("title"),
        # OpenAlex may not give abstracts as text, only as which word is where.
        "abstract": abstract_of(work.get("abstract_inverted_index")),
        "authors": [_author(authorship) for authorship in records(work.get("authorships"))],
        "year": work.get("publication_year"),
        "date": work.get("publication_date"),
        "venue": venue,
        "type": "inproceedings" if in_proceedings else _TYPES.get(text(work.get("type")), "other"),
        "journal": "" if in_proceedings else venue,
        "booktitle": venue if in_proceedings else "",
        "volume": biblio.get("volume"),
        "issue": biblio.get("issue"),
        "pages": "–".join(dict.fromkeys(pages)),
        "language": work.get("language"),
        "url": place.get("landing_page_url"),
        "pdf_url": record(work.get("best_oa_location")).get("pdf_url"),
        "retraction": "retracted" if work.get("is_retracted") is True else "",
    }


def _author(authorship: Record) -> str:
    return text(record(authorship.get("author")).get("display_name")) or text(authorship.get("raw_author_name"))


def abstract_of(places: object) -> str:
    """The text of an inverted index: each word at its places; empty for anything else."""
    words: dict[int, str] = {}
    for word, numbers in record(places).items():
        for number in numbers if isinstance(numbers, list) else ():
            # One place far out would make a text of blanks as long as the number.
            if isinstance(number, int) and 0 <= number < _MAX_ABSTRACT_WORDS:
                words[number] = word
    abstract = " ".join(words[number] for number in sorted(words))
    return re.sub(r"^(?:Abstract|ABSTRACT)\b[.:]?\s*", "", abstract)


def _reference(work: Record, index: int) -> Reference:
    row = _row(work)
    families = families_of(map(_author, records(work.get("authorships"))))
    ids = (make_id("doi", text(row["doi"])), make_id("pmid", text(row["pmid"])), make_id("pmc", text(row["pmcid"])))
    title, year = text(work.get("title")), integer(work.get("publication_year"))
    known = tuple(paper_id for paper_id in ids if paper_id is not None)
    return reference_from_fields(index, title, families, year, known)
