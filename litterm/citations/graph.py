"""The citation graph: lists in the database joined with lists in memory, and the queries over both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from litterm.model.citations.graph import Citance, CitedCount, Edge, ListSlot, ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.citations.store import CitationReader, CitationStore
    from litterm.model.annotations import RecordVisibility

Sentences = Callable[[ResolvedList], tuple[Citance, ...]]
_Rank: TypeAlias = "tuple[bool, PaperId, str, str]"


class Graph:
    """Who cites whom by the lists in a database, except those in `hidden`, and by `lists`; safe from any thread.

    What is known from a text counts before what a service said of the same two papers. Each call answers from one state
    of the database.
    """

    def __init__(
        self,
        lists: Iterable[ResolvedList],
        sentences: Sentences = lambda _resolved: (),
        stored: CitationStore | None = None,
        hidden: Collection[ListSlot] = (),
    ) -> None:
        """`sentences` reads the citing sentences of one of `lists`."""
        self._sentences = sentences
        self._stored = stored
        self._hidden = frozenset(hidden)
        self._edges: dict[tuple[PaperId, bool], list[tuple[_Rank, Edge]]] = defaultdict(list)
        """Edges by paper, and by whether the paper is the cited one."""
        self._citing_lists: dict[PaperId, list[ResolvedList]] = defaultdict(list)
        self._known: set[PaperId] = set()
        """Papers whose references are in one of `lists`."""
        for resolved in order_lists(lists):
            self._take(resolved)

    def references(self, ids: Sequence[PaperId]) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what it cites within the library, in the order of its list."""
        with self._opened() as stored:
            return tuple(tuple(self._joined(stored, paper_id, cited=False)) for paper_id in ids)

    def citations(self, ids: Sequence[PaperId], *, until: int | None = None) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what cites it within the library, the newest first, ties by id."""
        with self._opened() as stored:
            return tuple(tuple(self._citing(stored, paper_id, until, ())) for paper_id in ids)

    def contexts(self, citing: PaperId, cited: PaperId) -> tuple[Citance, ...]:
        """The sentences of `citing` that cite `cited`, in the order of the text; of the first source that has any."""
        with self._opened() as stored:
            for sentences in self._sentences_of(stored, citing, cited):
                citances = tuple(citance for citance in sentences if (citance.citing, citance.cited) == (citing, cited))
                if citances:
                    return citances
        return ()

    def citances(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[tuple[Citance, ...], ...]:
        """Per paper, every sentence that cites it, the newest citing paper first."""
        citances_of: dict[tuple[PaperId, PaperId], tuple[Citance, ...]] = {}
        with self._opened() as stored:
            edges = [list(self._citing(stored, paper_id, until, exclude)) for paper_id in ids]
            pairs = {(edge.citing, edge.cited) for edges_of_paper in edges for edge in edges_of_paper}
            for citing in sorted({citing for citing, _ in pairs}):
                for citances in self._sentences_of(stored, citing):
                    for pair, sentences in _by_pair(citances).items():
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
        with self._opened() as stored:
            edges = [list(self._citing(stored, paper_id, until, exclude)) for paper_id in ids]
        return tuple(
            CitedCount(len(edges_of_paper), sum(max(1, edge.count) for edge in edges_of_paper))
            for edges_of_paper in edges
        )

    def citing_paper_counts(self) -> Mapping[PaperId, int]:
        """Every paper that is cited within the library, with how many papers cite it."""
        with self._opened() as stored:
            counts = {} if stored is None else stored.citing_paper_counts()
            changed = {paper for paper, is_cited in self._edges if is_cited}
            if stored is not None:
                hidden_edges = (edge for resolved in stored.lists(self._hidden) for edge in resolved.edges)
                changed.update(edge.cited for edge in hidden_edges)
            for paper in changed:
                counts[paper] = len(self._joined(stored, paper, cited=True))
        return {paper: count for paper, count in counts.items() if count}

    def has_references(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether its own references are known."""
        with self._opened() as stored:
            return tuple(
                paper_id in self._known or (stored is not None and stored.has_references(paper_id, self._hidden))
                for paper_id in ids
            )

    @contextmanager
    def _opened(self) -> Iterator[CitationReader | None]:
        if self._stored is None:
            yield None
        else:
            with self._stored.read() as stored:
                yield stored

    def _citing(
        self, stored: CitationReader | None, cited: PaperId, until: int | None, exclude: Collection[PaperId]
    ) -> Iterator[Edge]:
        edges = self._joined(stored, cited, cited=True)
        for edge in sorted(edges, key=lambda edge: (-(edge.year or 0), edge.citing)):
            if edge.citing not in exclude and (until is None or (edge.year is not None and edge.year <= until)):
                yield edge

    def _joined(self, stored: CitationReader | None, paper: PaperId, *, cited: bool) -> Collection[Edge]:
        """One edge for each paper that cites `paper` (`cited`), or that it cites, in the order of the lists."""
        ranked = (
            []
            if stored is None
            else [
                (placed.rank, placed.edge)
                for placed in stored.edges_of(paper, cited=cited)
                if placed.slot not in self._hidden
            ]
        )
        edges_in_memory = self._edges.get((paper, cited))
        if edges_in_memory:
            ranked = sorted((*ranked, *edges_in_memory), key=lambda pair: pair[0])
        edge_by_pair: dict[tuple[PaperId, PaperId], Edge] = {}
        for _, edge in ranked:
            first = edge_by_pair.setdefault((edge.citing, edge.cited), edge)
            # Later edges may only add the year.
            if first.year is None and edge.year is not None:
                edge_by_pair[edge.citing, edge.cited] = replace(first, year=edge.year)
        return edge_by_pair.values()

    def _sentences_of(
        self, stored: CitationReader | None, citing: PaperId, cited: PaperId | None = None
    ) -> Iterator[tuple[Citance, ...]]:
        """The sentences of each list in which `citing` cites, the list that counts most first.

        With `cited`, those that do not cite it may be missing.
        """
        in_memory = self._citing_lists.get(citing, ())
        in_database = (
            []
            if stored is None
            else [resolved for resolved in stored.citing_lists(citing) if resolved.head.slot not in self._hidden]
        )
        ranked = [(list_rank(resolved.head), False, resolved) for resolved in in_database]
        ranked += [(list_rank(resolved.head), True, resolved) for resolved in in_memory]
        for _, is_in_memory, resolved in sorted(ranked, key=lambda row: row[0]):
            if is_in_memory:
                yield self._sentences(resolved)
            elif stored is not None:
                yield stored.citances(resolved, cited)

    def _take(self, resolved: ResolvedList) -> None:
        head, rank = resolved.head, list_rank(resolved.head)
        if resolved.known and head.direction == "references":
            self._known.add(head.paper)
        for edge in resolved.edges:
            # Records that are shown as one may cite each other, and a list may name its own paper.
            if edge.citing != edge.cited:
                self._edges[edge.citing, False].append((rank, edge))
                self._edges[edge.cited, True].append((rank, edge))
        for citing in dict.fromkeys(citing_papers(resolved)):
            self._citing_lists[citing].append(resolved)


def order_lists(lists: Iterable[ResolvedList]) -> list[ResolvedList]:
    """The lists by priority."""
    return sorted(lists, key=lambda resolved: list_rank(resolved.head))


def list_rank(head: ReferenceListHead) -> _Rank:
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
