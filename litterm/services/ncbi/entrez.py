"""NCBI's Entrez: search and fetch, with PubMed's records and those of PubMed Central.

Its documentation: https://www.ncbi.nlm.nih.gov/books/NBK25501/.
Articles come as files that the importers read like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

from litterm.core.errors import BadInput, Malformed, NotFound, ServiceDown
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import Task
from litterm.importers.byte_sources import memory_content
from litterm.importers.jats.article import read_jats
from litterm.importers.pubmed import read_pubmed
from litterm.model.events import Notice
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId
from litterm.model.search import YearRange
from litterm.model.services import ANY_YEAR
from litterm.services.http.client import HttpClient
from litterm.services.http.messages import HOUR_S, MEGABYTE, TEXT_TIMEOUT_S, WEEK_S, Expected, Request, ServiceResponse
from litterm.services.json_access import decode_json, integer, only_papers, record, require_fields, text, texts
from litterm.text.references.identity import make_id, paper_ids

BASE = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
MAX_LISTED = 10_000
"""Results of one search that can be reached, whatever is asked for."""
_HOST = "eutils.ncbi.nlm.nih.gov"
_ORDERS = {"pubmed": "relevance", "pmc": "pub_date"}
_BATCH_SIZE = 200
_MAX_ANSWER_BYTES = 128 * MEGABYTE
ARTICLE = re.compile(rb"<(?:\w+:)?article[\s>]")
BODY = re.compile(rb"<(?:\w+:)?body[\s>]")
"""An element that only articles with an open text have."""
_END, _TAIL_BYTES = re.compile(rb"</(?:\w+:)?[\w-]*article(?:set)?>\s*(?:<!--.*)?$", re.S), 400
_RECORD_SET = re.compile(rb"<(?:[\w-]*set|article|error)\b", re.I)
"""What every answer with records begins with: a set of them, one article, or why there are none."""
_ERROR = re.compile(rb"<(ERROR|error)>(.{0,200}?)</\1>", re.S)


Field = Literal["edat", "pdat"]
"""When a record entered the database, or when it came out."""


@dataclass(frozen=True, slots=True)
class DateRange:
    """Days a search is narrowed to, written `2026/11/01`, both included."""

    field: Field
    first: str
    last: str


class Entrez:
    """Requests to E-utilities; what `PubMedCentral` and `PubMed` share."""

    def __init__(self, client: HttpClient, key: Callable[[], ApiKey], *, base: str = BASE) -> None:
        """With a key ten requests a second are allowed instead of three."""
        self._client = client
        self._key = key
        self._base = base

    def search(
        self, database: str, term: str, *, start: int, size: int, dated: DateRange | None = None
    ) -> Task[tuple[tuple[str, ...], int]]:
        """Numbers `start` to `start + size` of a search, and how many match in all.

        The best come first in `pubmed`, which is searched live, the newest in `pmc`, which is walked through.

        Raises:
            Malformed: the service reports an error inside its answer.
        """
        params = [("db", database), ("term", term), ("retmode", "json"), ("sort", _ORDERS[database])]
        if dated is not None:
            params += [("datetype", dated.field), ("mindate", dated.first), ("maxdate", dated.last)]
        paged = [*params, ("retstart", str(start)), ("retmax", str(size))]

        def check(answer: ServiceResponse) -> None:
            numbers, total = _read_numbers(answer)
            # An empty list with a count is an outage, and would end a synchronisation as if it were complete.
            if size and not numbers and start < min(total, MAX_LISTED):
                raise ServiceDown(f"NCBI lists nothing after {start:,} of {total:,} results.")

        answer = yield from self.get("esearch.fcgi", paged, "json", fresh_s=HOUR_S, check=check)
        # Once for a search is enough.
        for words in _unknown(answer) if not start else ():
            yield Notice(f"NCBI knows nothing under “{'”, “'.join(words)}”.")
        return _read_numbers(answer)

    def fetch(self, database: str, numbers: Sequence[str], *, keep: bool = True) -> Task[ServiceResponse]:
        """The records or articles with these numbers, as XML; some may be missing, the order may be another."""
        params = [("db", database), ("id", ",".join(numbers)), ("retmode", "xml")]
        return (yield from self.get("efetch.fcgi", params, "xml", check=_fetch_error, keep=keep))

    def today(self) -> date:
        """The day, UTC, by the clock of the HTTP client."""
        return datetime.fromtimestamp(self._client.settings.now(), UTC).date()

    def get(
        self,
        program: str,
        params: Sequence[tuple[str, str]],
        expect: Expected,
        *,
        fresh_s: float = WEEK_S,
        check: Callable[[ServiceResponse], object] = lambda _answer: None,
        keep: bool = True,
    ) -> Task[ServiceResponse]:
        """Sends one request with the tool name and contact; see `HttpClient.get`."""
        key = self._key()
        contact = self._client.settings.contact
        request = Request(
            f"{self._base}/{program}",
            (*params, ("tool", "litterm")),
            # As secrets, so that neither address nor key is in a log or names a cached file.
            secret_params=_nonempty_parameters(("email", contact), ("api_key", key.reveal() if key.is_there else "")),
            expect=expect,
            read_s=TEXT_TIMEOUT_S,
            most_bytes=_MAX_ANSWER_BYTES,
            fresh_s=fresh_s,
            keep=keep,
        )
        return (yield from self._client.get(request, check))


class PubMed:
    """Records of PubMed. Fits `Finder` and `IdLookup`."""

    name = "pubmed"
    schemes = ("pmid",)

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` papers by relevance."""
        term = _term(query, years)
        # Two requests, because a search gives numbers alone.
        numbers, _ = yield from self._entrez.search("pubmed", term, start=0, size=min(limit, _BATCH_SIZE))
        ids = [paper_id for number in numbers if (paper_id := make_id("pmid", number)) is not None]
        return only_papers((yield from self.lookup(ids)))

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order."""
        records: dict[PaperId, Parsed] = {}
        for start in range(0, len(ids), _BATCH_SIZE):
            batch_ids = ids[start : start + _BATCH_SIZE]
            answer = yield from self._entrez.fetch("pubmed", [paper_id.partition(":")[2] for paper_id in batch_ids])
            for item in read_pubmed(memory_content(answer.url, answer.body)):
                if isinstance(item, Parsed):
                    records |= dict.fromkeys(paper_ids(item.paper), item)
        return tuple(records.get(paper_id) or Failure(paper_id, "PubMed does not have it.") for paper_id in ids)


def _nonempty_parameters(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in pairs if pair[1])


def _term(query: str, years: YearRange) -> str:
    parts = [f"({query})"] if query else []
    if years != ANY_YEAR:
        parts.append(f"{years.first or 1500}:{years.last or 3000}[dp]")
    return " AND ".join(parts)


def _read_numbers(answer: ServiceResponse) -> tuple[tuple[str, ...], int]:
    """Numbers and how many match in all.

    Raises:
        SourceError: the service reports an error inside its answer.
    """
    result = record(require_fields(answer, _HOST, "esearchresult").get("esearchresult"))
    error = text(result.get("ERROR"))
    if error:
        # The backend's own troubles come with status 200.
        kind = ServiceDown if "failed" in error.lower() or "502" in error else Malformed
        raise kind(f"NCBI reports an error inside its answer: {error[:160]}")
    if (total := integer(result.get("count"))) is None:
        raise Malformed("NCBI does not say how much it has found.")
    return texts(result.get("idlist")), total


def _unknown(answer: ServiceResponse) -> Iterator[tuple[str, ...]]:
    errors = record(record(record(decode_json(answer, _HOST)).get("esearchresult")).get("errorlist"))
    for name in ("phrasesnotfound", "fieldsnotfound"):
        if words := texts(errors.get(name)):
            yield words


def _fetch_error(answer: ServiceResponse) -> None:
    if not _RECORD_SET.search(answer.body[:4000]):
        raise Malformed("NCBI gave an answer that does not fit the request.")
    # Outages cut XML off with status 200.
    if ARTICLE.search(answer.body) and not _END.search(answer.body[-_TAIL_BYTES:]):
        raise ServiceDown("NCBI's answer breaks off in the middle.")
    error = _ERROR.search(answer.body[:4000])
    if error is not None and not ARTICLE.search(answer.body):
        raise NotFound(f"NCBI does not have it: {error.group(2).decode('utf-8', 'replace').strip()[:160]}")


_ARTICLE_BATCH_SIZE = 25
"""Articles of one request: about 5 MB."""


class PmcRecords:
    """Fits `IdLookup`."""

    name = "pmc"
    schemes = ("pmc",)

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order; articles come back in another order, and some not at all."""
        records: dict[PaperId, Parsed] = {}
        for start in range(0, len(ids), _ARTICLE_BATCH_SIZE):
            numbers = [
                paper_id.partition(":")[2].removeprefix("PMC") for paper_id in ids[start : start + _ARTICLE_BATCH_SIZE]
            ]
            try:
                answer = yield from self._entrez.fetch("pmc", numbers, keep=False)
                items = tuple(read_jats(memory_content(answer.url, answer.body)))
            except NotFound:
                continue
            except BadInput as error:
                if "no article" in str(error):
                    continue
                raise Malformed(f"PubMed Central answered with XML that cannot be read: {error}") from error
            for item in items:
                if isinstance(item, Parsed):
                    records |= dict.fromkeys(paper_ids(item.paper), item)
        return tuple(records.get(paper_id) or Failure(paper_id, "PubMed Central does not have it.") for paper_id in ids)
