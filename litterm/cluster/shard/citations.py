"""What a shard computes to attribute a citation: scores of all its papers, and what describes the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from litterm.cluster.requests import CitationStatistics, ShardCitationPool
from litterm.cluster.shard.opened_view import stored_vectors
from litterm.library.index.static_embeddings import open_static
from litterm.search.citation_candidates import all_points, citable_rows, closer_count, signals_with
from litterm.search.citing_features import VENUES
from litterm.search.open_index import intersect_rows
from litterm.search.signals.bm25 import score_with_idfs, title_scores
from litterm.search.signals.followers import listed_hashes
from litterm.search.signals.fusion import best_rows, best_scores, union_rows
from litterm.search.signals.semantic import SemanticQuery

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.cluster.requests import CitationScoring, CitationSelection, CountQuestion
    from litterm.cluster.shard.opened_view import OpenedView
    from litterm.library.index.title_author_stats import TitleAuthorIndex
    from litterm.search.open_index import LiveRows, Rows


class CitationScores:
    """The scores of all papers of a shard for one excerpt; kept from one request of the driver to the next."""

    def __init__(
        self,
        opened: OpenedView,
        request: CitationScoring,
        embedder: str,
        title_indexes: Sequence[TitleAuthorIndex | None],
    ) -> None:
        """`title_indexes` are those of each segment; vectors are those of `embedder`."""
        live = opened.live
        self._opened, self._request, self._title_indexes = opened, request, title_indexes
        self._allowed = citable_rows(live, opened.searchable, request.until, request.exclude)
        self._words = score_with_idfs(opened.with_length_totals(request.totals), request.terms, request.idfs)
        self._titles = title_scores(live, request.terms, request.idfs)
        self._near = self._exact = np.zeros(live.size, np.float32)
        self._closer = self._allowed[:0]
        if request.vector is not None:
            meaning = SemanticQuery(live, embedder, request.vector)
            self._near = meaning.scan()
            self._closer = best_rows(self._near, self._allowed, closer_count(request.size))
            self._exact = self._near.copy()
            self._exact[self._closer] = meaning.rescore(self._closer)

    def statistics(self) -> CitationStatistics:
        """The best scores by each signal."""
        other_rows = self._allowed[~np.isin(self._allowed, self._closer)]
        return CitationStatistics(
            allowed=len(self._allowed),
            words=best_scores(self._words, self._allowed),
            titles=best_scores(self._titles, self._allowed),
            near=self._near[self._closer],
            exact=self._exact[self._closer],
            others=best_scores(self._near, other_rows),
        )

    def candidates(self, selection: CitationSelection) -> ShardCitationPool:
        """The best papers by all signals together, those of `selection.always`, and the citing paper."""
        opened, request, live = self._opened, self._request, self._opened.live
        # Of those that are nearest here some are not among the nearest of the library.
        similarities = np.where(self._near >= np.float32(selection.closer), self._exact, self._near)
        meaning = None if selection.best[2] is None else similarities
        signals = signals_with((self._words, self._titles, meaning), selection.best)
        order = np.argsort(-all_points(signals, self._allowed), kind="stable")[: request.size]
        citing = live.rows_of(request.exclude)
        always = intersect_rows(opened.to_own_rows(selection.always), self._allowed)
        rows = union_rows(live.size, self._allowed[order], always, citing)
        codes, scales = stored_vectors(live, open_static(), rows)
        return ShardCitationPool(
            rows=opened.to_library_rows(rows),
            allowed=np.isin(rows, self._allowed),
            citing=np.isin(rows, citing),
            words=self._words[rows],
            titles=self._titles[rows],
            near=similarities[rows],
            codes=codes,
            scales=scales,
            years=live.column("year", rows),
            venues=_venue_bits(live, rows),
            title_words=listed_hashes(live, self._title_indexes, rows, "words"),
            authors=listed_hashes(live, self._title_indexes, rows, "authors"),
            has_facts=any(self._title_indexes),
        )


def count_titles(
    title_indexes: Sequence[TitleAuthorIndex | None], questions: Sequence[CountQuestion]
) -> list[npt.NDArray[np.int64]]:
    """To each of `questions` the sums over `title_indexes`."""
    answers = []
    for method, hashes, until in questions:
        counts = np.zeros(len(hashes), np.int64)
        for of_segment in title_indexes:
            if of_segment is not None:
                counts += getattr(of_segment, method)(hashes, until)
        answers.append(counts)
    return answers


def _venue_bits(live: LiveRows, rows: Rows) -> npt.NDArray[np.uint32]:
    bits = np.zeros(len(rows), np.uint32)
    for part, span, local_rows in live.split(rows):
        of_part = np.zeros(part.count, np.uint32)
        for number, venue in enumerate(VENUES):
            of_part[part.venue_rows(venue)] |= np.uint32(1 << number)
        bits[span] = of_part[local_rows]
    return bits
