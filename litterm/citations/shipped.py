"""Who cites whom, and how often, by the citation facts that ship with litterm; nothing of them is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from litterm.core.errors import LibraryError, UnknownPaper
from litterm.model.citations.citation_counts import ServiceCount
from litterm.model.citations.facts import NETWORK, NETWORK_YEAR, PUBLIC_LISTS
from litterm.model.citations.graph import Citance, CitedCount, Direction, Edge, EdgeSource
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.interfaces import CitationGraph, Library, Records
    from litterm.library.citation_facts.shipped import ShippedFacts
    from litterm.model.annotations import RecordVisibility

_ANTHOLOGY = "acl:"
_YEAR = re.compile(r"acl:(?:[A-Z](\d\d)|(\d{4})\.)")
"""The year in an id of the Anthology: `acl:P02-1040`, `acl:2003.mtsummit-papers.9`; or in that of a volume."""
_CENTURY_YEAR = 60
"""Two digits from here on are a year of the last century."""


class ShippedEdges:
    """Who cites whom by what ships, with the papers as `records` holds them; safe from any thread."""

    def __init__(self, facts: Callable[[], ShippedFacts], records: Records) -> None:
        """`facts` opens the facts when they are first needed."""
        self._facts = facts
        self._records = records

    def edges(self, ids: Sequence[PaperId], direction: Direction) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what it cites or what cites it, both in the library, ascending by the id in the facts."""
        named_by = [self._named(keys, direction) for keys in self._ids_of(ids)]
        named = list(dict.fromkeys(key for own_id_by_key in named_by for key in own_id_by_key))
        held = dict(zip(named, self._records.find(named), strict=True)) if named else {}
        return tuple(
            tuple(
                _edge(paper_id, other, anthology_year(key), _source(own_id, key), direction)
                for key, own_id in own_id_by_key.items()
                for other in held[key]
                # Records that are shown as one may cite each other.
                if other != paper_id
            )
            for paper_id, own_id_by_key in zip(ids, named_by, strict=True)
        )

    def unheld(self, paper_id: PaperId, direction: Direction) -> tuple[tuple[PaperId, EdgeSource], ...]:
        """What the paper cites, or what cites it, that the library lacks, ascending, and who says so."""
        (keys,) = self._ids_of([paper_id])
        named = self._named(keys, direction)
        matches = self._records.find(list(named)) if named else ()
        return tuple(
            (key, _source(own_id, key))
            for (key, own_id), match in zip(named.items(), matches, strict=True)
            if not match
        )

    def has_references(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether references of it ship."""
        return tuple(bool(self._named(keys, "references")) for keys in self._ids_of(ids))

    def _ids_of(self, ids: Sequence[PaperId]) -> list[tuple[PaperId, ...]]:
        """Per paper, every id of it that the facts may hold."""
        try:
            papers = dict(zip(ids, self._records.by_id(ids), strict=True))
        except UnknownPaper:
            held = [paper_id for paper_id, match in zip(ids, self._records.find(ids), strict=True) if match]
            papers = dict(zip(held, self._records.by_id(held), strict=True))
        return [
            _anthology_ids((paper_id, *(papers[paper_id].aliases if paper_id in papers else ()))) for paper_id in ids
        ]

    def _named(self, keys: Iterable[PaperId], direction: Direction) -> dict[PaperId, PaperId]:
        """What the paper with the ids `keys` cites, or what cites it, ascending; each with its one of `keys`."""
        facts = self._facts()
        look_up = facts.references if direction == "references" else facts.citations
        linked = {other: key for key in keys for other in look_up(key)}
        return {other: linked[other] for other in sorted(linked.keys() - set(keys))}


@dataclass(frozen=True, slots=True)
class GraphWithShipped:
    """A graph and behind it the edges that ship; fits `interfaces.CitationGraph`."""

    graph: CitationGraph
    shipped: ShippedEdges

    def references(self, ids: Sequence[PaperId]) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what it cites: by its own list first."""
        return tuple(
            _joined(own, more)
            for own, more in zip(self.graph.references(ids), self.shipped.edges(ids, "references"), strict=True)
        )

    def citations(self, ids: Sequence[PaperId], *, until: int | None = None) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what cites it, the newest first, ties by id."""
        own_edges = self.graph.citations(ids, until=until)
        joined = (
            _joined(own, [edge for edge in more if until is None or (edge.year is not None and edge.year <= until)])
            for own, more in zip(own_edges, self.shipped.edges(ids, "citations"), strict=True)
        )
        return tuple(tuple(sorted(edges, key=lambda edge: (-(edge.year or 0), edge.citing))) for edges in joined)

    def contexts(self, citing: PaperId, cited: PaperId) -> tuple[Citance, ...]:
        """The sentences of `citing` that cite `cited`; none ships."""
        return self.graph.contexts(citing, cited)

    def citances(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[tuple[Citance, ...], ...]:
        """Per paper, every sentence that cites it; none ships."""
        return self.graph.citances(ids, until=until, exclude=exclude)

    def counts(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[CitedCount, ...]:
        """Per paper, how often it is cited."""
        edges_of = [
            [edge for edge in edges if edge.citing not in exclude] for edges in self.citations(ids, until=until)
        ]
        return tuple(CitedCount(len(edges), sum(max(1, edge.count) for edge in edges)) for edges in edges_of)

    def citing_paper_counts(self) -> Mapping[PaperId, int]:
        """As the graph without what ships: the counts that ship are a source of their own (`NetworkCounts`)."""
        return self.graph.citing_paper_counts()

    def has_references(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether its own references are known."""
        own = self.graph.has_references(ids)
        unknown = [paper_id for paper_id, is_known in zip(ids, own, strict=True) if not is_known]
        shipped = dict(zip(unknown, self.shipped.has_references(unknown), strict=True))
        return tuple(is_known or shipped[paper_id] for paper_id, is_known in zip(ids, own, strict=True))


class NetworkCounts:
    """How often papers are cited by the ACL Anthology Network, for the papers of `library`; safe from any thread."""

    def __init__(
        self, facts: Callable[[], ShippedFacts], library: Library, decided: Callable[[], RecordVisibility]
    ) -> None:
        """`facts` opens the facts when they are first needed."""
        self._facts = facts
        self._library = library
        self._decided = decided
        self._resolved: tuple[object, dict[PaperId, tuple[PaperId, ...]]] = (None, {})
        """By the snapshot of the library, the papers that ids of the Network mean."""

    def of(self, ids: Iterable[PaperId]) -> ServiceCount | None:
        """The count of the paper with `ids`; `None` where the Network does not know it."""
        known = [count.count for key in _anthology_ids(ids) if (count := self._facts().count(key)) is not None]
        return ServiceCount(NETWORK, max(known), str(NETWORK_YEAR)) if known else None

    def of_papers(self, ids: Sequence[PaperId]) -> list[ServiceCount | None]:
        """Per paper, its count; records are read only of papers whose own id is none of the Anthology."""
        unnamed = [paper_id for paper_id in ids if not paper_id.startswith(_ANTHOLOGY)]
        matches = zip(unnamed, self._library.find(unnamed), strict=True) if unnamed else ()
        held = [paper_id for paper_id, match in matches if match]
        aliases = (
            {paper_id: paper.aliases for paper_id, paper in zip(held, self._library.by_id(held), strict=True)}
            if held
            else {}
        )
        return [self.of((paper_id, *aliases.get(paper_id, ()))) for paper_id in ids]

    def sort_numbers(self, ids: Sequence[PaperId]) -> list[int]:
        """Per paper, its count; -1 where the Network does not know it. For the papers of a whole search."""
        counts = self._shown_counts
        if not all(paper_id.startswith(_ANTHOLOGY) for paper_id in ids):
            missing = set(counts).difference(ids)
            counts = {**counts, **self._resolve({key: counts[key] for key in missing})}
        return [counts.get(paper_id, -1) for paper_id in ids]

    def cited_at_least(self, least: int) -> dict[PaperId, int]:
        """The papers with a count of `least` or more, and these counts."""
        return self._resolve({key: count for key, count in self._shown_counts.items() if count >= least})

    @property
    def _shown_counts(self) -> dict[PaperId, int]:
        """The counts by ids of the Network, and by those under which the user has merged papers."""
        shown = self._decided().shown
        if not shown:
            return self._counts
        merged = {target: self._counts[key] for key, target in shown.items() if key in self._counts}
        larger = {key: count for key, count in merged.items() if count > self._counts.get(key, -1)}
        return {**self._counts, **larger}

    @cached_property
    def _counts(self) -> dict[PaperId, int]:
        ids, counts = self._facts().counts()
        numbers: list[int] = counts.tolist()
        return dict(zip(map(PaperId, ids), numbers, strict=True))

    def _resolve(self, counts: Mapping[PaperId, int]) -> dict[PaperId, int]:
        """`counts` by the ids that the papers have in the library; what it lacks is left out."""
        snapshot = self._library.snapshot()
        if self._resolved[0] is not snapshot:
            self._resolved = (snapshot, {})
        papers = self._resolved[1]
        new = [key for key in counts if key not in papers]
        try:
            papers.update(zip(new, self._library.find(new) if new else (), strict=True))
        except LibraryError:
            # Trouble with the records costs the counts of merged papers, not the answer.
            return dict(counts)
        resolved: dict[PaperId, int] = {}
        for key, count in counts.items():
            for paper_id in papers[key]:
                resolved[paper_id] = max(count, resolved.get(paper_id, 0))
        return resolved


def _anthology_ids(ids: Iterable[PaperId]) -> tuple[PaperId, ...]:
    return tuple(paper_id for paper_id in ids if paper_id.startswith(_ANTHOLOGY))


def anthology_year(paper_id: PaperId) -> int | None:
    """The year in an id of the Anthology; `None` where it has none."""
    match = _YEAR.match(paper_id)
    if match is None:
        return None
    if match[2]:
        return int(match[2])
    return int(match[1]) + (1900 if int(match[1]) >= _CENTURY_YEAR else 2000)


def _edge(paper_id: PaperId, other: PaperId, year: int | None, source: EdgeSource, direction: Direction) -> Edge:
    """`year` is that of `other`."""
    if direction == "references":
        return Edge(paper_id, other, source=source)
    return Edge(other, paper_id, year=year, source=source)


def _source(one: PaperId, other: PaperId) -> EdgeSource:
    """Which collection says that one cites the other: the Network, if it could know both."""
    years = (anthology_year(one), anthology_year(other))
    return NETWORK if all(year is not None and year <= NETWORK_YEAR for year in years) else PUBLIC_LISTS


def _joined(own: Sequence[Edge], more: Iterable[Edge]) -> tuple[Edge, ...]:
    """The edges of both, those of `own` before those of the same two papers."""
    edges = {(edge.citing, edge.cited): edge for edge in own}
    for edge in more:
        edges.setdefault((edge.citing, edge.cited), edge)
    return tuple(edges.values())
