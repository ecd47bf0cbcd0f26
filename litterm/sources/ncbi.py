"""NCBI: search in PubMed and PubMed Central, records and articles as XML, ids of one kind to another.

Contract: apis.md sections 3.1 and 3.5. Articles come as files that the importers read like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from litterm.errors import Malformed, NotOpen, NotThere, ServiceDown
from litterm.formats.contents import memory_content
from litterm.formats.pubmed import read_pubmed
from litterm.model.events import Notice
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.sources import ANY_YEAR, Batch, Extent, OpenText, Scope
from litterm.settings.secrets import Key
from litterm.sources.door import Door
from litterm.sources.payload import Record, decoded, only_papers, position, record, records, text, texts, whole
from litterm.sources.request import HOUR_S, MEGABYTE, TEXT_S, Answer, Expected, Request
from litterm.tasks import Task
from litterm.text.identity import key_in, make_id, paper_ids, scheme_of

NAME = "pmc"
BASE = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
CONVERTER = "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/"
_HOST = "eutils.ncbi.nlm.nih.gov"
_OPEN = '("open access"[filter])'
_ARTICLES = 25
"""Articles of one request: about 5 MB."""
_RECORDS = 200
_WALL = 10_000
"""Results of one search that can be reached."""
_LATE_S = 7 * 86_400.0
_LARGEST = 128 * MEGABYTE
_BODY = re.compile(rb"<(?:\w+:)?body[\s>]")
_ARTICLE = re.compile(rb"<(?:\w+:)?article[\s>]")
_ERROR = re.compile(rb"<(ERROR|error)>(.{0,200}?)</\1>", re.S)
_CONVERTED = {"pmid": "pmid", "pmcid": "pmc", "doi": "doi"}


class Entrez:
    """Requests to E-utilities; what `PubMedCentral` and `PubMed` share."""

    def __init__(self, door: Door, key: Callable[[], Key], *, base: str = BASE) -> None:
        """With a key ten requests a second are allowed instead of three."""
        self._door = door
        self._key = key
        self._base = base

    def search(
        self, database: str, term: str, *, start: int, size: int, since: str = ""
    ) -> Task[tuple[tuple[str, ...], int]]:
        """Numbers `start` to `start + size` of a search, the newest first, and how many match in all.

        `since` (`2026/11/01`) leaves only what entered the database from then on.

        Raises:
            Malformed: the service reports an error inside its answer.
        """
        params = [("db", database), ("term", term), ("retmode", "json"), ("sort", "pub_date")]
        entered = [("datetype", "edat"), ("mindate", since), ("maxdate", "3000")] if since else []
        asked = [*params, *entered, ("retstart", str(start)), ("retmax", str(size))]
        answer = yield from self.get("esearch.fcgi", asked, "json", fresh_s=HOUR_S, check=_search_error)
        told = record(record(decoded(answer, _HOST)).get("esearchresult"))
        return texts(told.get("idlist")), whole(told.get("count")) or 0

    def fetch(self, database: str, numbers: Sequence[str]) -> Task[Answer]:
        """The records or articles with these numbers, as XML; some may be missing, the order may be another."""
        params = [("db", database), ("id", ",".join(numbers)), ("retmode", "xml")]
        return (yield from self.get("efetch.fcgi", params, "xml", check=_fetch_error))

    def lately(self) -> str:
        """A little before today, as the service writes dates: articles may enter with some days' delay."""
        return datetime.fromtimestamp(self._door.settings.now() - _LATE_S, UTC).strftime("%Y/%m/%d")

    def get(
        self,
        program: str,
        params: Sequence[tuple[str, str]],
        expect: Expected,
        *,
        fresh_s: float = 7 * 24 * HOUR_S,
        check: Callable[[Answer], object] = lambda _answer: None,
    ) -> Task[Answer]:
        """One request, with who asks; see `Door.get`."""
        key = self._key()
        contact = self._door.settings.contact
        request = Request(
            f"{self._base}/{program}",
            (*params, ("tool", "litterm")),
            secret_params=_given(("email", contact), ("api_key", key.reveal() if key.is_there else "")),
            expect=expect,
            read_s=TEXT_S,
            most_bytes=_LARGEST,
            fresh_s=fresh_s,
        )
        return (yield from self._door.get(request, check))


