"""Papers that a name in the query stands for, as citation facts tell: `SNLI` asks for the paper that introduced it.

Such a paper need not hold the name: neither title nor abstract of the one on SNLI does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import MAXYEAR
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from litterm.library.citation_facts.names import papers_of, reason_of
from litterm.library.citation_facts.shipped import name_key
from litterm.model.search import NamedPaper
from litterm.search.signals.named_papers import (
    ALONE_POINTS,
    MAX_EARLIER_TITLES,
    MAX_NAME_WORDS,
    NamedWorks,
    count_titles_by_year,
    title_stem_bits,
)
from litterm.text.tokens import STOP_WORDS, stem

if TYPE_CHECKING:
    from litterm.interfaces import Library
    from litterm.library.citation_facts.names import NameInText, NameTable
    from litterm.model.citations.facts import NameFact
    from litterm.model.library import Snapshot
    from litterm.model.paper import PaperId
    from litterm.search.open_index import LiveRows, Rows

WHOLE_POINTS = 60.0
"""Points of a paper whose name is the whole query: more than what a paper gets whose full text alone holds the word.
Where the user's own texts mean another paper, it has `ALONE_POINTS`."""
WITHIN_POINTS = 4.0
"""Points of a paper whose name is a part of the query, by the share of its idf: half of what a title gets that begins
with the name, for those who use the name are as likely meant."""
_MAX_REMEMBERED = 500
"""Facts whose paper is remembered for a snapshot."""


class PaperNames:
    """Names in queries, and the papers of one library that they stand for; safe from any thread."""

    def __init__(
        self,
        table: NameTable,
        library: Library,
        titled: Callable[[str], Sequence[PaperId]] = lambda title: (),
        hidden: Callable[[], Collection[tuple[PaperId, str]]] = frozenset,
    ) -> None:
        """`titled` gives the papers of the library with a title, `hidden` those that the user says a name is not of."""
        self._table = table
        self._library = library
        self._titled = titled
        self._hidden = hidden
        self._known: tuple[Snapshot | None, dict[NameFact, tuple[PaperId, ...]]] = (None, {})

    def find(
        self, live: LiveRows, text: str, idfs: Mapping[str, float]
    ) -> tuple[NamedWorks | None, tuple[NamedPaper, ...]]:
        """The papers that names in `text` stand for: those of the library with their points, and all of them.

        `idfs` are the idf of each stem of the query; of one that no paper holds, 0.
        """
        points: dict[int, tuple[float, str]] = {}
        named = []
        for name in self._table.find(text):
            share = 1.0 if name.is_whole else _share_of(name, idfs, live.count)
            has_own = False
            for fact, paper, rows in self._papers_of(live, name):
                named.append(NamedPaper(name.text, fact, paper, name.is_whole))
                whole_points = ALONE_POINTS if has_own and not fact.texts else WHOLE_POINTS
                has_own |= fact.texts > 0
                for row in rows.tolist():
                    value = (whole_points if name.is_whole else WITHIN_POINTS) * share
                    entry = value, reason_of(name.text, fact)
                    points[row] = max(points.get(row, entry), entry, key=itemgetter(0))
        if not points:
            return None, tuple(named)
        rows = np.array(sorted(points), np.int64)
        values = tuple(points[row][0] for row in rows.tolist())
        return NamedWorks(rows, values, tuple(points[row][1] for row in rows.tolist())), tuple(named)

    def _papers_of(self, live: LiveRows, name: NameInText) -> Iterator[tuple[NameFact, PaperId | None, Rows]]:
        """What `name` stands for, the paper here, and its rows; what the user's own texts say comes first."""
        passed: set[PaperId | None] = set()
        for fact in name.facts:
            rows = self._rows_of(live, fact)
            if fact.texts and not fact.sources and (not len(rows) or was_in_use(live, name, rows)):
                # Cited by the user's texts for what many write about, or removed, or in the other library.
                continue
            paper = live.ids(rows[-1:].tolist())[0] if len(rows) else None
            # Others may say the same of the paper, under other ids.
            if (paper is None or paper not in passed) and (paper, name_key(fact.name)) not in self._hidden():
                passed.add(paper)
                yield fact, paper, rows

    def _rows_of(self, live: LiveRows, fact: NameFact) -> Rows:
        """The living rows of the paper of `fact`, ascending."""
        rows = live.rows_of(fact.ids)
        if not len(rows):
            # Looked up in the records only where the index does not know the ids: it knows no aliases.
            rows = live.rows_of(self._known_ids(live, fact))
        return rows if live.alive is None else rows[live.alive[rows]]

    def _known_ids(self, live: LiveRows, fact: NameFact) -> tuple[PaperId, ...]:
        snapshot, known = self._known
        if snapshot is not live.snapshot:
            self._known = live.snapshot, (known := {})
        if fact not in known:
            if len(known) >= _MAX_REMEMBERED:
                known.clear()
            known[fact] = papers_of(fact, self._library, self._titled)
        return known[fact]


def was_in_use(live: LiveRows, name: NameInText, rows: Rows) -> bool:
    """Whether more titles than chance explains held the words of `name` before the first of the papers at `rows`."""
    stems = [stem(word) for word in name.words if word not in STOP_WORDS][:MAX_NAME_WORDS]
    if not stems or not len(rows):
        return False
    year = int(live.column("year", rows).min()) or MAXYEAR
    bits = title_stem_bits(live, stems)
    counts = count_titles_by_year(live, bits, (1 << len(stems)) - 1, first_year=year)
    return int(counts[:year].sum()) > MAX_EARLIER_TITLES


def _share_of(name: NameInText, idfs: Mapping[str, float], papers: int) -> float:
    """The share of the idf of the query that belongs to the words of `name`."""
    unseen = math.log1p(papers)
    stems = {stem(word) for word in name.words if word not in STOP_WORDS}
    own = sum(idfs.get(name_stem) or unseen for name_stem in stems)
    others = sum(idf or unseen for query_stem, idf in idfs.items() if query_stem not in stems)
    return own / (own + others) if own else 0.0


def whole_names(named: Sequence[NamedPaper]) -> Mapping[PaperId, str]:
    """Why papers are found whose name is all that was typed, by id."""
    return {item.paper: reason_of(item.name, item.fact) for item in named if item.is_whole and item.paper is not None}


def join_named_works(one: NamedWorks | None, other: NamedWorks | None) -> NamedWorks | None:
    """The papers of both; one that is in both has the larger points."""
    if one is None or other is None:
        return one or other
    points = dict(zip(one.rows.tolist(), zip(one.points, one.reasons, strict=True), strict=True))
    for row, entry in zip(other.rows.tolist(), zip(other.points, other.reasons, strict=True), strict=True):
        points[row] = max(points.get(row, entry), entry)
    rows = np.array(sorted(points), np.int64)
    return NamedWorks(
        rows,
        tuple(points[row][0] for row in rows.tolist()),
        tuple(points[row][1] for row in rows.tolist()),
    )
