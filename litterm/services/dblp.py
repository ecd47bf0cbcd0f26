"""DBLP: the bibliography of computer science, searched by title.

Its documentation: https://dblp.org/faq/How+to+use+the+dblp+search+API.html. Its data is CC0.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Final

from litterm.core.errors import Malformed
from litterm.core.tasks import Task
from litterm.model.library import Failure, Parsed
from litterm.model.search import YearRange
from litterm.model.services import ANY_YEAR
from litterm.services.http.client import HttpClient
from litterm.services.http.messages import Request, ServiceResponse
from litterm.services.json_access import Record, only_papers, parse_service_row, record, records, require_fields, text
from litterm.text.tokens import words

NAME: Final = "dblp"
BASE = "https://dblp.org"
_HOST = "dblp.org"
_TYPES = {
    "Journal Articles": "article",
    "Conference and Workshop Papers": "inproceedings",
    "Informal and Other Publications": "preprint",
    "Books and Theses": "book",
    "Parts in Books or Collections": "chapter",
    "Editorship": "proceedings",
}
_HOMONYM: Final = re.compile(r" \d{4}$")
"""What tells people of one name apart: `Wei Wang 0012`."""
_MAX_WORDS: Final = 24
"""Words of a query: all must be in the record, and longer titles are cut somewhere."""


class Dblp:
    """Fits `Finder`."""

    name = NAME

    def __init__(self, client: HttpClient, *, base: str = BASE) -> None:
        self._client = client
        self._base = base

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` publications whose record has every word of `query`; years are left to the caller."""
        asked = " ".join(words(query)[:_MAX_WORDS])
        if not asked:
            return ()
        params = (("q", asked), ("format", "json"), ("h", str(limit)))
        request = Request(f"{self._base}/search/publ/api", params)
        hits = _hits((yield from self._client.get(request, _hits)))
        return only_papers([_parse(record(hit.get("info"))) for hit in hits[:limit]])


def _hits(answer: ServiceResponse) -> list[Record]:
    result = record(require_fields(answer, _HOST, "result").get("result"))
    if "hits" not in result:
        raise Malformed("DBLP answered with something that is not a list of publications.")
    # Without any there is no list at all.
    return records(record(result.get("hits")).get("hit"))


def _parse(info: Record) -> Parsed | Failure:
    kind = _TYPES.get(text(info.get("type")), "other")
    venue = _first(info.get("venue"))
    in_proceedings = kind in ("inproceedings", "chapter")
    row = {
        "doi": info.get("doi"),
        "title": html.unescape(text(info.get("title"))).rstrip("."),
        "authors": [_HOMONYM.sub("", html.unescape(name)) for name in _names(info)],
        "year": info.get("year"),
        "venue": venue,
        "type": "article" if kind == "preprint" and venue != "CoRR" else kind,
        "journal": "" if in_proceedings else venue,
        "booktitle": venue if in_proceedings else "",
        "volume": info.get("volume"),
        "issue": info.get("number"),
        "pages": text(info.get("pages")).replace("-", "–"),
        "url": info.get("url"),
    }
    return parse_service_row(row, NAME, text(info.get("url")) or BASE)


def _names(info: Record) -> Sequence[str]:
    """One author is no list."""
    authors = record(info.get("authors")).get("author")
    people = records(authors) or ([authors] if isinstance(authors, dict) else [])
    return [text(person.get("text")) for person in people]


def _first(value: object) -> str:
    return text(value[0]) if isinstance(value, list) and value else text(value)
