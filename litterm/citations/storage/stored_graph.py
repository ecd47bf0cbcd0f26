"""The citation graph over packed lists: opened at once, and only what is asked for is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from litterm.citations.graph import GraphQueries, Sentences, citing_papers, join_edges, list_rank, order_lists
from litterm.model.citations.graph import Edge, ResolvedList
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.citations.storage.packed_lists import PackedLists

_Place = tuple[bool, PaperId, str, str]


class StoredGraph(GraphQueries):
    """Packed lists except those in `hidden`, together with the `unpacked` ones."""

    def __init__(
        self, packed: PackedLists, hidden: Collection[int], unpacked: Iterable[ResolvedList], sentences: Sentences
    ) -> None:
        """`sentences` reads the citing sentences of a list."""
        super().__init__(sentences)
        self._packed = packed
        self._hidden = frozenset(hidden)
        self._unpacked = tuple(order_lists(unpacked))
        self._edges: dict[tuple[PaperId, bool], list[tuple[_Place, Edge]]] = {}
        """Edges by paper, and by whether the paper is the cited one."""
        self._citing_lists: dict[PaperId, list[ResolvedList]] = {}
        for resolved in self._unpacked:
            place = list_rank(resolved.head)
            for edge in resolved.edges:
                if edge.citing != edge.cited:
                    self._edges.setdefault((edge.citing, False), []).append((place, edge))
                    self._edges.setdefault((edge.cited, True), []).append((place, edge))
            for citing in dict.fromkeys(citing_papers(resolved)):
                self._citing_lists.setdefault(citing, []).append(resolved)

    def citing_paper_counts(self) -> Mapping[PaperId, int]:
        """Every paper that is cited within the library, with how many papers cite it."""
        counts = self._packed.counts()
        changed = {paper for index in self._hidden for paper in self._packed.neighbours(index)}
        changed.update(paper for paper, _ in self._edges)
        for paper in changed:
            counts[paper] = sum(1 for _ in self._cited_by(paper))
            if not counts[paper]:
                del counts[paper]
        return counts

    def has_references(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether its own references are known."""
        unpacked_papers = {
            resolved.head.paper
            for resolved in self._unpacked
            if resolved.known and resolved.head.direction == "references"
        }
        return tuple(paper_id in unpacked_papers or self._is_known(paper_id) for paper_id in ids)

    def _is_known(self, paper: PaperId) -> bool:
        return any(index not in self._hidden and self._packed.is_known(index) for index in self._packed.lists_of(paper))

    def _cites(self, citing: PaperId) -> Iterable[Edge]:
        return join_edges(self._edges_of(citing, cited=False))

    def _cited_by(self, cited: PaperId) -> Iterable[Edge]:
        return join_edges(self._edges_of(cited, cited=True))

    def _edges_of(self, paper: PaperId, *, cited: bool) -> Iterable[Edge]:
        stored = [
            (index, edge) for index, edge in self._packed.edges_of(paper, cited=cited) if index not in self._hidden
        ]
        unpacked_edges = self._edges.get((paper, cited), ())
        if not unpacked_edges:
            return [edge for _, edge in stored]
        placed = [(list_rank(self._packed.head(index)), edge) for index, edge in stored]
        return [edge for _, edge in sorted((*placed, *unpacked_edges), key=lambda pair: pair[0])]

    def _lists(self, citing: PaperId) -> Iterable[ResolvedList]:
        stored = (
            self._packed.list_with_sentences(index)
            for index in self._packed.citing_lists(citing)
            if index not in self._hidden
        )
        return order_lists((*stored, *self._citing_lists.get(citing, ())))
