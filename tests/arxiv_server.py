"""A local arXiv with a given number of papers, for walks that are broken off and taken up again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from fakes_web_server import Asked, Page, page

_FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">
<title>q</title><o:totalResults>{total}</o:totalResults>{entries}</feed>"""
_ENTRY = """<entry><id>http://arxiv.org/abs/2001.{n:05d}v2</id><title>On subject {n} of many</title>
<published>{at}</published><summary>We study subject {n}.</summary>
<author><name>Ada Lovelace</name></author><author><name>Writer{n} Number</name></author></entry>"""


def feed(numbers: Sequence[int], total: int, at: Callable[[int], str] = lambda _n: "2020-01-02T00:00:00Z") -> str:
    """A page of papers, as arXiv writes it; `at` says when each was submitted."""
    return _FEED.format(total=total, entries="".join(_ENTRY.format(n=n, at=at(n)) for n in numbers))


def collection(total: int) -> object:
    """Answers any page of a collection of `total` papers."""

    def answer(asked: Asked) -> Page:
        start, size = int(asked.one("start")), int(asked.one("max_results"))
        return page(feed(range(start, min(start + size, total)), total))

    return answer


def submissions(total: int, *, wall: int) -> Callable[[Asked], Page]:
    """Answers as arXiv does: by date, in either order, two a minute, and nothing behind `wall` results."""

    def at(number: int) -> str:
        return (datetime(2020, 1, 1) + timedelta(minutes=number // 2)).strftime("%Y-%m-%dT%H:%M:00Z")

    def answer(asked: Asked) -> Page:
        since = re.search(r"submittedDate:\[(\d{12})", asked.one("search_query"))
        found = [n for n in range(total) if not since or re.sub(r"\D", "", at(n))[:12] >= since[1]]
        if "sortOrder" in asked.query and asked.one("sortOrder") == "descending":
            found.reverse()
        start = int(asked.one("start"))
        return page(feed(found[start : min(start + int(asked.one("max_results")), wall)], len(found), at))

    return answer
