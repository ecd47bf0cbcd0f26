"""The citation graph: resolved lists joined into one, in memory here, on disk in `storage/stored_graph.py`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from litterm.model.annotations import RecordVisibility
from litterm.model.citations.graph import Citance, CitedCount, Edge, ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

Sentences = Callable[[ResolvedList], tuple[Citance, ...]]


class GraphQueries(ABC):
    """The queries of a citation graph, built on a few look-ups; immutable.

    What is known from a text counts before what a service said of the same two papers.
    """

    def __init__(self, sentences: Sentences) -> None:
        """`sentences` reads the citing sentences of a list."""
        self._sentences = sentences

    @abstractmethod
    def _cites(self, citing: PaperId) -> Iterable[Edge]:
        """One edge a paper that `citing` cites, in the order of its list."""

    @abstractmethod
    def _cited_by(self, cited: PaperId) -> Iterable[Edge]:
        """One edge a paper that cites `cited`."""

    @abstractmethod
    def _lists(self, citing: PaperId) -> Iterable[ResolvedList]:
        """The lists in which `citing` cites, the one that counts most first; perhaps without edges."""

    @abstractmethod
    def citing_paper_counts(self) -> Mapping[PaperId, int]:
        """Every paper that is cited within the library, with how many papers cite it."""

    @abstractmethod
    def has_references(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether its own references are known."""

    def references(self, ids: Sequence[PaperId]) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what it cites within the library, in the order of its list."""
        return tuple(tuple(self._cites(paper_id)) for paper_id in ids)

    def citations(self, ids: Sequence[PaperId], *, until: int | None = None) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what cites it within the library, the newest first, ties by id."""
        return tuple(tuple(self._citing(paper_id, until, ())) for paper_id in ids)

    def contexts(self, citing: PaperId, cited: PaperId) -> tuple[Citance, ...]:
        """The sentences of `citing` that cite `cited`, in the order of the text; of the first source that has any."""
        for resolved in self._lists(citing):
            citances = tuple(
                citance for citance in self._sentences(resolved) if (citance.citing, citance.cited) == (citing, cited)
            )
            if citances:
                return citances
        return ()

    def citances(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[tuple[Citance, ...], ...]:
        """Per paper, every sentence that cites it, the newest citing paper first."""
        edges = [list(self._citing(paper_id, until, exclude)) for paper_id in ids]
        pairs = {(edge.citing, edge.cited) for edges_of_paper in edges for edge in edges_of_paper}
        citances_of: dict[tuple[PaperId, PaperId], tuple[Citance, ...]] = {}
        for citing in sorted({citing for citing, _ in pairs}):
            for resolved in self._lists(citing):
                for pair, sentences in _by_pair(self._sentences(resolved)).items():
                    if pair in pairs:
                        citances_of.setdefault(pair, sentences)
        return tuple(
            tuple(citance for edge in edges_of_paper for citance in citances_of.get((edge.citing, edge.cited), ()))
            for edges_of_paper in edges
        )

    def counts(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[CitedCount, ...]:
        """Per paper, how often it is cited."""
        edges = (list(self._citing(paper_id, until, exclude)) for paper_id in ids)
        return tuple(
            CitedCount(len(edges_of_paper), sum(max(1, edge.count) for edge in edges_of_paper))
            for edges_of_paper in edges
        )

    def _citing(self, cited: PaperId, until: int | None, exclude: Collection[PaperId]) -> Iterator[Edge]:
        for edge in sorted(self._cited_by(cited), key=lambda edge: (-(edge.year or 0), edge.citing)):
            if edge.citing not in exclude and (until is None or (edge.year is not None and edge.year <= until)):
                yield edge


class Graph(GraphQueries):
    """A graph in memory."""

    def __init__(self, lists: Iterable[ResolvedList], sentences: Sentences = lambda _resolved: ()) -> None:
        """`sentences` reads the citing sentences of a list."""
        super().__init__(sentences)
        self._citing_lists: dict[PaperId, list[ResolvedList]] = defaultdict(list)
        self._edges_from: dict[PaperId, list[Edge]] = defaultdict(list)
        self._edges_to: dict[PaperId, list[Edge]] = defaultdict(list)
        self._known: set[PaperId] = set()
        for resolved in order_lists(lists):
            self._take(resolved)

    def citing_paper_counts(self) -> Mapping[PaperId, int]:
        """Every paper that is cited within the library, with how many papers cite it."""
        return {cited: len({edge.citing for edge in edges}) for cited, edges in self._edges_to.items()}

    def has_references(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether its own references are known."""
        return tuple(paper_id in self._known for paper_id in ids)

    def _cites(self, citing: PaperId) -> Iterable[Edge]:
        return join_edges(self._edges_from.get(citing, ()))

    def _cited_by(self, cited: PaperId) -> Iterable[Edge]:
        return join_edges(self._edges_to.get(cited, ()))

    def _lists(self, citing: PaperId) -> Iterable[ResolvedList]:
        return self._citing_lists.get(citing, ())

    def _take(self, resolved: ResolvedList) -> None:
        head = resolved.head
        if resolved.known and head.direction == "references":
            self._known.add(head.paper)
        for edge in resolved.edges:
            # Records that are shown as one may cite each other, and a list may name its own paper.
            if edge.citing != edge.cited:
                self._edges_from[edge.citing].append(edge)
                self._edges_to[edge.cited].append(edge)
        for citing in dict.fromkeys(citing_papers(resolved)):
            self._citing_lists[citing].append(resolved)


def join_edges(edges: Iterable[Edge]) -> Iterable[Edge]:
    """The first edge between each two papers; later edges may only add the year."""
    edge_by_pair: dict[tuple[PaperId, PaperId], Edge] = {}
    for edge in edges:
        first = edge_by_pair.setdefault((edge.citing, edge.cited), edge)
        if first.year is None and edge.year is not None:
            edge_by_pair[edge.citing, edge.cited] = replace(first, year=edge.year)
    return edge_by_pair.values()


def order_lists(lists: Iterable[ResolvedList]) -> list[ResolvedList]:
    """The lists by priority."""
    return sorted(lists, key=lambda resolved: list_rank(resolved.head))


def list_rank(head: ReferenceListHead) -> tuple[bool, PaperId, str, str]:
    """The sort key of lists by priority: lists from a text before those of a service."""
    return head.source not in ("text", "starter"), head.paper, head.source, head.direction


def citing_papers(resolved: ResolvedList) -> Sequence[PaperId]:
    """The papers that cite in a list."""
    return [resolved.head.paper] if resolved.head.direction == "references" else [e.citing for e in resolved.edges]


def apply_decisions(
    lists: Iterable[ResolvedList], sentences: Sentences, decided: RecordVisibility
) -> tuple[tuple[ResolvedList, ...], Sentences]:
    """Replaces ids by those under which papers are shown, and leaves out removed papers."""
    stored: dict[int, ResolvedList] = {}

    def rename_list(resolved: ResolvedList) -> ResolvedList:
        edges = (
            replace(edge, citing=decided.shown_id(edge.citing), cited=decided.shown_id(edge.cited))
            for edge in resolved.edges
        )
        edges_left = tuple(edge for edge in edges if decided.removed.isdisjoint((edge.citing, edge.cited)))
        head = replace(resolved.head, paper=decided.shown_id(resolved.head.paper))
        shown = replace(resolved, head=head, edges=edges_left)
        # By identity: two lists may be equal as shown, but come from lists with different sentences.
        stored[id(shown)] = resolved
        return shown

    def sentences_as_shown(resolved: ResolvedList) -> tuple[Citance, ...]:
        stored_list = stored.get(id(resolved))
        if stored_list is None:
            # None of its papers was decided about.
            return sentences(resolved)
        return tuple(
            replace(citance, citing=decided.shown_id(citance.citing), cited=decided.shown_id(citance.cited))
            for citance in sentences(stored_list)
        )

    return tuple(rename_list(resolved_list) for resolved_list in lists), sentences_as_shown


def _by_pair(sentences: Iterable[Citance]) -> dict[tuple[PaperId, PaperId], tuple[Citance, ...]]:
    by_pair: dict[tuple[PaperId, PaperId], list[Citance]] = {}
    for citance in sentences:
        by_pair.setdefault((citance.citing, citance.cited), []).append(citance)
    return {pair: tuple(citances) for pair, citances in by_pair.items()}
