"""Whether two papers are of one series: a shared task's report of the next year, another part, a demo of one system."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from litterm.reading_lists.topic import keyword_stems
from litterm.text.tokens import fold

_T = TypeVar("_T")
_ALIKE = 0.6
"""Share of the stems of two titles from which on the second is one more of a series."""
_EVENT = 0.5
"""The same where both report an event that is held again and again."""
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
        keyword_stems(title),
        next((subject for subject in subjects if subject), keyword_stems(title)),
        _whole(folded),
        _REPORT.search(folded) is not None,
    )


def first_of_each_series(items: Iterable[_T], title: Callable[[_T], str]) -> list[_T]:
    """`items` without those that are of one series with an earlier one."""
    kept: list[tuple[_T, SeriesTitle]] = []
    for item in items:
        own = series_title(title(item))
        if not any(own.is_alike(other) for _, other in kept):
            kept.append((item, own))
    return [item for item, _ in kept]


def _subject(folded: str) -> frozenset[str]:
    return keyword_stems(_EVENT_WORDS.sub(" ", _NUMBERING.sub(" ", folded)))


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
