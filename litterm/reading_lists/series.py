"""Whether two papers are of one series: a shared task's report of the next year, another part, a demo of one system.

So are two papers in which the same authors tell of the same work, as at a conference and then in a journal.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from litterm.reading_lists.topic import content_stems
from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.model.paper import Paper

_T = TypeVar("_T")
_ALIKE = 0.6
"""Share of the stems of two titles from which on the second is one more of a series."""
_EVENT = 0.5
"""The same where both report an event that is held again and again."""
_TEAM, _WHOLE_TEAM = 0.6, 0.75
"""Share of the authors of two papers that have a part in both from which on they may tell of one work; the same where
an abstract is missing."""
_WORK_YEARS = 4
"""Years within which a journal follows a conference."""
_TEXT, _TELLING, _TELLING_ALONE = 0.3, 0.6, 0.3
"""Of two papers of one team that tell of one work: share of the stems of title and abstract; of the shorter title's
stems beyond the topic; the same where an abstract is missing. Read off some hundred pairs of one team in lists."""
_NUMBERING = re.compile(
    r"(?<=[a-z])\d\d\b|\b(?:(?:19|20)\d\d|\d{1,3}(?:st|nd|rd|th)?|v\d+|[ivx]{1,4}|part|volume|version|edition|first"
    r"|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)\b"
)
"""What tells one of a series from the next, in a folded title."""
_EVENT_WORDS = re.compile(
    r"\b(?:findings|overview|report|results|shared|tasks?|workshop|conference|campaign|challenge|track|evaluation"
    r"|competition|semeval|senseval|conll)\b"
)
_REPORT = re.compile(
    r"^(?:the\s+)?(?:findings|overview|report|results)\s+(?:of|on|from)\b(?=.*\b(?:tasks?|workshop|conference|campaign"
    r"|challenge|track|evaluation|competition)\b)|\bshared\s+tasks?\b|\bsemeval\b|\bsenseval\b"
)
"""A report of an event that is held again and again, in a folded title."""
_PART = re.compile(r"\b(?:part|volume) (?:\d|[ivx]{1,4}\b|one\b|two\b|three\b)")
_SHORTEST_WHOLE = 10
"""Characters that stand before "part" at least: "Part I: ..." names nothing that it is a part of."""
_BETWEEN = f"{string.punctuation} \N{EN DASH}\N{EM DASH}"
"""What may stand between the whole and its part."""
_LEAD = re.compile(r"^(?P<name>[^:]{3,60}?)\s?:\s")


@dataclass(frozen=True, slots=True)
class SeriesTitle:
    """What of a title tells its series."""

    stems: frozenset[str]
    subject: frozenset[str]
    """Its stems without years, numbers and the words for an event and its report."""
    whole: str
    """What it is a part, a version or a demo of, folded; empty where it says nothing of the kind."""
    is_report: bool

    def is_alike(self, other: SeriesTitle) -> bool:
        """Whether both are of one series, so that one of them is enough in a list."""
        if self.is_report and other.is_report:
            return _share(self.subject, other.subject) >= _EVENT
        return bool(self.whole and self.whole == other.whole) or _share(self.stems, other.stems) >= _ALIKE


def series_title(title: str) -> SeriesTitle:
    """`title` as far as it tells its series."""
    folded = fold(title)
    # "Findings of WMT23: LLMs Are Here" says its subject before the colon, "SemEval-2016 Task 4: Sentiment" behind it.
    subjects = (_subject(part) for part in (folded.partition(": ")[0], folded))
    return SeriesTitle(
        content_stems(title),
        next((subject for subject in subjects if subject), content_stems(title)),
        _whole(folded),
        _REPORT.search(folded) is not None,
    )


@dataclass(frozen=True, slots=True)
class SeriesPaper:
    """A paper beside others on its topic."""

    paper: Paper
    title: SeriesTitle
    telling: frozenset[str]
    """Stems of the title beyond those of the topic."""
    authors: frozenset[str]
    """As initial and family, for venues spell out given names or not."""

    def is_alike(self, other: SeriesPaper) -> bool:
        """Whether both are of one series, or tell of one work, so that one of them is enough in a list."""
        return self.title.is_alike(other.title) or self._tells_of_the_work_of(other)

    def _tells_of_the_work_of(self, other: SeriesPaper) -> bool:
        mine, theirs = self.paper, other.paper
        team = len(self.authors & other.authors) / max(1, len(self.authors | other.authors))
        if team < _TEAM or abs((mine.year or 0) - (theirs.year or 0)) > _WORK_YEARS:
            return False
        shorter = min(len(self.telling), len(other.telling))
        telling = len(self.telling & other.telling) / shorter if shorter else 0.0
        if not mine.abstract or not theirs.abstract:
            return team >= _WHOLE_TEAM and telling >= _TELLING_ALONE
        texts = [content_stems(f"{paper.title} {paper.abstract}") for paper in (mine, theirs)]
        return telling >= _TELLING or _share(*texts) >= _TEXT


def series_paper(paper: Paper, keywords: Iterable[str]) -> SeriesPaper:
    """`paper` as far as it tells its series, in a list on these `keywords`."""
    topic = frozenset[str]().union(*map(content_stems, keywords))
    authors = frozenset(fold(f"{author.given[:1]} {author.family}") for author in paper.authors)
    return SeriesPaper(paper, series_title(paper.title), content_stems(paper.title) - topic, authors)


def first_of_each_series(items: Iterable[_T], paper: Callable[[_T], Paper], keywords: Iterable[str]) -> list[_T]:
    """`items` without those that are of one series with an earlier one, in a list on these `keywords`."""
    topic, kept = tuple(keywords), list[tuple[_T, SeriesPaper]]()
    for item in items:
        own = series_paper(paper(item), topic)
        if not any(own.is_alike(other) for _, other in kept):
            kept.append((item, own))
    return [item for item, _ in kept]


def _subject(folded: str) -> frozenset[str]:
    return content_stems(_EVENT_WORDS.sub(" ", _NUMBERING.sub(" ", folded)))


def _whole(folded: str) -> str:
    # Spaces once only, and the whole cut off by hand: an expression for both would try each space against each.
    spaced = " ".join(folded.split())
    for part in _PART.finditer(spaced):
        whole = spaced[: part.start()].rstrip(_BETWEEN)
        if len(whole) >= _SHORTEST_WHOLE and len(whole) < part.start():
            return whole
    if match := _LEAD.match(folded):
        name = " ".join(_NUMBERING.sub(" ", match["name"]).split())
        # "Dependency Parsing: ..." names a field, "OpenNMT: ..." and "Universal Dependencies v2: ..." one thing.
        return name if name != match["name"] or " " not in name else ""
    return ""


def _share(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first and second else 0.0
