"""A local arXiv with a given number of papers, for walks that are broken off and taken up again."""

from __future__ import annotations

from fakes_web_server import Asked, Page, page

_FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">
<title>q</title><o:totalResults>{total}</o:totalResults>{entries}</feed>"""
_ENTRY = """<entry><id>http://arxiv.org/abs/2001.{n:05d}v2</id><title>On subject {n} of many</title>
<published>2020-01-02T00:00:00Z</published><summary>We study subject {n}.</summary>
<author><name>Ada Lovelace</name></author><author><name>Writer{n} Number</name></author></entry>"""


def feed(numbers: range, total: int) -> str:
    """A page of papers, as arXiv writes it."""
    return _FEED.format(total=total, entries="".join(_ENTRY.format(n=n) for n in numbers))


def collection(total: int) -> object:
    """Answers any page of a collection of `total` papers."""

    def answer(asked: Asked) -> Page:
        start, size = int(asked.one("start")), int(asked.one("max_results"))
        return page(feed(range(start, min(start + size, total)), total))

    return answer