class PubMedCentral:
    """Open-access articles of PMC by query. Fits `Catalogue` and `TextRoute`."""

    name = NAME

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def extent(self, scope: Scope, cursor: str) -> Task[Extent]:
        """How many open articles match."""
        since = text(position(cursor).get("since"))
        _, total = yield from self._entrez.search("pmc", _term(scope, open_only=True), start=0, size=0, since=since)
        if total > _WALL and not scope.limit:
            yield Notice(f"{total:,} articles match; the service lists the newest {_WALL:,}. Narrow it by years.")
        return Extent(papers=min(total, scope.limit or _WALL))

    def batch(self, scope: Scope, cursor: str, folder: Path) -> Task[Batch]:
        """Up to 25 articles as one file of JATS; the cursor is how many were seen.

        At the end it holds a date: the next synchronisation asks for what entered the archive since then.
        """
        at = position(cursor)
        start, since = whole(at.get("start")) or 0, text(at.get("since"))
        end = json.dumps({"since": self._entrez.lately()})
        size = min(_ARTICLES, scope.limit - start) if scope.limit else _ARTICLES
        term = _term(scope, open_only=True)
        numbers, total = yield from self._entrez.search("pmc", term, start=start, size=size, since=since)
        if not numbers:
            return Batch(cursor=end, done=True, seen=start)
        answer = yield from self._entrez.fetch("pmc", numbers)
        path = folder / f"pmc-{start}.xml"
        path.write_bytes(answer.body)
        seen = start + len(numbers)
        done = seen >= min(total, _WALL) or bool(scope.limit and seen >= scope.limit)
        following = end if done else json.dumps({"start": seen, "since": since})
        return Batch(files=(path,), cursor=following, done=done, seen=seen)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` is in PMC."""
        return bool(key_in(paper, "pmc"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The article as JATS.

        Raises:
            NotOpen: the publisher does not allow it: an article comes back without its body.
            NotThere: there is none.
        """
        number = key_in(paper, "pmc").removeprefix("PMC")
        if not number:
            raise NotThere(f"{paper.id} has no PMC id.")
        answer = yield from self._entrez.fetch("pmc", [number])
        if not _ARTICLE.search(answer.body):
            raise NotThere(f"PMC has no article PMC{number}.")
        if not _BODY.search(answer.body):
            raise NotOpen(f"The publisher of PMC{number} does not allow its text to be fetched.")
        path = folder / f"PMC{number}.xml"
        path.write_bytes(answer.body)
        return OpenText(path, "jats", answer.url)


class PubMed:
    """Records of PubMed. Fits `Finder` and `IdLookup`."""

    name = "pubmed"
    schemes = ("pmid",)

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` papers, the newest first."""
        term = _term(Scope(query, years), open_only=False)
        numbers, _ = yield from self._entrez.search("pubmed", term, start=0, size=min(limit, _RECORDS))
        ids = [each for number in numbers if (each := make_id("pmid", number)) is not None]
        return only_papers((yield from self.lookup(ids)))

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order."""
        found: dict[PaperId, Parsed] = {}
        for start in range(0, len(ids), _RECORDS):
            some = ids[start : start + _RECORDS]
            answer = yield from self._entrez.fetch("pubmed", [each.partition(":")[2] for each in some])
            for item in read_pubmed(memory_content(answer.url, answer.body)):
                if isinstance(item, Parsed):
                    found |= dict.fromkeys(paper_ids(item.paper), item)
        return tuple(found.get(each) or Failure(each, "PubMed does not have it.") for each in ids)


class IdConverter:
    """DOI, PMID and PMC id of an article in PMC, each from another."""

    def __init__(self, door: Door, *, base: str = CONVERTER) -> None:
        self._door = door
        self._base = base

    def convert(self, ids: Sequence[PaperId]) -> Task[tuple[tuple[PaperId, ...], ...]]:
        """Per id, every id of the same article, itself included; empty where PMC does not have it.

        At most 200 ids, all of one scheme: `doi`, `pmid` or `pmc`.
        """
        kind = {"doi": "doi", "pmid": "pmid", "pmc": "pmcid"}[scheme_of(ids[0])]
        keys = [each.partition(":")[2] for each in ids]
        params = (("ids", ",".join(keys)), ("idtype", kind), ("format", "json"), ("tool", "litterm"))
        email = _given(("email", self._door.settings.contact))
        answer = yield from self._door.get(Request(self._base, params, secret_params=email))
        told = records(record(decoded(answer, "pmc.ncbi.nlm.nih.gov")).get("records"))
        by_key = {text(row.get("requested-id")).casefold(): _ids(row) for row in told}
        return tuple(by_key.get(key.casefold(), ()) for key in keys)


def _ids(row: Record) -> tuple[PaperId, ...]:
    if text(row.get("status")) == "error":
        return ()
    made = (make_id(scheme, text(row.get(name))) for name, scheme in _CONVERTED.items())
    return tuple(each for each in made if each is not None)


def _given(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in pairs if pair[1])


def _term(scope: Scope, *, open_only: bool) -> str:
    parts = [f"({scope.query})"] if scope.query else []
    if scope.years != ANY_YEAR:
        tag = "pubdate" if open_only else "dp"
        parts.append(f"{scope.years.first or 1500}:{scope.years.last or 3000}[{tag}]")
    return " AND ".join([*parts, _OPEN] if open_only else parts)


def _search_error(answer: Answer) -> None:
    told = record(record(decoded(answer, _HOST)).get("esearchresult"))
    error = text(told.get("ERROR"))
    if error:
        kind = ServiceDown if "failed" in error.lower() or "502" in error else Malformed
        raise kind(f"NCBI reports an error inside its answer: {error[:160]}")


def _fetch_error(answer: Answer) -> None:
    error = _ERROR.search(answer.body[:4000])
    if error is not None and not _ARTICLE.search(answer.body):
        raise NotThere(f"NCBI does not have it: {error.group(2).decode('utf-8', 'replace').strip()[:160]}")
