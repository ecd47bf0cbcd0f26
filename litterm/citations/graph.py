"""The citation graph in memory: resolved lists joined into one. Fits `interfaces.CitationGraph`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from litterm.model.annotations import Decided
from litterm.model.graph import Citance, CitedCount, Edge, ResolvedList
from litterm.model.paper import PaperId

Sentences = Callable[[ResolvedList], tuple[Citance, ...]]


class Graph:
    """Never changes; what is known from a text counts before what a service said of the same two papers."""

    def __init__(self, lists: Iterable[ResolvedList], sentences: Sentences = lambda _resolved: ()) -> None:
        """`sentences` reads the citing sentences of a list."""
        self._sentences = sentences
        self._cites: dict[PaperId, dict[PaperId, Edge]] = defaultdict(dict)
        self._cited_by: dict[PaperId, dict[PaperId, Edge]] = defaultdict(dict)
        self._lists: dict[PaperId, list[ResolvedList]] = defaultdict(list)
        """By the papers that cite in them."""
        self._known: set[PaperId] = set()
        for resolved in sorted(lists, key=_texts_first):
            self._take(resolved)

    def references(self, ids: Sequence[PaperId]) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what it cites within the library, in the order of its list."""
        return tuple(tuple(self._cites[each].values()) if each in self._cites else () for each in ids)

    def citations(self, ids: Sequence[PaperId], *, until: int | None = None) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what cites it within the library, the newest first, ties by id."""
        return tuple(tuple(self._citing(each, until, ())) for each in ids)

    def contexts(self, citing: PaperId, cited: PaperId) -> tuple[Citance, ...]:
        """The sentences of `citing` that cite `cited`, in the order of the text; of the first source that has any."""
        for resolved in self._lists.get(citing, ()):
            found = tuple(one for one in self._sentences(resolved) if (one.citing, one.cited) == (citing, cited))
            if found:
                return found
        return ()

    def citances(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[tuple[Citance, ...], ...]:
        """Per paper, every sentence that cites it, the newest citing paper first."""
        edges = [list(self._citing(each, until, exclude)) for each in ids]
        wanted = {(edge.citing, edge.cited) for each in edges for edge in each}
        found: dict[tuple[PaperId, PaperId], tuple[Citance, ...]] = {}
        for citing in sorted({citing for citing, _ in wanted}):
            for resolved in self._lists.get(citing, ()):
                for pair, sentences in _by_pair(self._sentences(resolved)).items():
                    if pair in wanted:
                        found.setdefault(pair, sentences)
        return tuple(tuple(one for edge in each for one in found.get((edge.citing, edge.cited), ())) for each in edges)

    def counts(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[CitedCount, ...]:
        """Per paper, how often it is cited."""
        edges = (list(self._citing(each, until, exclude)) for each in ids)
        return tuple(CitedCount(len(each), sum(max(1, edge.count) for edge in each)) for each in edges)

    def cited(self) -> Mapping[PaperId, int]:
        """Every paper that is cited within the library, with how many papers cite it."""
        return {cited: len(citing) for cited, citing in self._cited_by.items()}

    def known(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether its own references are known."""
        return tuple(each in self._known for each in ids)

    def _take(self, resolved: ResolvedList) -> None:
        head = resolved.head
        if resolved.known and head.direction == "references":
            self._known.add(head.paper)
        for edge in resolved.edges:
            if edge.citing == edge.cited:
                continue
            kept = self._cites[edge.citing].setdefault(edge.cited, edge)
            if kept.year is None and edge.year is not None:
                self._cites[edge.citing][edge.cited] = kept = replace(kept, year=edge.year)
            self._cited_by[edge.cited][edge.citing] = kept
        for citing in dict.fromkeys([head.paper] if head.direction == "references" else _citing(resolved)):
            self._lists[citing].append(resolved)

    def _citing(self, cited: PaperId, until: int | None, exclude: Collection[PaperId]) -> Iterator[Edge]:
        found = self._cited_by[cited].values() if cited in self._cited_by else ()
        for edge in sorted(found, key=lambda edge: (-(edge.year or 0), edge.citing)):
            if edge.citing not in exclude and (until is None or (edge.year is not None and edge.year <= until)):
                yield edge


def as_shown(
    lists: Iterable[ResolvedList], sentences: Sentences, decided: Decided
) -> tuple[tuple[ResolvedList, ...], Sentences]:
    """Lists and sentences by the ids under which papers are shown; what is about removed papers is left out."""
    stored: dict[int, ResolvedList] = {}

    def named(resolved: ResolvedList) -> ResolvedList:
        edges = (
            replace(edge, citing=decided.name(edge.citing), cited=decided.name(edge.cited)) for edge in resolved.edges
        )
        kept = tuple(edge for edge in edges if decided.removed.isdisjoint((edge.citing, edge.cited)))
        head = replace(resolved.head, paper=decided.name(resolved.head.paper))
        shown = replace(resolved, head=head, edges=kept)
        stored[id(shown)] = resolved
        return shown

    def told(resolved: ResolvedList) -> tuple[Citance, ...]:
        return tuple(
            replace(one, citing=decided.name(one.citing), cited=decided.name(one.cited))
            for one in sentences(stored[id(resolved)])
        )

    return tuple(named(each) for each in lists), told


def _citing(resolved: ResolvedList) -> list[PaperId]:
    return [edge.citing for edge in resolved.edges]


def _texts_first(resolved: ResolvedList) -> tuple[bool, PaperId, str, str]:
    head = resolved.head
    return head.source not in ("text", "starter"), head.paper, head.source, head.direction


def _by_pair(sentences: Iterable[Citance]) -> dict[tuple[PaperId, PaperId], tuple[Citance, ...]]:
    found: dict[tuple[PaperId, PaperId], list[Citance]] = {}
    for one in sentences:
        found.setdefault((one.citing, one.cited), []).append(one)
    return {pair: tuple(each) for pair, each in found.items()}
