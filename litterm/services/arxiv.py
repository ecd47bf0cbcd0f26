"""arXiv: search, new submissions of a query, records by id, PDFs. Its rules: https://info.arxiv.org/help/api/.

One request every three seconds for everything a user runs; `services.http.rate_limit` keeps to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput, Challenged, Malformed, NotFound, Offline, RequestFaulty, SourceError
from litterm.core.tasks import Task
from litterm.importers.xml.tree import parse_tree, strip_namespaces
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import ANY_YEAR, CatalogueBatch, ExpectedSize, OpenText, Scope
from litterm.services.http.client import HttpClient
from litterm.services.http.download import open_pdf
from litterm.services.http.messages import (
    DAY_S,
    MEGABYTE,
    TEXT_TIMEOUT_S,
    Request,
    ServiceResponse,
    hashed_file,
    quote_path,
)
from litterm.services.json_access import Record, integer, only_papers, parse_service_row, position, text
from litterm.text.references.identity import bare_key, key_in, make_id

NAME = "arxiv"
BASE = "https://export.arxiv.org"
_PAGE_SIZE = 100
_MAX_REACHABLE = 30_000
"""Results of one search that can be reached."""
_MINUTE_DIGITS = 12
"""Digits of a time to the minute."""
_OPERATORS = re.compile(r"\b(?:AND|OR|ANDNOT)\b|\b(?:ti|au|abs|co|jr|cat|rn|id|all):")
_NOT_IN_QUERIES = re.compile(r'[^\w\s"\'.:+-]+')
_VERSION = re.compile(r"v\d+$")
_ERROR_PATH = "/api/errors"
HTML = "https://arxiv.org/html"
AR5IV = "https://ar5iv.labs.arxiv.org/html"
OAI = "https://oaipmh.arxiv.org/oai"
_MAX_PAGE_BYTES = 32 * MEGABYTE
_PAPER_MARKER = b"ltx_document"
"""What the pages of papers have and no other page of arXiv."""
_LICENCE_MARKER = b'id="license-tr"'


@dataclass(frozen=True, slots=True)
class _Cursor:
    """How far a synchronisation has come."""

    since: str = ""
    """Only what was submitted from this minute on, written as `202611010930`; empty: everything."""
    start: int = 0
    """Submissions seen of those."""
    seen: int = 0
    """Submissions seen in all."""
    last: str = ""
    """The minute of the newest one seen."""

    @staticmethod
    def parse(cursor: str) -> _Cursor:
        """The place that `cursor` holds."""
        fields = position(cursor)
        start, seen = integer(fields.get("start")) or 0, integer(fields.get("seen"))
        return _Cursor(text(fields.get("since")), start, start if seen is None else seen, text(fields.get("last")))

    def cursor(self) -> str:
        """The place, written down."""
        return json.dumps({"since": self.since, "start": self.start, "seen": self.seen, "last": self.last})

    def behind(self, published: Sequence[str], *, newest_first: bool) -> _Cursor:
        """The cursor after submissions of these times."""
        count, minutes = len(published), [re.sub(r"\D", "", time)[:_MINUTE_DIGITS] for time in published]
        last = self.last if newest_first and self.last else next(iter(minutes if newest_first else minutes[::-1]), "")
        return _Cursor(self.since, self.start + count, self.seen + count, last or self.last)


class Arxiv:
    """Fits `Finder`, `Catalogue`, `IdLookup` and `TextRoute`."""

    name = NAME
    schemes = ("arxiv",)

    def __init__(self, client: HttpClient, licences: ArxivLicences, *, base: str = BASE) -> None:
        self._client = client
        self._licences = licences
        self._base = base

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` papers by relevance."""
        # One request alone: the next may be sent three seconds later.
        size = str(min(limit, _PAGE_SIZE))
        # Without `max_results` arXiv gives ten.
        params = [("search_query", _search(query, years)), ("start", "0"), ("max_results", size)]
        feed = yield from self._feed([*params, ("sortBy", "relevance"), ("sortOrder", "descending")])
        return only_papers([_parse_entry(entry) for entry in feed.entries])[:limit]

    def expected_size(self, scope: Scope, cursor: str) -> Task[ExpectedSize]:
        """How many submissions match."""
        params = [("search_query", _search(scope.query, scope.years)), ("start", "0"), ("max_results", "1")]
        feed = yield from self._feed(params)
        return ExpectedSize(papers=min(feed.total, scope.limit or feed.total))

    def next_batch(self, scope: Scope, cursor: str, folder: Path) -> Task[CatalogueBatch]:
        """A hundred submissions, the oldest first, so that what is submitted meanwhile moves nothing.

        With a limit the newest come first, and later those submitted since. The cursor is how many were seen, and of
        which days: a search lists 30,000 results, so later ones are requested by date.
        """
        place = _Cursor.parse(cursor)
        newest_first = bool(scope.limit) and not place.since
        size = min(_PAGE_SIZE, scope.limit - place.seen) if scope.limit else _PAGE_SIZE
        params = [("search_query", _search(scope.query, scope.years, place.since)), ("start", str(place.start))]
        # Oldest first, a paper submitted meanwhile is added at the end; newest first, it would shift every page by one.
        order = "descending" if newest_first else "ascending"
        feed = yield from self._page([*params, ("max_results", str(size))], order, place.start)
        next_place = place.behind([_line(entry, "published") for entry in feed.entries], newest_first=newest_first)
        items = tuple(_parse_entry(entry) for entry in feed.entries)
        if scope.limit and (next_place.seen >= scope.limit or next_place.start >= feed.total):
            return CatalogueBatch(
                items, cursor=_Cursor(next_place.last or place.since).cursor(), done=True, seen=next_place.seen
            )
        complete = next_place.start >= feed.total
        if next_place.start >= _MAX_REACHABLE and not complete:
            following = _Cursor(next_place.last, 0, next_place.seen)
            # More than 30,000 in one minute: the rest cannot be reached, and asking again would never end.
            complete = following.since == place.since
            next_place = following
        return CatalogueBatch(items, cursor=next_place.cursor(), done=complete, seen=next_place.seen)

    def _page(self, params: Sequence[tuple[str, str]], order: str, start: int) -> Task[_Feed]:
        ordered = [*params, ("sortBy", "submittedDate"), ("sortOrder", order)]
        feed = yield from self._feed(ordered)
        if feed.entries or start >= feed.total:
            return feed
        # Deep pages are empty now and then; the second time they rarely are.
        feed = yield from self._feed(ordered, fresh=True)
        if not feed.entries:
            raise Malformed(f"arXiv gives no page after {start:,} of {feed.total:,} papers; try again later.")
        return feed

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order."""
        results: dict[str, Parsed | Failure] = {}
        for start in range(0, len(ids), _PAGE_SIZE):
            keys = [paper_id.partition(":")[2] for paper_id in ids[start : start + _PAGE_SIZE]]
            feed = yield from self._feed([("id_list", ",".join(keys)), ("max_results", str(len(keys)))])
            results |= {_key(entry): _parse_entry(entry) for entry in feed.entries}
        missing = "arXiv does not have it."
        return tuple(results.get(bare_key(paper_id)) or Failure(paper_id, missing) for paper_id in ids)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has an arXiv id."""
        return bool(key_in(paper, "arxiv"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The PDF of the newest version."""
        number = key_in(paper, "arxiv")
        if not number:
            raise NotFound(f"{paper.id} has no arXiv id.")
        path = hashed_file(folder, number, ".pdf")
        pdf = yield from open_pdf(self._client, f"{self._base}/pdf/{quote_path(number)}", path, version="preprint")
        return replace(pdf, licence=(yield from self._licences.fetch_licence(number)))

    def _feed(self, params: Sequence[tuple[str, str]], *, fresh: bool = False) -> Task[_Feed]:
        # Feeds change once a day: asking again sooner would only cost arXiv's patience.
        url = f"{self._base}/api/query"
        request = Request(url, tuple(params), expect="xml", fresh_s=0.0 if fresh else DAY_S, read_s=60.0)
        answer = yield from self._client.get(request, _check_feed)
        return _Feed(answer)


class _Feed:
    """The entries of an Atom feed that are papers."""

    def __init__(self, answer: ServiceResponse) -> None:
        root = _root(answer)
        self.total = integer(root.findtext("totalResults", "").strip()) or 0
        # An unknown id may come back as an entry without a date.
        self.entries = tuple(entry for entry in root.iter("entry") if entry.findtext("published"))


def _root(answer: ServiceResponse) -> Element:
    try:
        root = parse_tree(answer.body)
    except BadInput as error:
        raise Malformed(f"arXiv answered with XML that cannot be read: {error}") from error
    strip_namespaces(root)
    return root


def _check_feed(answer: ServiceResponse) -> None:
    root = _root(answer)
    for entry in root.iter("entry"):
        if _ERROR_PATH in entry.findtext("id", ""):
            raise RequestFaulty(f"arXiv does not accept this request: {_line(entry, 'summary')[:200]}")
    if root.tag != "feed" or root.find("totalResults") is None:
        raise Malformed("arXiv did not answer with a list of papers.")


def _search(query: str, years: YearRange, since: str = "") -> str:
    """The query in arXiv's language; one that already is in it stays as it is."""
    if _OPERATORS.search(query):
        terms = query
    else:
        # A colon would make its word a field, and an unknown field counts as `all`.
        words = _NOT_IN_QUERIES.sub(" ", query.replace(":", " ")).split()
        terms = " AND ".join(f"all:{word}" for word in words)
    if years == ANY_YEAR and not since:
        return terms
    span = f"submittedDate:[{since or f'{years.first or 1990}01010000'} TO {years.last or 2999}12312359]"
    return f"({terms}) AND {span}" if terms else span


def _line(entry: Element, name: str) -> str:
    return " ".join(entry.findtext(name, "").split())


def _key(entry: Element) -> str:
    return bare_key(make_id("arxiv", _own_number(entry)) or "")


def _own_number(entry: Element) -> str:
    # The record is the paper's, whichever version is the newest.
    return _VERSION.sub("", _line(entry, "id").partition("/abs/")[2])


def _parse_entry(entry: Element) -> Parsed | Failure:
    return parse_service_row(_row(entry), NAME, _line(entry, "id"))


def _row(entry: Element) -> Record:
    """An entry as a row of `importers.jsonl.rows`."""
    number = _own_number(entry)
    return {
        "arxiv": number,
        # The journal's; arXiv's own, 10.48550/..., follows from the number.
        "doi": _line(entry, "doi"),
        "title": _line(entry, "title"),
        "abstract": _line(entry, "summary"),
        "authors": list(_names(entry)),
        "date": _line(entry, "published")[:10],
        "venue": "arXiv",
        "type": "preprint",
        "keywords": [text(category.get("term")) for category in entry.iter("category")],
        "urls": [f"https://arxiv.org/abs/{quote_path(number)}"],
        "pdf_url": f"https://arxiv.org/pdf/{quote_path(number)}",
        # arXiv has no field for it: authors say so in the comment, in these words.
        "retraction": "retracted" if "has been withdrawn" in _line(entry, "comment").lower() else "",
    }


def _names(entry: Element) -> Iterator[str]:
    for author in entry.iter("author"):
        name = _line(author, "name")
        # Collaborations come as "NAME", ":" and their members.
        if name and name != ":":
            yield name


class ArxivLicences:
    """The licence of a paper on arXiv, which only its OAI record states."""

    def __init__(self, client: HttpClient, *, base: str = OAI) -> None:
        self._client = client
        self._base = base

    def fetch_licence(self, number: str) -> Task[str]:
        """The licence's address for the paper's newest version; empty if unknown."""
        identifier = ("identifier", f"oai:arXiv.org:{number}")
        params = (("verb", "GetRecord"), identifier, ("metadataPrefix", "arXivRaw"))
        try:
            answer = yield from self._client.get(Request(self._base, params, expect="xml"))
            root = parse_tree(answer.body)
        except Offline:
            raise
        except (SourceError, BadInput):
            # A text without a stated licence is better than none.
            return ""
        strip_namespaces(root)
        licence = next(root.iter("license"), None)
        return (licence.text or "").strip() if licence is not None else ""


class ArxivHtml:
    """Fits `TextRoute`."""

    name = "arxiv-html"

    def __init__(self, client: HttpClient, licences: ArxivLicences, *, html: str = HTML, ar5iv: str = AR5IV) -> None:
        self._client = client
        self._licences = licences
        self._places = (html, ar5iv)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has an arXiv id."""
        return bool(key_in(paper, "arxiv"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The page of the newest version.

        Raises:
            NotFound: there is none: the authors sent no source, or it could not be converted.
        """
        number = key_in(paper, "arxiv")
        if not number:
            raise NotFound(f"{paper.id} has no arXiv id.")
        for place in self._places:
            url = f"{place}/{quote_path(number)}"
            request = Request(url, expect="html", read_s=TEXT_TIMEOUT_S, most_bytes=_MAX_PAGE_BYTES, keep=False)
            try:
                answer = yield from self._client.get(request, _check_page)
            # The next place may have it: ar5iv converted most older papers.
            except (NotFound, Malformed):
                continue
            path = hashed_file(folder, number, ".html")
            path.write_bytes(answer.body)
            # Only where the page does not state it: each further request to arXiv takes three seconds.
            licence = "" if _LICENCE_MARKER in answer.body else (yield from self._licences.fetch_licence(number))
            return OpenText(path, "html", answer.url, licence, version="preprint")
        raise NotFound("arXiv has no web page of its text.")


def _check_page(answer: ServiceResponse) -> None:
    if _PAPER_MARKER not in answer.body:
        # A part of the network code, which is loaded by now.
        from litterm.services.http.error_mapping import is_challenge

        if is_challenge(answer.body):
            raise Challenged("arXiv currently accepts only browsers.")
        raise Malformed("arXiv answered with a page that holds no paper.")
