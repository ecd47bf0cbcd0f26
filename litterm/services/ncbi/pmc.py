"""Open-access articles of PubMed Central by query, step by step."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from xml.parsers.expat import XML_PARAM_ENTITY_PARSING_NEVER, ExpatError, ParserCreate

from litterm.core.errors import NotFound, NotOpen
from litterm.core.filesystem import replace_bytes
from litterm.core.tasks import Task
from litterm.model.events import Notice
from litterm.model.library import Failure
from litterm.model.paper import Paper
from litterm.model.services import ANY_YEAR, CatalogueBatch, ExpectedSize, OpenText, Scope
from litterm.services.http.messages import hashed_file
from litterm.services.json_access import integer, position, text, texts
from litterm.services.ncbi.entrez import ARTICLE, BODY, MAX_LISTED, DateRange, Entrez, Field
from litterm.text.references.identity import key_in

NAME = "pmc"
_OPEN_ACCESS_FILTER = '("open access"[filter])'
_BATCH_SIZE = 25
"""Articles of one request."""
_TYPICAL_ARTICLE_BYTES = 200_000
"""What an article takes as XML, roughly: 30 of them were 5.7 MB. In the library it takes half of that."""
_LATE_ARRIVAL = timedelta(days=7)
"""With how much delay an article may enter the archive."""
_OLDEST_YEAR, _MAX_YEARS_AHEAD = 1500, 10
"""Between which years an article can have come out."""
_DAY_FORMAT = "%Y/%m/%d"
_LAST_DATE = "3000"
_EMBARGO = re.compile(rb"pmc-status-embargo</(?:\w+:)?meta-name>\s*<(?:\w+:)?meta-value>\s*yes")
_MANUSCRIPT = re.compile(rb"pmc-prop-manuscript</(?:\w+:)?meta-name>\s*<(?:\w+:)?meta-value>\s*yes")
_OWN_NUMBER = re.compile(rb'<(?:\w+:)?article-id[^>]*pub-id-type="(?:pmc|pmcid|pmcaid)"[^>]*>\s*(?:PMC)?(\d+)')

_WHOLE_ARTICLE = re.compile(rb"<article[\s>].*?</article>", re.S)


@dataclass(frozen=True, slots=True)
class _Cursor:
    """How far a synchronisation has come."""

    since: str = ""
    """Only what entered the archive from this day on; empty: everything."""
    start: int = 0
    """Articles seen of `days`."""
    seen: int = 0
    """Articles seen in all."""
    days: DateWindow | None = None
    """Where more match than can be reached: the days that are walked through now."""

    @staticmethod
    def parse(cursor: str) -> _Cursor:
        """The place that `cursor` holds."""
        fields = position(cursor)
        start, days = integer(fields.get("start")) or 0, tuple(map(date.fromisoformat, texts(fields.get("days"))))
        seen = integer(fields.get("seen"))
        return _Cursor(
            text(fields.get("since")), start, start if seen is None else seen, DateWindow(*days) if days else None
        )

    def cursor(self) -> str:
        """The place, written down."""
        days = [self.days.first.isoformat(), self.days.last.isoformat()] if self.days is not None else []
        return json.dumps({"start": self.start, "seen": self.seen, "since": self.since, "days": days})


class PubMedCentral:
    """Fits `Catalogue` and `TextRoute`."""

    name = NAME

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def expected_size(self, scope: Scope, cursor: str) -> Task[ExpectedSize]:
        """How many open articles match, and about how many bytes are still to come."""
        place = _Cursor.parse(cursor)
        _, total = yield from self._search(scope, replace(place, start=0, days=None), 0)
        papers = min(total, scope.limit or total)
        remaining = max(papers - place.seen, 0)
        return ExpectedSize(
            papers=papers, bytes=remaining * _TYPICAL_ARTICLE_BYTES, disk_bytes=remaining * _TYPICAL_ARTICLE_BYTES
        )

    def next_batch(self, scope: Scope, cursor: str, folder: Path) -> Task[CatalogueBatch]:
        """Up to 25 articles as one file of JATS; those that are listed and not given are failures.

        Where more match than can be reached, spans of days that hold few enough are walked through, the newest first.
        At the end the cursor holds a date: the next synchronisation asks for what entered the archive since then.
        """
        place = _Cursor.parse(cursor)
        size = min(_BATCH_SIZE, scope.limit - place.seen) if scope.limit else _BATCH_SIZE
        numbers, total = yield from self._search(scope, place, size)
        # Only where it has to be: each span of days costs some requests to find.
        if place.days is None and min(total, scope.limit or total) > MAX_LISTED:
            days = yield from self._newest(scope, place, self._all_days(scope, place))
            place = replace(place, start=0, days=days)
            numbers, total = yield from self._search(scope, place, size)
        if place.days is not None and total > MAX_LISTED and not place.start:
            yield Notice(
                f"{total:,} articles of one day match; the service lists {MAX_LISTED:,} of them. Narrow the query."
            )
        files, failures = (yield from self._articles(numbers, folder, place)) if numbers else ((), ())
        seen = place.seen + len(numbers)
        after_batch = replace(place, start=place.start + len(numbers), seen=seen)
        remaining = min(total, MAX_LISTED) - after_batch.start if numbers else 0
        next_place = after_batch if remaining > 0 else (yield from self._next_days(scope, after_batch))
        if next_place is None or (scope.limit and seen >= scope.limit):
            # A week early: what is dated before it entered would otherwise never be asked for.
            since = (self._entrez.today() - _LATE_ARRIVAL).strftime(_DAY_FORMAT)
            return CatalogueBatch(failures, files, cursor=_Cursor(since).cursor(), done=True, seen=seen)
        return CatalogueBatch(failures, files, cursor=next_place.cursor(), seen=seen)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` is in PMC."""
        return bool(key_in(paper, "pmc"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The article as JATS.

        Raises:
            NotOpen: the publisher does not allow it: an article comes back without its body.
            NotFound: there is none.
        """
        number = key_in(paper, "pmc").removeprefix("PMC")
        if not number:
            raise NotFound(f"{paper.id} has no PMC id.")
        answer = yield from self._entrez.fetch("pmc", [number])
        if not ARTICLE.search(answer.body):
            raise NotFound(f"PMC has no article PMC{number}.")
        # Closed articles come with status 200, and without their body.
        if not BODY.search(answer.body):
            held_back = _EMBARGO.search(answer.body) is not None
            reason = "is held back for now" if held_back else "may not be fetched: its publisher does not allow it"
            raise NotOpen(f"The text of PMC{number} {reason}.")
        path = hashed_file(folder, number, ".xml")
        path.write_bytes(answer.body)
        return OpenText(
            path, "jats", answer.url, version="accepted" if _MANUSCRIPT.search(answer.body) else "published"
        )

    def _search(self, scope: Scope, place: _Cursor, size: int) -> Task[tuple[tuple[str, ...], int]]:
        """Up to `size` numbers from the place on, and how many there are of its days."""
        dated = None
        if place.days is not None:
            # The first synchronisation goes by publication dates; later ones by when articles entered the archive.
            kind: Field = "edat" if place.since else "pdat"
            dated = DateRange(kind, place.days.first.strftime(_DAY_FORMAT), place.days.last.strftime(_DAY_FORMAT))
        elif place.since:
            dated = DateRange("edat", place.since, _LAST_DATE)
        return (yield from self._entrez.search("pmc", _term(scope), start=place.start, size=size, dated=dated))

    def _articles(
        self, numbers: Sequence[str], folder: Path, place: _Cursor
    ) -> Task[tuple[tuple[Path, ...], tuple[Failure, ...]]]:
        """The articles in one file, and those of them that did not come."""
        # Named by what is in it: a step that is repeated after a kill finds what had come.
        digest = hashlib.sha256(",".join(numbers).encode()).hexdigest()[:12]
        path = folder / f"pmc-{place.seen}-{digest}.xml"
        broken: set[str] = set()
        if not path.exists():
            try:
                # What will be in the library need not be kept as an answer, too.
                answer = yield from self._entrez.fetch("pmc", numbers, keep=False)
            except NotFound:
                return (), tuple(map(_not_given, numbers))
            replace_bytes(path, answer.body if _is_sound(answer.body) else _salvage(answer.body))
            broken = _numbers(answer.body) - _numbers(path.read_bytes())
        content = path.read_bytes()
        returned = _numbers(content)
        missing = (number for number in numbers if number not in returned)
        failures = (_unreadable(number) if number in broken else _not_given(number) for number in missing)
        return ((path,) if ARTICLE.search(content) else ()), tuple(failures)

    def _next_days(self, scope: Scope, place: _Cursor) -> Task[_Cursor | None]:
        """Where to continue after the days that were walked through; `None` where there are no more."""
        earlier_days = self._all_days(scope, place).before(place.days) if place.days is not None else None
        if earlier_days is None:
            return None
        return replace(place, start=0, days=(yield from self._newest(scope, place, earlier_days)))

    def _newest(self, scope: Scope, place: _Cursor, days: DateWindow) -> Task[DateWindow]:
        """The end of `days` whose articles can all be reached."""

        def count(window: DateWindow) -> Task[int]:
            return (yield from self._search(scope, replace(place, start=0, days=window), 0))[1]

        return (yield from newest(days, MAX_LISTED, count))

    def _all_days(self, scope: Scope, place: _Cursor) -> DateWindow:
        """On which articles can have come out or, once there is something to continue from, entered the archive."""
        today = self._entrez.today()
        if place.since:
            return DateWindow(datetime.strptime(place.since, _DAY_FORMAT).replace(tzinfo=UTC).date(), today)
        years = scope.years
        return DateWindow(
            date(years.first or _OLDEST_YEAR, 1, 1), date(years.last or today.year + _MAX_YEARS_AHEAD, 12, 31)
        )


def _term(scope: Scope) -> str:
    parts = [f"({scope.query})"] if scope.query else []
    if scope.years != ANY_YEAR:
        parts.append(f"{scope.years.first or 1500}:{scope.years.last or 3000}[pubdate]")
    return " AND ".join([*parts, _OPEN_ACCESS_FILTER])


def _numbers(body: bytes) -> set[str]:
    """Those of the articles in it."""
    return {number.decode() for number in _OWN_NUMBER.findall(body)}


def _is_sound(body: bytes) -> bool:
    """Whether it can be read to its end, in a small part of the time that reading takes."""
    parser = ParserCreate()
    parser.SetParamEntityParsing(XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(body, True)
    except ExpatError:
        return False
    return b"<!ENTITY" not in body


def _salvage(body: bytes) -> bytes:
    """The articles in it that can be read: a broken one would make those after it unreadable."""
    sound = b"".join(article[0] for article in _WHOLE_ARTICLE.finditer(body) if _is_sound(article[0]))
    return b"<pmc-articleset>%b</pmc-articleset>" % sound


def _unreadable(number: str) -> Failure:
    message = "PubMed Central gives it as XML that cannot be read."
    return Failure(f"pmc:PMC{number}", message, transient=True, missing="text")


def _not_given(number: str) -> Failure:
    return Failure(
        f"pmc:PMC{number}", "PubMed Central lists it but did not deliver it.", transient=True, missing="text"
    )


_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DateWindow:
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    @property
    def is_one_day(self) -> bool:
        """Whether it cannot be cut any more."""
        return self.first == self.last

    @property
    def newer_half(self) -> DateWindow:
        """The later days of it; at least one."""
        return DateWindow(self.first + (self.last - self.first) // 2 + _ONE_DAY, self.last)

    def before(self, other: DateWindow) -> DateWindow | None:
        """The days before `other`; `None` if there are none."""
        return DateWindow(self.first, other.first - _ONE_DAY) if other.first > self.first else None


def newest(window: DateWindow, most: int, count: Callable[[DateWindow], Task[int]]) -> Task[DateWindow]:
    """The end of `window` that holds at most `most` results, by halves; a single day may hold more."""
    # Each count is a request: halving takes about 18 of them for five centuries of days.
    span = window
    while not span.is_one_day and (yield from count(span)) > most:
        span = span.newer_half
    return span
