"""Papers that introduced the names which papers on a topic use: "GloVe" stands in many abstracts on word embeddings.

Who uses a name builds on the paper whose title introduced it, even where that title shares no word with the topic. No
citation needs to be known for that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.search.signals.name_uses import NameUses
from litterm.text.tokens import fold, words

if TYPE_CHECKING:
    from litterm.interfaces import Library
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import Paper, PaperId
    from litterm.search.open_index import LiveRows

_NAME = re.compile(r"(?<![\w-])[A-Za-z](?:[a-z]*[A-Z\d]\w*|[a-z]+(?=-[A-Z\d]))(?:-[A-Z\d]\w*)*", re.ASCII)
"""No ordinary word: `GloVe`, `word2vec`, `GPT-2`, `Multi-News`; of "BERT-based" the first part."""
_LETTERS = 3
"""What a name has at least."""
_LEAD = re.compile(r"^(?P<name>[^\s:]{3,20})\s?:\s")
_IN_BRACKETS = re.compile(r"\((?P<name>[A-Z][\w-]{2,15})\)")
_USERS = 3
"""Papers that must use a name: on the topic, before its origin is looked for; in all, within the years of `_SOON`."""
_NAMES = 40
"""Names whose origin is looked for, the most used first."""
_TITLES = 12
"""Titles beginning with a name that are looked at, the earliest first."""
_SAME_NAME = 3
"""Years after which another paper that introduces the same name takes the uses over."""
_USED_BEFORE = 2
"""Papers on the topic of earlier years that use a name, from which on no later title introduces it."""
_SOON = 5
"""Years; a name that is not used soon after a paper is used because of another one."""
_OLDEST = 40
"""Years before its first use on the topic in which the origin of a name is looked for."""
_OF_THE_TOPIC = 0.02
"""Share of a name's later uses that must be on the topic: what all papers name ("BERT") says nothing of one field."""


def introduced_names(title: str) -> frozenset[str]:
    """The names that `title` introduces, folded: `glove` of `GloVe: Global Vectors`; not `bert` of `Probing BERT`."""
    if title.isupper():
        return frozenset()
    names = {match["name"] for match in _IN_BRACKETS.finditer(title)}
    if lead := _LEAD.match(title):
        names.add(lead["name"])
    return frozenset(map(fold, names))


@dataclass(frozen=True, slots=True)
class TopicNames:
    """Which names papers on a topic use, and when."""

    live: LiveRows
    in_library: NameUses
    on_topic: Mapping[str, Mapping[PaperId, int]]
    """By the folded name the papers that use it, each with its year."""

    def rises(self, papers: Sequence[Paper], *, until: int) -> Column:
        """Per paper the logarithm of later uses of its name over earlier ones on the topic, up to the year `until`.

        0 for a paper that introduced no name, and for one to which the uses in the whole library do not lead back.
        Where papers introduced one name years apart, later uses count for the later one.
        """
        introduced = [introduced_names(paper.title) if paper.year else frozenset[str]() for paper in papers]
        years: dict[str, list[int]] = {}
        for paper, names in zip(papers, introduced, strict=True):
            for name in names:
                years.setdefault(name, []).append(paper.year or 0)
        column = np.zeros(len(papers))
        for place, (paper, names) in enumerate(zip(papers, introduced, strict=True)):
            own = paper.year or 0
            for name in names & self.on_topic.keys():
                following = min((year for year in years[name] if year > own + _SAME_NAME), default=until + 1)
                users = [year for user, year in self.on_topic[name].items() if user != paper.id]
                earlier, later = sum(year < own for year in users), sum(own <= year < following for year in users)
                if earlier < _USED_BEFORE and later > earlier and self._began(name, own, until):
                    in_library = self.in_library.rise(name, own, until=min(until, following - 1))
                    column[place] = max(column[place], min(math.log((1 + later) / (1 + earlier)), in_library))
        return column

    def users(self, paper: Paper) -> int:
        """How many other papers on the topic use, from its year on, a name that `paper` introduced."""
        counts = [
            sum(year >= (paper.year or 0) and user != paper.id for user, year in self.on_topic.get(name, {}).items())
            for name in introduced_names(paper.title)
        ]
        return max(counts, default=0)

    def origins(self, library: Library, *, until: int | None) -> list[int]:
        """The rows of the papers of the year `until` or earlier whose titles introduced names of this topic."""
        last = until or max((year for users in self.on_topic.values() for year in users.values()), default=0)
        rows_of = {name: self._rows_of_titles(name, last) for name in self._frequent()}
        rows = sorted({row for own in rows_of.values() for row in own})
        titles = dict(zip(rows, library.texts(self.live.snapshot, self.live.refs(rows)), strict=True))
        return sorted({row for name, own in rows_of.items() for row in own if name in introduced_names(titles[row][0])})

    def _frequent(self) -> list[str]:
        used = sorted((-len(users), name) for name, users in self.on_topic.items() if len(users) >= _USERS)
        return [name for _, name in used[:_NAMES]]

    def _rows_of_titles(self, name: str, last: int) -> list[int]:
        """The rows of titles that begin with `name`, of the years that may be the first of its use on the topic."""
        first_word, years = words(name)[0], self._first_years(name, last)
        found: list[tuple[int, int]] = []
        for part, span in self.live.slices() if years else ():
            rows = part.titles_starting_with(first_word)
            if not len(rows):
                continue
            rows = rows[np.isin(part.columns.year[rows], years)]
            if self.live.alive is not None:
                rows = rows[self.live.alive[span][rows]]
            found += zip(part.columns.year[rows].tolist(), (span.start + rows).tolist(), strict=True)
        return [row for _, row in sorted(found)[:_TITLES]]

    def _first_years(self, name: str, last: int) -> list[int]:
        """The years from which on the topic has a share in the uses of `name`, and in which these begin."""
        users = sorted(self.on_topic[name].values())
        # Later than that, too few on the topic use it.
        years = range(max(1, users[0] - _OLDEST), min(users[-_USERS], last) + 1)
        in_library, soon = self.in_library.after_each(name, years, soon=_SOON, until=last)
        on_topic = len(users) - np.searchsorted(users, np.arange(years.start, years.stop))
        firsts = (on_topic >= _OF_THE_TOPIC * in_library) & (soon >= _USERS)
        return [year for year, first in zip(years, firsts.tolist(), strict=True) if first]

    def _began(self, name: str, year: int, until: int) -> bool:
        """Whether the library begins to use `name` soon after `year`."""
        return self.in_library.between(name, year, min(year + _SOON, until)) >= _USERS


def names_used(paper: Paper) -> frozenset[str]:
    """The coined names in title and abstract, folded."""
    names = map(fold, _NAME.findall(f"{paper.title} {paper.abstract}"))
    return frozenset(name for name in names if len(name) >= _LETTERS)


def names_in(live: LiveRows, papers: Iterable[Paper]) -> TopicNames:
    """The coined names in titles and abstracts of `papers`."""
    on_topic: dict[str, dict[PaperId, int]] = {}
    for paper in papers:
        for name in names_used(paper) if paper.year else ():
            on_topic.setdefault(name, {})[paper.id] = paper.year or 0
    return TopicNames(live, NameUses(live), on_topic)
