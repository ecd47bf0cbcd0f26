"""Detects papers of one series: yearly reports of a shared task, parts of one work, versions of one system.

A series shares its lead author, and its titles are numbered or dated: papers of other people with similar titles may be
the origin of what a list is about. Two publications of one work, and two papers in which the same authors report the
same work, at a conference and in a journal, count as a series, too.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from litterm.reading_lists.topic import content_stems
from litterm.text.references.same_paper import is_one_work, same_first_author
from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.model.paper import Paper

_T = TypeVar("_T")
_MIN_TITLE_OVERLAP = 0.6
"""Minimum overlap (Jaccard) of the stems of two titles of one series."""
_MIN_EVENT_OVERLAP = 0.5
"""Minimum overlap of the subjects of two reports of a recurring event."""
_MIN_TEAM_OVERLAP, _MIN_TEAM_OVERLAP_NO_ABSTRACT = 0.6, 0.75
"""Minimum overlap of the authors of two papers that may report the same work, with and without both abstracts."""
_MAX_YEARS_APART = 4
"""A journal version may follow its conference paper by this many years."""
_MIN_TEXT_OVERLAP, _MIN_SUBJECT_OVERLAP, _MIN_SUBJECT_OVERLAP_NO_ABSTRACT = 0.3, 0.6, 0.3
"""Minimum overlaps of two papers by one team that report the same work: of title and abstract, of the stems of their
titles beyond the topic, and of these where an abstract is missing. Chosen on about a hundred pairs in lists."""
_NUMBERING = re.compile(
    r"(?<=[a-z])\d\d\b|\b(?:(?:19|20)\d\d|\d{1,3}(?:st|nd|rd|th)?|v\d+|[ivx]{1,4}|part|volume|version|edition|first"
    r"|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)\b"
)
"""Years, numbers and ordinals, which differ between papers of one series; for folded titles."""
_EVENT_WORDS = re.compile(
    r"\b(?:findings|overview|report|results|shared|tasks?|workshop|conference|campaign|challenge|track|evaluation"
    r"|competition|semeval|senseval|conll)\b"
)
_EVENT_REPORT = re.compile(
    r"^(?:the\s+)?(?:findings|overview|report|results)\s+(?:of|on|from)\b(?=.*\b(?:tasks?|workshop|conference|campaign"
    r"|challenge|track|evaluation|competition)\b)|\bshared\s+tasks?\b|\bsemeval\b|\bsenseval\b"
)
"""The title of a report of a recurring event; for folded titles."""
_PART_NUMBER = re.compile(r"\b(?:part|volume) (?:\d|[ivx]{1,4}\b|one\b|two\b|three\b)")
_MIN_WHOLE_CHARACTERS = 10
"""Minimum length of what is before "part": "Part I: ..." does not name the whole."""
_SEPARATOR_CHARACTERS = f"{string.punctuation} \N{EN DASH}\N{EM DASH}"
"""Characters that may separate the name of the whole from its part."""
_NAME_BEFORE_COLON = re.compile(r"^(?P<name>[^:]{3,60}?)\s?:\s")


@dataclass(frozen=True, slots=True)
class SeriesTitle:
    """The parts of a title that identify its series."""

    stems: frozenset[str]
    subject: frozenset[str]
    """Stems without years, numbers and the words of events and reports."""
    whole: str
    """The work or system that the paper is a part or version of, folded; empty if the title names none."""
    is_report: bool
    is_numbered: bool
    """Whether it holds a year, a number or an ordinal."""

    def is_alike(self, other: SeriesTitle) -> bool:
        """Whether the titles are those of one series."""
        if self.is_report and other.is_report:
            return _jaccard(self.subject, other.subject) >= _MIN_EVENT_OVERLAP
        return bool(self.whole and self.whole == other.whole) or _jaccard(self.stems, other.stems) >= _MIN_TITLE_OVERLAP


def analyse_title(title: str) -> SeriesTitle:
    """Extracts what identifies the series of `title`."""
    folded = fold(title)
    # The subject is before the colon in "Findings of WMT23: LLMs Are Here", after it in "SemEval Task 4: Sentiment".
    subjects = (_find_subject(part) for part in (folded.partition(": ")[0], folded))
    return SeriesTitle(
        content_stems(title),
        next((subject for subject in subjects if subject), content_stems(title)),
        _find_whole(folded),
        is_event_report(title),
        _NUMBERING.search(folded) is not None,
    )


def is_event_report(title: str) -> bool:
    """Whether `title` is that of a report of a recurring event, such as the findings of a shared task."""
    return _EVENT_REPORT.search(fold(title)) is not None


@dataclass(frozen=True, slots=True)
class SeriesPaper:
    """A paper with what identifies its series among papers on one topic."""

    paper: Paper
    title: SeriesTitle
    title_beyond_topic: frozenset[str]
    """Stems of the title beyond those of the topic."""
    authors: frozenset[str]
    """Initial and family name of each, because not all venues spell out given names."""

    def is_alike(self, other: SeriesPaper) -> bool:
        """Whether both are of one series or report the same work, so that a list needs only one of them."""
        if is_one_work(self.paper, other.paper):
            return True
        if not same_first_author(self.paper, other.paper):
            return False
        is_numbered = self.title.is_numbered or other.title.is_numbered
        return (is_numbered and self.title.is_alike(other.title)) or self._reports_same_work(other)

    def _reports_same_work(self, other: SeriesPaper) -> bool:
        first_paper, second_paper = self.paper, other.paper
        shared_authors = len(self.authors & other.authors) / max(1, len(self.authors | other.authors))
        if (
            shared_authors < _MIN_TEAM_OVERLAP
            or abs((first_paper.year or 0) - (second_paper.year or 0)) > _MAX_YEARS_APART
        ):
            return False
        shorter = min(len(self.title_beyond_topic), len(other.title_beyond_topic))
        subject_overlap = len(self.title_beyond_topic & other.title_beyond_topic) / shorter if shorter else 0.0
        if not first_paper.abstract or not second_paper.abstract:
            return (
                shared_authors >= _MIN_TEAM_OVERLAP_NO_ABSTRACT and subject_overlap >= _MIN_SUBJECT_OVERLAP_NO_ABSTRACT
            )
        texts = [content_stems(f"{paper.title} {paper.abstract}") for paper in (first_paper, second_paper)]
        return subject_overlap >= _MIN_SUBJECT_OVERLAP or _jaccard(*texts) >= _MIN_TEXT_OVERLAP


def as_series_paper(paper: Paper, keywords: Iterable[str]) -> SeriesPaper:
    """Extracts what identifies the series of `paper` in a list on `keywords`."""
    topic = frozenset[str]().union(*map(content_stems, keywords))
    authors = frozenset(fold(f"{author.given[:1]} {author.surname}") for author in paper.authors)
    return SeriesPaper(paper, analyse_title(paper.title), content_stems(paper.title) - topic, authors)


def keep_first_of_each_series(items: Iterable[_T], paper: Callable[[_T], Paper], keywords: Iterable[str]) -> list[_T]:
    """`items` without those of the same series as an earlier one, in a list on `keywords`."""
    topic, distinct = tuple(keywords), list[tuple[_T, SeriesPaper]]()
    for item in items:
        candidate = as_series_paper(paper(item), topic)
        if not any(candidate.is_alike(other) for _, other in distinct):
            distinct.append((item, candidate))
    return [item for item, _ in distinct]


def _find_subject(folded: str) -> frozenset[str]:
    return content_stems(_EVENT_WORDS.sub(" ", _NUMBERING.sub(" ", folded)))


def _find_whole(folded: str) -> str:
    # Done in steps: a single expression would take quadratic time on a title full of spaces.
    spaced = " ".join(folded.split())
    for part in _PART_NUMBER.finditer(spaced):
        whole_title = spaced[: part.start()].rstrip(_SEPARATOR_CHARACTERS)
        if len(whole_title) >= _MIN_WHOLE_CHARACTERS and len(whole_title) < part.start():
            return whole_title
    if match := _NAME_BEFORE_COLON.match(folded):
        name = " ".join(_NUMBERING.sub(" ", match["name"]).split())
        # "Dependency Parsing: ..." names a field; "OpenNMT: ..." and "Universal Dependencies v2: ..." name one system.
        return name if name != match["name"] or " " not in name else ""
    return ""


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first and second else 0.0
