"""The records of a shard, for filters that no index answers: author names, phrases with punctuation, keywords."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from litterm.library.segments.library import DuckLibrary

if TYPE_CHECKING:
    from litterm.cluster.shard.segment_cache import SegmentCache
    from litterm.model.library import RowRef, Segment, Snapshot


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
