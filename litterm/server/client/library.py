"""A library on a server instead of one on this disk: what the engine needs of it, asked over the connection."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from litterm.engine import Engine
from litterm.model.aspects import AspectCell, AspectScores
from litterm.model.attribution.citation import Attribution, CandidateBounds, Excerpt
from litterm.model.document import Document
from litterm.model.evidence import Evidence, EvidenceScope
from litterm.model.paper import Byline, Paper, PaperId
from litterm.model.search import DEFAULT_RESULTS, Query, Ranking, SortOrder
from litterm.server.client.connection import BATCH_SIZE, ServerConnection
from litterm.server.operations import citations, papers, search
from litterm.server.protocol.own_conditions import resolve_own_conditions, restore_typed_conditions
from litterm.text.queries.parser import parse_query

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.search import HopOptions
    from litterm.search.filters.filters import PapersByTag

_MAX_CACHED_TEXTS = 16
"""Texts cached in memory, since the reader, evidence and marks ask for the same text one after the other."""


class RemoteRecords:
    """Papers and full texts by id; fits `interfaces.Records`."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._texts: OrderedDict[PaperId, Document] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is."""
        return tuple(
            ids
            for start in range(0, len(keys), BATCH_SIZE)
            for ids in self._connection.ask(papers.lookup, keys=tuple(keys[start : start + BATCH_SIZE])).keys
        )

    def find_by_citation_key(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per citation key, the papers that bear it."""
        return tuple(
            ids
            for start in range(0, len(keys), BATCH_SIZE)
            for ids in self._connection.ask(
                papers.lookup, citation_keys=tuple(keys[start : start + BATCH_SIZE])
            ).citation_keys
        )

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids or aliases, in order.

        Raises:
            UnknownPaper: one of them is not in the library.
        """
        return tuple(
            paper
            for start in range(0, len(ids), BATCH_SIZE)
            for paper in self._connection.ask(papers.papers, tuple(ids[start : start + BATCH_SIZE]))
        )

    def document(self, paper_id: PaperId) -> Document | None:
        """The best parsed full text, or `None`."""
        with self._lock:
            document = self._texts.get(paper_id)
        if document is None:
            # Without the lock, so that requests for other texts do not wait for this answer.
            document = self._connection.ask(papers.read, paper_id)
            with self._lock:
                self._texts[paper_id] = document
                if len(self._texts) > _MAX_CACHED_TEXTS:
                    self._texts.popitem(last=False)
        # Without a full text the server sends a text made of the abstract.
        return None if document.origin == "abstract" else document


class RemoteSearcher:
    """Queries answered by the server; fits `interfaces.PaperSearcher`."""

    def __init__(self, connection: ServerConnection, tagged: PapersByTag) -> None:
        """`tagged` gives the papers of the user's tags, lists, notes and projects, which the server does not know."""
        self._connection = connection
        self._tagged = tagged

    def search(
        self,
        typed: str | Query,
        *,
        k: int = DEFAULT_RESULTS,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        """The best `k` papers, with their counts of citations."""
        query = parse_query(typed, finished=finished) if isinstance(typed, str) else typed
        ranking = yield from self._connection.call(
            search.search,
            k=k,
            sort=sort,
            finished=finished,
            within=None if within is None else tuple(sorted(within)),
            parsed=resolve_own_conditions(query, self._tagged),
        )
        return replace(ranking, query=restore_typed_conditions(ranking.query, query))


class RemoteHops:
    """Search with the papers one citation away, by the server; fits `interfaces.HopSearcher`."""

    def __init__(self, connection: ServerConnection, tagged: PapersByTag) -> None:
        self._connection = connection
        self._tagged = tagged

    def search(self, query: Query, *, k: int, hop: HopOptions) -> Task[Ranking]:
        """The best `k` papers of the seeds and their neighbours."""
        parsed = resolve_own_conditions(query, self._tagged)
        ranking = yield from self._connection.call(search.search, k=k, one_hop=hop, parsed=parsed)
        return replace(ranking, query=restore_typed_conditions(ranking.query, query))


class RemoteAspects:
    """Papers scored by aspects on the server; fits `interfaces.AspectScorer`."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    def scores(self, texts: Sequence[str], papers: Sequence[PaperId]) -> Task[AspectScores]:
        """A score in [0, 1] for every text and paper."""
        answer = yield from self._connection.call(search.aspects, tuple(texts), tuple(papers))
        if any(len(row) != len(papers) for row in answer.scores):
            raise self._connection.unreadable("scores: not one for each of the papers")
        cells = {
            (text, paper_id): AspectCell(score)
            for text, row in zip(texts, answer.scores, strict=True)
            for paper_id, score in zip(papers, row, strict=True)
        }
        return AspectScores(MappingProxyType(cells), answer.by)


class RemoteExtractor:
    """Evidence found by the server; fits `interfaces.EvidenceExtractor`."""

    name = "server"

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        """At most `k` sentences of the paper that `document` is the text of."""
        task = self._connection.call(
            Engine.evidence, document.paper_id, hypothesis, k=k, scope=scope, everything=everything
        )
        return (yield from task)


class RemoteAttributor:
    """Citations resolved by the server; fits `interfaces.Attributor`."""

    name = "server"

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    def attribute(self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds) -> Task[Attribution]:
        """At most `k` candidates within `bounds`, the likeliest first."""
        mark = max(excerpt.chosen, 0) + 1
        request = citations.CiteRequest(excerpt.text, k, mark, claim=excerpt.claim, bounds=bounds)
        return (yield from self._connection.call(citations.cite, request))


class RemoteWorks:
    """Papers by title, or by author and year; fits `interfaces.WorkLookup`."""

    def __init__(self, connection: ServerConnection, records: RemoteRecords) -> None:
        self._connection = connection
        self._records = records
        self._by_author_year: dict[tuple[str, int], tuple[Byline, ...]] = {}

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is."""
        return self._records.find(keys)

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids, in order."""
        return self._records.by_id(ids)

    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per title, the papers with an equal title key and equal numerals."""
        return self._connection.ask(papers.lookup, titles=tuple(titles)).titles

    def find_by_author_years(self, pairs: Sequence[tuple[str, int]]) -> tuple[tuple[Paper, ...], ...]:
        """Per family name and year, the papers of that year, give or take one, by such an author; ascending by id."""
        ids_of_pairs = self._connection.ask(papers.lookup, written=tuple(pairs)).written
        ids = tuple(dict.fromkeys(paper_id for ids_of_pair in ids_of_pairs for paper_id in ids_of_pair))
        papers_by_id = dict(zip(ids, self._records.by_id(ids), strict=True))
        return tuple(tuple(papers_by_id[paper_id] for paper_id in ids_of_pair) for ids_of_pair in ids_of_pairs)

    def find_by_first_author(self, family: str, year: int) -> tuple[Byline, ...]:
        """The papers of `year`, give or take one, with an author of this family name; ascending by id."""
        self.prefetch_first_authors([(family, year)])
        return self._by_author_year[family, year]

    def prefetch_first_authors(self, pairs: Sequence[tuple[str, int]]) -> None:
        """Fetches in one request everything that `find_by_first_author` will be asked for."""
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in self._by_author_year]
        if fresh:
            for pair, papers in zip(fresh, self.find_by_author_years(fresh), strict=True):
                self._by_author_year[pair] = tuple(paper.byline for paper in papers)
