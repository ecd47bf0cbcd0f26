"""Why a paper is in a list, in a line, from data alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from litterm.reading_lists.candidates import CITED, ORIGIN, USERS, ListCandidates, is_tutorial_abstract
from litterm.reading_lists.selection import covered, in_title
from litterm.text.genres import is_tutorial
from litterm.text.plural import counted

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import PaperId
    from litterm.model.reading_list import ListStage

_MOST = 3
_TAKEN_UP = 2.5
"""Later uses of a name or a phrase over earlier ones, as a logarithm, from which on it is worth telling."""
_USERS = 3
"""Papers on the topic that use its name from which on it is worth telling."""
_NAMING = 2
"""Papers that say the topic began with this one from which on it is told: a single one may be wrong."""
_PROLIFIC = 2.2
_MOST_OF_A_LIST = 0.5
_LARGEST_SHARE = 0.34
"""A reason is given for at most this share of a list."""


def reasons(
    candidates: ListCandidates,
    place: int,
    stage: ListStage,
    links: Collection[tuple[PaperId, PaperId]],
    chosen: Sequence[int],
) -> tuple[str, ...]:
    """Why the candidate at `place` is in the list: at most three phrases, the most telling first."""
    columns = candidates.columns
    parts = [*_kind(candidates, place), *_cited(candidates, place, links, len(chosen))]
    users = int(columns[USERS][place])
    if users >= _USERS:
        parts.append(f"its name stands in {users} papers on this")
    parts += _covers(candidates, place, stage, chosen)
    # Users of its name are followers, and are told already.
    if users < _USERS and columns["followers"][place] >= _TAKEN_UP and _stands_out(columns["followers"], place, chosen):
        parts.append("later papers take up its words")
    if columns["topic author"][place] >= _PROLIFIC and _stands_out(columns["topic author"], place, chosen):
        parts.append("by authors who wrote much on this")
    parts += _by_date(candidates, place, chosen)
    return tuple(parts[:_MOST]) or ("near the topic in words and meaning",)


def _stands_out(column: Column, place: int, chosen: Sequence[int]) -> bool:
    """Whether a paper is among those of the list with the largest values; one that most share gives no reason."""
    most = sorted((float(column[index]) for index in chosen), reverse=True)[: math.ceil(_LARGEST_SHARE * len(chosen))]
    return float(column[place]) >= most[-1]


def _by_date(candidates: ListCandidates, place: int, chosen: Sequence[int]) -> Iterator[str]:
    """Whether it is the first or the last of the list to appear."""
    years = [candidates.papers[index].year or 0 for index in chosen]
    year = candidates.papers[place].year or 0
    if year and len(chosen) > 1 and years.count(year) == 1 and year in (min(years), max(years)):
        yield f"the {'earliest' if year == min(years) else 'newest'} of the list"


def _kind(candidates: ListCandidates, place: int) -> list[str]:
    paper = candidates.papers[place]
    if is_tutorial(paper.title) or is_tutorial_abstract(paper):
        return ["tutorial"]
    return ["survey"] if candidates.columns["overview"][place] else []


def _cited(
    candidates: ListCandidates, place: int, links: Collection[tuple[PaperId, PaperId]], size: int
) -> Iterator[str]:
    paper, columns = candidates.papers[place], candidates.columns
    citing, cited = (
        len({citing_id for citing_id, cited_id in links if cited_id == paper.id}),
        int(columns[CITED][place]),
    )
    # Citations from within the list say more to its reader; those of the library are named only where they are few.
    if citing > 1:
        yield f"cited by {citing} of these {size}"
    if (named := int(columns[ORIGIN][place])) >= _NAMING:
        yield f"first named for this by {named} papers"
    if cited and citing < 2:
        yield f"cited by {counted(cited, 'paper')} of the library"


def _covers(candidates: ListCandidates, place: int, stage: ListStage, chosen: Sequence[int]) -> Iterator[str]:
    paper, keywords = candidates.papers[place], candidates.topic.keywords
    if len(keywords) < 2:
        # Every paper covers the only one.
        return
    # "Covers named entity recognition" says nothing in a list of which most do.
    telling = [keyword for keyword in keywords if not _most_named(candidates, keyword, chosen)]
    about = covered(paper, telling)
    named = [keyword for keyword in telling if keyword in about and in_title(paper, keyword)]
    named = named or [keyword for keyword in telling if keyword in about]
    if named and stage == "recent" and _newest_on(candidates, place, named[0], chosen):
        yield f"newest on {named[0]}"
    elif named:
        yield f"covers {' and '.join(named[:2])}"


def _most_named(candidates: ListCandidates, keyword: str, chosen: Sequence[int]) -> bool:
    """Whether `keyword` stands in most titles of the list."""
    return sum(in_title(candidates.papers[index], keyword) for index in chosen) > _MOST_OF_A_LIST * len(chosen)


def _newest_on(candidates: ListCandidates, place: int, keyword: str, chosen: Sequence[int]) -> bool:
    paper = candidates.papers[place]
    others = [candidates.papers[index] for index in chosen if index != place]
    dates = [other.date or str(other.year or "") for other in others if keyword in covered(other, [keyword])]
    return (paper.date or str(paper.year or "")) > max(dates, default="")
