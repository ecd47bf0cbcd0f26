"""Finds the papers that introduced the coined names which papers on a topic use, such as "GloVe" for word embeddings.

A paper that uses a coined name builds on the paper that introduced it, even if the title of the latter shares no word
with the topic. This needs no citation data.
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

_COINED_NAME = re.compile(r"(?<![\w-])[A-Za-z](?:[a-z]*[A-Z\d]\w*|[a-z]+(?=-[A-Z\d]))(?:-[A-Z\d]\w*)*", re.ASCII)
"""A word with a capital or a digit inside: `GloVe`, `word2vec`, `GPT-2`; of "BERT-based" the first part."""
_MIN_NAME_LETTERS = 3
_NAME_BEFORE_COLON = re.compile(r"^(?P<name>[^\s:]{3,20})\s?:\s")
_NAME_IN_BRACKETS = re.compile(r"\((?P<name>(?![A-Z]+s\))[A-Z][\w-]{2,15})\)")
"""Not a plural such as "(LVLMs)": it abbreviates a kind of thing and names no single work."""
_MIN_USERS = 3
"""A name is followed up if this many papers on the topic use it, and as many in all within `_ADOPTION_YEARS`."""
_MAX_NAMES = 40
"""Number of names followed up, the most used first."""
_MAX_TITLES = 12
"""Number of titles read that begin with a name, the earliest first."""
_NAME_REUSE_YEARS = 3
"""Later uses count for a second paper that introduces the same name more than this many years after the first."""
_MIN_EARLIER_USERS = 2
"""A title does not introduce a name that this many earlier papers on the topic use."""
_NOVELTY_YEARS = 3
_MIN_EARLIER_LIBRARY_USES = 4
"""A name that the library uses so often in the `_NOVELTY_YEARS` before a paper was introduced by another one: "RAG" has
11 such uses before the first title that begins with it in the ACL Anthology; BLEU, GloVe, SQuAD and BERT have none."""
_PLURAL_SHARE = 0.25
"""A name whose plural is used by this share of as many papers names a kind of thing: "VLM" beside "VLMs"."""
_ADOPTION_YEARS = 5
"""A name that the library does not use within this time after a paper was introduced by another one."""
_MAX_YEARS_BEFORE_USE = 40
"""How long before its first use on the topic a name may have been introduced."""
_MIN_TOPIC_SHARE = 0.02
"""Share of the later uses of a name that must be on the topic: "BERT" belongs to no topic."""


def find_introduced_names(title: str) -> frozenset[str]:
    """The names that `title` introduces, folded: `glove` in `GloVe: Global Vectors`, none in `Probing BERT`."""
    if title.isupper():
        return frozenset()
    names = {match["name"] for match in _NAME_IN_BRACKETS.finditer(title)}
    if lead := _NAME_BEFORE_COLON.match(title):
        names.add(lead["name"])
    return frozenset(map(fold, names))


@dataclass(frozen=True, slots=True)
class TopicNames:
    """The coined names that papers on a topic use, with the years of use."""

    live: LiveRows
    library_uses: NameUses
    topic_users: Mapping[str, Mapping[PaperId, int]]
    """For each folded name the papers on the topic that use it, with their years."""

    def score_adoption(self, papers: Sequence[Paper], *, until: int) -> Column:
        """For each paper, the logarithm of later over earlier uses on the topic of the name that it introduced.

        0 for a paper that introduced no name, or whose name the library does not begin to use soon after it. If papers
        introduced the same name years apart, later uses count for the later one. `until` is the last year counted.
        """
        introduced = [self._find_new_names(paper) if paper.year else frozenset[str]() for paper in papers]
        years: dict[str, list[int]] = {}
        for paper, names in zip(papers, introduced, strict=True):
            for name in names:
                years.setdefault(name, []).append(paper.year or 0)
        column = np.zeros(len(papers))
        for index, (paper, names) in enumerate(zip(papers, introduced, strict=True)):
            year = paper.year or 0
            for name in names:
                next_origin = min(
                    (other for other in years[name] if other > year + _NAME_REUSE_YEARS), default=until + 1
                )
                user_years = [used for user, used in self.topic_users[name].items() if user != paper.id]
                earlier = sum(used < year for used in user_years)
                later = sum(year <= used < next_origin for used in user_years)
                if earlier < _MIN_EARLIER_USERS and later > earlier and self._was_adopted_soon(name, year, until):
                    library_rise = self.library_uses.growth(name, year, until=min(until, next_origin - 1))
                    column[index] = max(column[index], min(math.log((1 + later) / (1 + earlier)), library_rise))
        return column

    def count_users(self, paper: Paper) -> int:
        """How many other papers on the topic, not older than `paper`, use a name that it introduced."""
        counts = [
            sum(year >= (paper.year or 0) and user != paper.id for user, year in self.topic_users.get(name, {}).items())
            for name in self._find_new_names(paper)
        ]
        return max(counts, default=0)

    def find_origin_rows(self, library: Library, *, until: int | None) -> list[int]:
        """The rows of papers, none newer than `until`, whose titles introduced names used on the topic."""
        last = until or max((year for users in self.topic_users.values() for year in users.values()), default=0)
        rows_of = {name: self._find_titles_starting_with(name, last) for name in self._frequent_names()}
        rows = sorted({row for name_rows in rows_of.values() for row in name_rows})
        titles = dict(zip(rows, library.texts(self.live.snapshot, self.live.refs(rows)), strict=True))
        return sorted(
            {
                row
                for name, name_rows in rows_of.items()
                for row in name_rows
                if name in find_introduced_names(titles[row][0])
            }
        )

    def _frequent_names(self) -> list[str]:
        used = sorted((-len(users), name) for name, users in self.topic_users.items() if len(users) >= _MIN_USERS)
        return [name for _, name in used[:_MAX_NAMES]]

    def _find_titles_starting_with(self, name: str, last: int) -> list[int]:
        """The rows of titles that begin with `name`, from years in which its use may have begun."""
        first_word, years = words(name)[0], self._possible_first_years(name, last)
        dated_rows: list[tuple[int, int]] = []
        for part, span in self.live.slices() if years else ():
            rows = part.titles_starting_with(first_word)
            if not len(rows):
                continue
            rows = rows[np.isin(part.columns.year[rows], years)]
            if self.live.alive is not None:
                rows = rows[self.live.alive[span][rows]]
            dated_rows += zip(part.columns.year[rows].tolist(), (span.start + rows).tolist(), strict=True)
        return [row for _, row in sorted(dated_rows)[:_MAX_TITLES]]

    def _possible_first_years(self, name: str, last: int) -> list[int]:
        """The years soon after which the library uses `name`, with enough of the later uses on the topic."""
        users = sorted(self.topic_users[name].values())
        # After the last of these years too few papers on the topic use the name.
        years = range(max(1, users[0] - _MAX_YEARS_BEFORE_USE), min(users[-_MIN_USERS], last) + 1)
        in_library, soon = self.library_uses.count_after_each(name, years, within_years=_ADOPTION_YEARS, until=last)
        on_topic = len(users) - np.searchsorted(users, np.arange(years.start, years.stop))
        firsts = (on_topic >= _MIN_TOPIC_SHARE * in_library) & (soon >= _MIN_USERS)
        return [year for year, first in zip(years, firsts.tolist(), strict=True) if first]

    def _find_new_names(self, paper: Paper) -> frozenset[str]:
        """The names of single works that the title of `paper` introduces and the library hardly used before."""
        first_year = (paper.year or 0) - _NOVELTY_YEARS
        return frozenset(
            name
            for name in find_introduced_names(paper.title) & self.topic_users.keys()
            if self.library_uses.count_between(name, first_year - 1, (paper.year or 0) - 1) < _MIN_EARLIER_LIBRARY_USES
            and not self._has_common_plural(name)
        )

    def _has_common_plural(self, name: str) -> bool:
        """Whether papers on the topic also use `name` in the plural, as no name of a single work is."""
        return len(self.topic_users.get(f"{name}s", ())) >= _PLURAL_SHARE * len(self.topic_users[name])

    def _was_adopted_soon(self, name: str, year: int, until: int) -> bool:
        """Whether the library uses `name` within `_ADOPTION_YEARS` after `year`."""
        return self.library_uses.count_between(name, year, min(year + _ADOPTION_YEARS, until)) >= _MIN_USERS


def find_names_used(paper: Paper) -> frozenset[str]:
    """The coined names in the title and abstract of `paper`, folded."""
    names = map(fold, _COINED_NAME.findall(f"{paper.title} {paper.abstract}"))
    return frozenset(name for name in names if len(name) >= _MIN_NAME_LETTERS)


def collect_topic_names(live: LiveRows, papers: Iterable[Paper]) -> TopicNames:
    """Collects the coined names in the titles and abstracts of `papers`."""
    on_topic: dict[str, dict[PaperId, int]] = {}
    for paper in papers:
        for name in find_names_used(paper) if paper.year else ():
            on_topic.setdefault(name, {})[paper.id] = paper.year or 0
    return TopicNames(live, NameUses(live), on_topic)
