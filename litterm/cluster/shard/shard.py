"""A shard: some segments of a library, memory-mapped, with all that is computed over every one of their papers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from litterm.cluster.requests import CoverageRequest, MeaningRequest, PoolRequest, Selection, ShardFacts, ShardPool
from litterm.cluster.shard.citations import CitationScores, count_titles
from litterm.cluster.shard.opened_view import OpenedView, stored_vectors
from litterm.cluster.shard.segment_cache import SegmentCache
from litterm.core.errors import IndexDamaged, LittermError
from litterm.core.tasks import run
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.library import DuckLibrary
from litterm.model.library import Snapshot
from litterm.search.open_index import LiveRows, intersect_rows, newest_year, open_live_rows
from litterm.search.searchable import SearchableLibrary, drop_named, open_state, restrict_rows
from litterm.search.signals.bm25 import document_frequencies, score_with_idfs, title_scores
from litterm.search.signals.coverage import WordCoverage
from litterm.search.signals.followers import count_pairs_in, listed_hashes
from litterm.search.signals.fulltext_field import FullTexts, SegmentRows
from litterm.search.signals.fusion import best_rows, union_rows
from litterm.search.signals.named_papers import named_titles, title_stem_bits
from litterm.search.signals.priors import main_venue_mask
from litterm.search.signals.semantic import SemanticQuery, count_without_vectors, levels_at, semantic_query
from litterm.search.signals.unknown_words import HoldersAndSum, count_and_sum_holders

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.cluster.requests import (
        CitationScoring,
        CitationSelection,
        CitationStatistics,
        CountQuestion,
        ShardCitationPool,
        ShardView,
    )
    from litterm.interfaces.arrays import Hashes
    from litterm.library.index.title_author_stats import TitleAuthorIndex
    from litterm.model.library import RowRef, Segment
    from litterm.model.paper import PaperId
    from litterm.search.open_index import Rows
    from litterm.search.signals.bm25 import Scores, Term


_YEAR_BITS = 16
_VERIFICATION_PAUSE_S = 0.02
"""After each megabyte: some 50 MB/s, a twentieth of a core."""
_log = logging.getLogger(__name__)


class ShardLibrary(DuckLibrary):
    """The segments of one shard; their databases are fetched when one of them is first asked for."""

    def __init__(self, cache: SegmentCache, snapshot: Snapshot) -> None:
        super().__init__(cache.folder)
        self._cache = cache
        self._segments = snapshot

    def snapshot(self) -> Snapshot:
        """That of the shard, which never changes."""
        return self._segments

    def texts(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[tuple[str, str], ...]:
        """Title and abstract at `rows`, in that order."""
        self._fetch(snapshot.segments)
        return super().texts(snapshot, rows)

    def author_rows(self, snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
        """Per name, the rows with an author whose name holds every word of it, accents and case folded."""
        self._fetch(snapshot.segments)
        return super().author_rows(snapshot, names)

    def keywords(self, segment: Segment) -> Mapping[int, tuple[str, ...]]:
        """The keywords of the papers of `segment` that have any, by row; read once."""
        self._fetch([segment])
        return super().keywords(segment)

    def _fetch(self, segments: Sequence[Segment]) -> None:
        for segment in segments:
            self._cache.fetch_database(segment)


class SnapshotNotHeld(Exception):
    """The shard does not hold the requested snapshot: it was restarted, or the library has changed."""


class Shard:
    """Answers for its segments; what an actor of the cluster runs, and what tests run without one."""

    def __init__(self, cache: Path, source: str) -> None:
        """`source` is the URL of all segments; those that are asked for are kept in the folder `cache`."""
        self._cache = SegmentCache(cache, source)
        self._index = self._open_index()
        self._embedder = open_static()
        self._coverage = WordCoverage(self._embedder)
        self._own_rows = SegmentRows()
        self._opened: OpenedView | None = None
        self._is_stale = False
        """Whether a file that is in use was found damaged."""
        self._citing: tuple[str, CitationScores] | None = None
        """The scores for the last citation, by the key of its request."""

    def open(self, view: ShardView) -> ShardFacts:
        """Fetches and maps what is not here yet; from now on questions about this view are answered.

        Files that lay here before are verified meanwhile.
        """
        try:
            facts = self._open(view)
        except IndexDamaged:
            if not self._remove_damaged(view, again=True):
                raise
            self._index = self._open_index()
            facts = self._open(view)
        # A daemon: nothing waits for it, and an actor that ends may leave the rest to the next one.
        threading.Thread(target=self._verify, args=(view,), name="cache verification", daemon=True).start()
        return facts

    def _open_index(self) -> IndexFolder:
        remedy = f"remove the segment's folder in {self._cache.folder} on this node, and it is fetched again"
        return IndexFolder(remedy=remedy)

    def _verify(self, view: ShardView) -> None:
        try:
            self._is_stale = bool(self._remove_damaged(view, pause_s=_VERIFICATION_PAUSE_S)) or self._is_stale
        except OSError:
            _log.exception("the cache could not be verified")

    def _remove_damaged(self, view: ShardView, *, again: bool = False, pause_s: float = 0.0) -> tuple[Path, ...]:
        removed = self._cache.remove_damaged((*view.segments, *view.adopted), again=again, pause_s=pause_s)
        for path in removed:
            _log.warning("%s is damaged; it is fetched again", path)
        return removed

    def _open(self, view: ShardView) -> ShardFacts:
        segments = tuple(self._cache.fetch_index(segment) for segment in view.segments)
        snapshot = Snapshot(0, segments)
        live = open_live_rows(snapshot, self._index)
        adopted = [self._index.bodies(self._cache.fetch_index(segment)) for segment in view.adopted]
        texts = FullTexts(live, self._index, self._own_rows, [bodies for bodies in adopted if bodies is not None])
        library = ShardLibrary(self._cache, snapshot)
        self._opened = OpenedView(
            view,
            live,
            texts,
            SearchableLibrary(library, self._index),
            open_state(live, library),
            np.array(view.starts, np.int64) - np.array(live.offsets[: len(view.starts)], np.int64),
        )
        unplaced = {view.segments[at].key: papers for at, papers in texts.papers_without_row().items()}
        self._citing = None
        return ShardFacts(
            count_without_vectors(live, self._embedder), texts.count, unplaced, live.totals, newest_year(live)
        )

    def node_id(self) -> str:
        """The node of the cluster on which this actor is."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    def answer(self, snapshot: str, method: str, *arguments: object) -> Any:
        """Calls `method` with `arguments` on the opened view.

        Raises:
            SnapshotNotHeld: the shard holds another snapshot, or none yet.
        """
        if self._is_stale:
            self._close()
        opened = self._opened
        if opened is None or opened.view.snapshot != snapshot:
            raise SnapshotNotHeld(snapshot)
        try:
            return getattr(self, method)(opened, *arguments)
        except LittermError:
            raise
        except Exception as error:
            # Numbers read from a damaged file can raise anything.
            if not self._remove_damaged(opened.view, again=True):
                raise
            self._close()
            raise SnapshotNotHeld(snapshot) from error

    def _close(self) -> None:
        """Lets go of what is opened, for files that have been replaced."""
        self._is_stale, self._opened, self._citing, self._index = False, None, None, self._open_index()

    # What follows is asked for by name, by `answer`.

    def several(self, opened: OpenedView, requests: Sequence[tuple[str, tuple[object, ...]]]) -> list[Any]:
        """Answers several requests, in their order, so that they cost one round."""
        return [getattr(self, method)(opened, *arguments) for method, arguments in requests]

    def adopters(self, opened: OpenedView, unplaced: dict[str, frozenset[PaperId]]) -> tuple[str, ...]:
        """The segments among `unplaced` whose full texts are of papers here."""
        return tuple(key for key, papers in unplaced.items() if len(self._living_rows(opened, papers)))

    def frequencies(self, opened: OpenedView, terms: Sequence[Term]) -> list[int]:
        """In how many living rows each of `terms` occurs."""
        return document_frequencies(opened.live, terms)

    def text_frequencies(self, opened: OpenedView, terms: Sequence[Term]) -> list[int]:
        """In how many full texts each of `terms` occurs."""
        return opened.texts.frequencies(terms)

    def contexts(self, opened: OpenedView, stems: Sequence[str], max_holders: int) -> dict[str, HoldersAndSum]:
        """Per stem how many papers hold it, and the sum of their vectors."""
        return {stem: count_and_sum_holders(opened.live, self._embedder.name, stem, max_holders) for stem in stems}

    def vocabulary(self, opened: OpenedView, place: str, method: str, *arguments: object) -> list[Any]:
        """By segment, the result of a method of its vocabulary; `place` is `papers` or `texts`."""
        words: Sequence[Any] = opened.live.parts if place == "papers" else opened.texts.words
        return [getattr(part, method)(*arguments) for part in words]

    def holders(self, opened: OpenedView, stems: Sequence[str]) -> Rows:
        """The living rows that hold one of `stems`."""
        return opened.to_library_rows(opened.live.holders(stems))

    def text_holders(self, opened: OpenedView, term: Term) -> Rows:
        """The rows of papers with a full text that holds `term`."""
        # Any idf will do: it is asked whether there is a score at all.
        return opened.to_library_rows(np.flatnonzero(opened.texts.scores_with_idfs([term], [1.0])))

    def rows_of(self, opened: OpenedView, papers: Sequence[PaperId]) -> Rows:
        """The living rows of `papers`."""
        return opened.to_library_rows(self._living_rows(opened, papers))

    def ids(self, opened: OpenedView, rows: Rows) -> tuple[PaperId, ...]:
        """The paper ids at `rows` of the library, ascending; those of other shards are left out."""
        return opened.live.ids(opened.to_own_rows(rows).tolist())

    def column(self, opened: OpenedView, rows: Rows, name: str) -> npt.NDArray[np.int64]:
        """A numeric filter column at `rows` of the library."""
        return opened.live.column(name, opened.to_own_rows(rows))

    def allowed(self, opened: OpenedView, selection: Selection) -> int:
        """How many papers may be found."""
        return len(self._allowed_rows(opened, selection))

    def coverage(self, opened: OpenedView, rows: Rows, request: CoverageRequest) -> Scores:
        """How well each word is met, at `rows` of the library."""
        own_rows = opened.to_own_rows(rows)
        scores = self._coverage.scores(opened.live, request.terms, request.idfs, own_rows)
        return np.zeros(len(own_rows), np.float32) if scores is None else scores

    def names(self, opened: OpenedView, rows: Rows) -> list[tuple[int, frozenset[str]]]:
        """Those of `rows` of the library whose title has a name, with its stems."""
        named = list(named_titles(opened.live, opened.to_own_rows(rows)))
        library_rows = opened.to_library_rows(np.array([row for row, _ in named], np.int64)).tolist()
        return [(row, name) for row, (_, name) in zip(library_rows, named, strict=True)]

    def pool(self, opened: OpenedView, request: PoolRequest) -> ShardPool:
        """The best papers by each signal, with all that their ranking asks for."""
        live = opened.live
        allowed = self._allowed_rows(opened, request.selection)
        candidate_rows = restrict_rows(live, allowed, request.selection.within)
        words = score_with_idfs(opened.with_length_totals(request.totals), request.terms, request.idfs)
        texts = None if request.text_idfs is None else opened.texts.scores_with_idfs(request.terms, request.text_idfs)
        titles = title_scores(live, request.terms, request.idfs) if request.titles else np.zeros(live.size, np.float32)
        meanings = [self._meaning(live, meaning) for meaning in request.meanings]
        cosines = [
            meaning.scan_nearest(request.count, allowed, every=asked_for.all_papers)
            for meaning, asked_for in zip(meanings, request.meanings, strict=True)
        ]
        best = [best_rows(scores, allowed, request.count) for scores in (words, titles, *cosines)]
        best += [] if texts is None else [best_rows(texts, allowed, request.count)]
        rows = union_rows(live.size, *best, intersect_rows(opened.to_own_rows(request.always), allowed))
        if len(rows) < request.count:
            # As many as mean and deviation are taken of, where hardly any has a score.
            rows = union_rows(live.size, rows, allowed[: request.count])
        rows = rows if candidate_rows is allowed else union_rows(live.size, rows, candidate_rows)
        matching = (
            words[candidate_rows] > 0 if texts is None else (words[candidate_rows] > 0) | (texts[candidate_rows] > 0)
        )
        bits = title_stem_bits(live, request.name_stems)
        codes, scales = stored_vectors(live, self._embedder, rows)
        return ShardPool(
            rows=opened.to_library_rows(rows),
            inside=np.ones(len(rows), np.bool_) if candidate_rows is allowed else np.isin(rows, candidate_rows),
            words=words[rows],
            texts=None if texts is None else texts[rows],
            titles=titles[rows],
            near=tuple(scores[rows] for scores in cosines),
            codes=codes,
            scales=scales,
            levels=levels_at(live, rows),
            years=live.column("year", rows),
            main_venue=main_venue_mask(live, rows),
            name_bits=bits[rows],
            title_years=_count_title_years(live, bits),
            matching=int(np.count_nonzero(matching)),
        )

    def citation_statistics(self, opened: OpenedView, request: CitationScoring) -> CitationStatistics:
        """The best scores for an excerpt, by which the driver sees what a high score is."""
        return self._citation_scores(opened, request).statistics()

    def citation_candidates(
        self, opened: OpenedView, request: CitationScoring, selection: CitationSelection
    ) -> ShardCitationPool:
        """The best papers by all signals together, with all that their description asks for."""
        return self._citation_scores(opened, request).candidates(selection)

    def title_words(self, opened: OpenedView, rows: Rows) -> npt.NDArray[np.object_]:
        """The hashes of the title words of each of `rows` of the library, as one array a row."""
        words, counts = listed_hashes(opened.live, self._title_indexes(opened), opened.to_own_rows(rows), "words")
        listed = np.empty(len(counts), object)
        for place, of_row in enumerate(np.split(words, np.cumsum(counts)[:-1])):
            listed[place] = of_row
        return listed

    def pair_counts(
        self, opened: OpenedView, pairs: Hashes, places: Rows, until: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """How many titles here hold the pair at each of `places`, up to its year; see `PairCounter`."""
        return count_pairs_in(self._title_indexes(opened))(pairs, places, until)

    def title_counts(self, opened: OpenedView, questions: Sequence[CountQuestion]) -> list[npt.NDArray[np.int64]]:
        """To each question the sums over the segments here; see `CountQuestion`."""
        return count_titles(self._title_indexes(opened), questions)

    def _title_indexes(self, opened: OpenedView) -> list[TitleAuthorIndex | None]:
        return [self._index.title_index(segment) for segment in opened.live.snapshot.segments]

    def _citation_scores(self, opened: OpenedView, request: CitationScoring) -> CitationScores:
        if self._citing is None or self._citing[0] != request.key:
            scores = CitationScores(opened, request, self._embedder.name, self._title_indexes(opened))
            self._citing = request.key, scores
        return self._citing[1]

    def _living_rows(self, opened: OpenedView, papers: Sequence[PaperId] | frozenset[PaperId]) -> Rows:
        rows = opened.live.rows_of(papers)
        return rows if opened.live.alive is None else rows[opened.live.alive[rows]]

    def _meaning(self, live: LiveRows, request: MeaningRequest) -> SemanticQuery:
        return semantic_query(live, self._embedder.name, request.vector, levelled=request.levelled)

    def _allowed_rows(self, opened: OpenedView, selection: Selection) -> Rows:
        """Rows that pass filters, phrases and exclusions."""
        live, query, facts = opened.live, selection.query, selection.own
        searchable = SearchableLibrary(
            opened.searchable.library,
            self._index,
            tagged=lambda tag: facts.tagged.get(tag, frozenset()),
            cited_at_least=None if facts.cited is None else facts.cited.__getitem__,
        )
        mask = searchable.mask(live, query) if selection.filtered else live.alive
        rows = drop_named(live, live.rows_in(mask), query)
        return run(searchable.filter_rows(opened.state, query, rows))


def _count_title_years(live: LiveRows, bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    rows = np.flatnonzero(bits)
    years = live.column("year", rows)
    keys, counts = np.unique((bits[rows].astype(np.int64) << _YEAR_BITS) | years, return_counts=True)
    return np.stack([keys >> _YEAR_BITS, keys & ((1 << _YEAR_BITS) - 1), counts])
