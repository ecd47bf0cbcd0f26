"""All rows of a sharded library: what a query asks about every row is asked of the shards."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from litterm.cluster.shards import ShardsLate
from litterm.interfaces import WordFrequencies
from litterm.model.library import RowRef
from litterm.search.citing_features import VENUES
from litterm.search.open_index import LiveRows
from litterm.search.signals.bm25 import TermCounts, idf_of
from litterm.search.signals.unknown_words import HoldersAndSum, holder_bounds, unit_vectors

if TYPE_CHECKING:
    from litterm.cluster.shards import ShardQuery, Shards
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.interfaces.llm import Vector
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.library.index.vectors import Vectors
    from litterm.model.paper import PaperId
    from litterm.search.open_index import Rows
    from litterm.search.signals.bm25 import Term


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ShardedRows(LiveRows):
    """All rows; no array over them is made, but for the few that are not shown."""

    shards: ShardQuery = field(kw_only=True)
    shown: int = field(kw_only=True)

    @property
    def count(self) -> int:
        """Rows alive."""
        return self.shown

    @property
    def has_texts(self) -> bool:
        """Whether the library holds any full text."""
        return any(facts.texts for facts in self.shards.facts())

    def rows_of(self, ids: Collection[PaperId]) -> Rows:
        """The living rows of those `ids` that are here, ascending."""
        return _sorted_rows(self.shards.ask("rows_of", tuple(ids)))

    def holders(self, stems: Sequence[str]) -> Rows:
        """The living rows that hold one of `stems` in title or abstract, ascending."""
        return _sorted_rows(self.shards.ask("holders", tuple(stems)))

    def column(self, name: str, rows: Rows) -> npt.NDArray[np.int64]:
        """A numeric filter column at `rows`, which are ascending."""
        return self.shards.gather_values("column", rows, np.dtype(np.int64), name)


class ShardLibraryRows:
    """Implements `search.row_source.LibraryRows`: what a query asks about all rows is asked of the shards."""

    def __init__(self, live: ShardedRows, embedder: StaticModel) -> None:
        """`embedder` made the vectors of the index."""
        self._live = live
        self.embedder = embedder

    @property
    def live(self) -> ShardedRows:
        """All rows."""
        return self._live

    @property
    def without_vectors(self) -> int:
        """How many rows are found by their words alone."""
        return sum(facts.without_vectors for facts in self.live.shards.facts())

    def full_texts(self) -> ShardTexts:
        """The words of the full texts."""
        return ShardTexts(self.live.shards)

    def context_vectors(self, stems: Sequence[str]) -> Mapping[str, Vector]:
        """The unit mean vector of the papers that hold each of `stems`, where these are enough and not too many."""
        different, most = tuple(dict.fromkeys(stems)), holder_bounds(self.live)[1]
        answers: list[dict[str, HoldersAndSum]] = self.live.shards.ask("contexts", different, most)
        return unit_vectors({stem: _add_holders([answer[stem] for answer in answers]) for stem in different}, most)

    def count_holders(self, terms: Sequence[Term]) -> TermCounts:
        """How many papers hold each of `terms`."""
        counts = np.sum(self.live.shards.ask("frequencies", terms), axis=0).tolist() if terms else []
        return TermCounts(tuple(counts), tuple(idf_of(count, self.live.count) for count in counts))


def _add_holders(answers: Sequence[HoldersAndSum]) -> HoldersAndSum:
    sums = [total for _, total in answers if len(total)]
    return sum(count for count, _ in answers), np.sum(sums, axis=0) if sums else np.zeros(0)


def answer_on_shards(shards: Shards, library: Library, work: Callable[[ShardedRows], Task[T]]) -> Task[tuple[T, str]]:
    """What `work` finds, restarted without the shards that are late; and a sentence on what is missing then."""
    query = shards.query(library.snapshot())
    while True:
        try:
            answer = yield from work(build_sharded_rows(query))
        except ShardsLate:
            continue
        return answer, query.missing_notice()


def build_sharded_rows(shards: ShardQuery) -> ShardedRows:
    """Those of the snapshot that `shards` hold."""
    snapshot = shards.opened.snapshot
    offsets = (0, *accumulate(segment.count for segment in snapshot.segments))
    hidden = sum(len(segment.shadowed) for segment in snapshot.segments)
    alive = np.ones(offsets[-1], np.bool_) if hidden else None
    for segment, start in zip(snapshot.segments, offsets, strict=False):
        if alive is not None:
            alive[start + np.array(segment.shadowed, np.int64)] = False
    words = cast("SegmentIndex", ShardWords(shards, "papers"))
    return ShardedRows(
        snapshot, (words,), offsets, alive, np.empty(0, np.int64), shards=shards, shown=offsets[-1] - hidden
    )


class ShardWords:
    """The words of all segments; fits what completes and corrects the words of a query."""

    def __init__(self, shards: ShardQuery, place: str) -> None:
        """`place` is where the words are: `papers` or `texts`."""
        self._shards = shards
        self._place = place

    def expand(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        """Words that start with `prefix` (folded); the most frequent of each segment."""
        return self._sum_counts(WordFrequencies.expand.__name__, prefix, limit)

    def similar_words(self, word: str, slips: int) -> tuple[tuple[str, int], ...]:
        """Words with the first letter of `word` that may be up to `slips` slips away; some are further."""
        return self._sum_counts(WordFrequencies.similar_words.__name__, word, slips)

    def venues(self) -> tuple[tuple[str, int], ...]:
        """Every venue key with its number of rows, by key."""
        return self._sum_counts("venues")

    def venue_rows(self, key: str) -> Sequence[object]:
        """A non-empty sequence if any paper has the venue `key`."""
        return [rows for segments in self._ask_shards("venue_rows", key) for rows in segments if len(rows)]

    def _sum_counts(self, method: str, *arguments: object) -> tuple[tuple[str, int], ...]:
        counts: dict[str, int] = {}
        for segments in self._ask_shards(method, *arguments):
            for counted in segments:
                for word, count in counted:
                    counts[word] = counts.get(word, 0) + count
        return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def _ask_shards(self, method: str, *arguments: object) -> list[list[Any]]:
        return self._shards.ask("vocabulary", self._place, method, *arguments)


class ShardTexts:
    """The full texts of all segments, as far as their words are looked at."""

    def __init__(self, shards: ShardQuery) -> None:
        self._shards = shards

    @property
    def words(self) -> Sequence[WordFrequencies]:
        """The stems of the texts."""
        return (ShardWords(self._shards, "texts"),)

    def holders(self, term: Term) -> Rows:
        """The rows of the papers with a full text that holds `term`, ascending."""
        if not any(facts.texts for facts in self._shards.facts()):
            return np.empty(0, np.int64)
        return _sorted_rows(self._shards.ask("text_holders", term))


@dataclass(frozen=True, slots=True)
class PooledRows(LiveRows):
    """The candidates of one query, numbered from 0 in the order of their rows."""

    shards: ShardQuery = field(kw_only=True)
    all_rows: ShardedRows = field(kw_only=True)
    library_rows: Rows = field(kw_only=True)
    """The row of the library of each candidate."""

    def refs(self, rows: Sequence[int]) -> tuple[RowRef, ...]:
        """Where `rows` are stored, in that order."""
        return self.all_rows.refs(self.library_rows[list(rows)].tolist())

    def ids(self, rows: Sequence[int]) -> tuple[PaperId, ...]:
        """The paper ids at `rows`, in that order."""
        ordered = np.unique(np.array(rows, np.int64))
        ids = self.shards.gather_values("ids", self.library_rows[ordered], np.dtype(object))
        return tuple(ids[np.searchsorted(ordered, rows)].tolist())

    def first_by_id(self, rows: Rows, k: int) -> list[int]:
        """The `k` of `rows` whose paper ids come first."""
        if len(rows) <= k:
            return list(map(int, rows))
        return [row for _, row in sorted(zip(self.ids(rows.tolist()), rows.tolist(), strict=True))[:k]]

    def to_candidates(self, rows: Rows) -> tuple[Rows, npt.NDArray[np.bool_]]:
        """The candidate numbers of those `rows` of the library that are candidates, and a mask of which these are."""
        present = np.isin(rows, self.library_rows)
        return np.searchsorted(self.library_rows, rows[present]), present


class CandidatePart:
    """Years and venues of the candidates, as those of one segment."""

    def __init__(self, years: npt.NDArray[np.int64], venues: npt.NDArray[np.uint32] | None = None) -> None:
        """Bit n of `venues` is set where the paper was at the venue n of `citing_features.VENUES`."""
        self.count = len(years)
        self.columns = self
        self.year = years
        self._venues = np.zeros(len(years), np.uint32) if venues is None else venues

    def venue_rows(self, key: str) -> Rows:
        """The candidates at the venue `key`."""
        return np.flatnonzero(self._venues & np.uint32(1 << VENUES.index(key)))


def build_pooled_rows(sharded_rows: ShardedRows, places: Rows, vectors: Vectors, part: CandidatePart) -> PooledRows:
    """The candidates at the rows `places` (ascending) of the library, with their vectors, years and venues."""
    return PooledRows(
        sharded_rows.snapshot,
        (cast("SegmentIndex", part),),
        (0, len(places)),
        None,
        np.arange(len(places)),
        (vectors,),
        shards=sharded_rows.shards,
        all_rows=sharded_rows,
        library_rows=places,
    )


def _sorted_rows(row_sets: Sequence[Rows]) -> Rows:
    return np.sort(np.concatenate(row_sets)) if row_sets else np.empty(0, np.int64)
