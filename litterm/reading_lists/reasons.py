"""Explains in one line, from data alone, why a paper is in a list."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from litterm.reading_lists.candidates import CITED, ORIGIN, USERS, ListCandidates, is_tutorial_abstract
from litterm.reading_lists.selection import find_covered_keywords, is_in_title
from litterm.text.genres import is_tutorial
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import PaperId
    from litterm.model.reading_list import ListStage

_MAX_REASONS = 3
_MIN_ADOPTION = 2.5
"""Logarithm of later over earlier uses of a name or phrase, from which on they are given as a reason."""
_MIN_NAME_USERS = 3
"""Number of papers on the topic that use its name, from which on that is given as a reason."""
_MIN_ORIGIN_CITATIONS = 2
"""Number of papers that name it as the origin of the topic, from which on that is given: a single one may be wrong."""
_MIN_TOPIC_AUTHOR_SCORE = 2.2
_COMMON_KEYWORD_SHARE = 0.5
_MAX_REASON_SHARE = 0.34
"""A reason is given for at most this share of a list, except where several papers share its value."""


def explain_choice(
    candidates: ListCandidates,
    index: int,
    stage: ListStage,
    links: Collection[tuple[PaperId, PaperId]],
    chosen: Sequence[int],
) -> tuple[str, ...]:
    """Explains why the candidate `index` is in the list, in at most three phrases, the most important first."""
    columns = candidates.columns
    name = candidates.names.get(candidates.papers[index].id)
    named = [f"the name {name} is used for this paper"] if name else []
    parts = [*_explain_kind(candidates, index), *named, *_explain_citations(candidates, index, links, len(chosen))]
    users = int(columns[USERS][index])
    if users >= _MIN_NAME_USERS:
        parts.append(f"{users} papers on this topic name it")
    parts += _explain_keywords(candidates, index, stage, chosen)
    # Papers that use its name are followers, too, and have been mentioned already.
    if (
        users < _MIN_NAME_USERS
        and columns["followers"][index] >= _MIN_ADOPTION
        and _stands_out(columns["followers"], index, chosen)
    ):
        parts.append("later papers use its words")
    if columns["topic author"][index] >= _MIN_TOPIC_AUTHOR_SCORE and _stands_out(
        columns["topic author"], index, chosen
    ):
        parts.append("by authors who wrote much on this")
    parts += _explain_date(candidates, index, chosen)
    return tuple(parts[:_MAX_REASONS]) or (_explain_relevance(columns["relevance"], index),)


def _explain_relevance(relevance: Column, index: int) -> str:
    """The place of a paper in the search for the topic; papers that only a keyword finds share the lowest score."""
    if relevance[index] <= relevance.min():
        return "near the topic in words and meaning"
    return f"no. {int((relevance > relevance[index]).sum()) + 1} in a search for the topic"


def _stands_out(column: Column, index: int, chosen: Sequence[int]) -> bool:
    """Whether the value of a paper is among the largest of the list: a value that most papers share is no reason."""
    largest = sorted((float(column[other]) for other in chosen), reverse=True)[
        : math.ceil(_MAX_REASON_SHARE * len(chosen))
    ]
    return float(column[index]) >= largest[-1]


def _explain_date(candidates: ListCandidates, index: int, chosen: Sequence[int]) -> Iterator[str]:
    """Whether it is the earliest or the newest paper of the list."""
    years = [candidates.papers[other].year or 0 for other in chosen]
    year = candidates.papers[index].year or 0
    if year and len(chosen) > 1 and years.count(year) == 1 and year in (min(years), max(years)):
        yield f"the {'earliest' if year == min(years) else 'newest'} of the list"


def _explain_kind(candidates: ListCandidates, index: int) -> list[str]:
    paper = candidates.papers[index]
    if is_tutorial(paper.title) or is_tutorial_abstract(paper):
        return ["tutorial"]
    return ["survey"] if candidates.columns["overview"][index] else []


def _explain_citations(
    candidates: ListCandidates, index: int, links: Collection[tuple[PaperId, PaperId]], size: int
) -> Iterator[str]:
    paper, columns = candidates.papers[index], candidates.columns
    citing, cited = (
        len({citing_id for citing_id, cited_id in links if cited_id == paper.id}),
        int(columns[CITED][index]),
    )
    # Citations from within the list matter more to its reader; those of the library are given only where there are few.
    if citing > 1:
        yield f"cited by {citing} of these {size}"
    if (named := int(columns[ORIGIN][index])) >= _MIN_ORIGIN_CITATIONS:
        yield f"first named for this by {named} papers"
    if cited and citing < 2:
        yield f"cited by {count_phrase(cited, 'paper')} of the library"


def _explain_keywords(candidates: ListCandidates, index: int, stage: ListStage, chosen: Sequence[int]) -> Iterator[str]:
    paper, keywords = candidates.papers[index], candidates.topic.keywords
    if len(keywords) < 2:
        # Every paper covers a single keyword.
        return
    # A keyword that most papers of the list cover is no reason.
    distinguishing = [keyword for keyword in keywords if not _is_common_keyword(candidates, keyword, chosen)]
    covered = find_covered_keywords(paper, distinguishing)
    named = [keyword for keyword in distinguishing if keyword in covered and is_in_title(paper, keyword)]
    named = named or [keyword for keyword in distinguishing if keyword in covered]
    if named and stage == "recent" and _is_newest_on(candidates, index, named[0], chosen):
        yield f"newest on {named[0]}"
    elif named:
        yield f"covers {' and '.join(named[:2])}"


def _is_common_keyword(candidates: ListCandidates, keyword: str, chosen: Sequence[int]) -> bool:
    """Whether most titles of the list hold `keyword`."""
    return sum(is_in_title(candidates.papers[other], keyword) for other in chosen) > _COMMON_KEYWORD_SHARE * len(chosen)


def _is_newest_on(candidates: ListCandidates, index: int, keyword: str, chosen: Sequence[int]) -> bool:
    paper = candidates.papers[index]
    other_papers = [candidates.papers[other] for other in chosen if other != index]
    dates = [
        other.date or str(other.year or "")
        for other in other_papers
        if keyword in find_covered_keywords(other, [keyword])
    ]
    return (paper.date or str(paper.year or "")) > max(dates, default="")
