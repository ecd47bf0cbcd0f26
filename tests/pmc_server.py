"""A local PubMed Central: searches by days, of which only so many results can be reached, and articles as JATS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from fakes_web_server import Asked, Page, WebServer, as_json, page

_ARTICLE = """<article article-type="research-article"><front><article-meta>
<article-id pub-id-type="pmcid">PMC{n}</article-id><article-id pub-id-type="pmcaid">{n}</article-id>
<title-group><article-title>On subject {n} of many</article-title></title-group><contrib-group>
<contrib contrib-type="author"><name><surname>Writer{n}</surname><given-names>Ada</given-names></name></contrib>
</contrib-group><pub-date pub-type="epub"><day>{day}</day><month>{month}</month><year>{year}</year></pub-date>
<abstract><p>We study subject {n}.</p></abstract></article-meta></front>
<body><sec><title>Results</title><p>Subject {n} was found to matter. It is one of many.</p></sec></body></article>"""


@dataclass
class Archive:
    """Articles by number with the day each came out; `wall` is how many results of a search are listed."""

    published: Mapping[int, date]
    wall: int = 10_000
    withheld: Sequence[int] = ()
    """Listed, and never given."""
    broken: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    """What of an article stands for what, so that it is no XML any more."""
    served: list[int] = field(default_factory=list)

    def open_at(self, server: WebServer, base: str = "") -> None:
        """Answers searches and requests for articles on `server`."""
        server.on(f"{base}/esearch.fcgi", self._search)
        server.on(f"{base}/efetch.fcgi", self._fetch)

    def _search(self, asked: Asked) -> Page:
        first = asked.one("mindate") if "mindate" in asked.query else "1000"
        last = asked.one("maxdate") if "maxdate" in asked.query else "3000"
        told = {number: day.strftime("%Y/%m/%d") for number, day in self.published.items()}
        found = sorted((n for n, day in told.items() if first <= day <= last), key=lambda n: (told[n], n), reverse=True)
        start, size = int(asked.one("retstart")), int(asked.one("retmax"))
        listed = found[start : min(start + size, self.wall)]
        return as_json({"esearchresult": {"count": str(len(found)), "idlist": [str(number) for number in listed]}})

    def _fetch(self, asked: Asked) -> Page:
        numbers = [int(each) for each in asked.one("id").split(",") if int(each) not in self.withheld]
        self.served += numbers
        return page(f"<pmc-articleset>{''.join(map(self._article, numbers))}</pmc-articleset>")

    def _article(self, number: int) -> str:
        day = self.published[number]
        article = _ARTICLE.format(n=number, day=day.day, month=day.month, year=day.year)
        return article.replace(*self.broken[number]) if number in self.broken else article
