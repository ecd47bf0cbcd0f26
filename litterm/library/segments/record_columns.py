"""Fields that no index has, read from the records of a whole segment, once: a segment never changes."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from litterm.core.json_fields import text, whole

if TYPE_CHECKING:
    from litterm.library.segments.connections import View
    from litterm.model.library import Segment

_KEYWORDS = "SELECT row, record ->> '$.keywords' FROM {segment}.paper WHERE record ->> '$.keywords' IS NOT NULL"
_ADDED = (
    "SELECT row, coalesce(epoch(try_cast(record ->> '$.provenance[2]' AS TIMESTAMP)), 0)::BIGINT"
    " FROM {segment}.paper ORDER BY row"
)


class RecordColumns:
    """What has been read of each segment, by its key."""

    def __init__(self) -> None:
        self._keywords: dict[str, Mapping[int, tuple[str, ...]]] = {}
        self._added: dict[str, Sequence[int]] = {}

    def keywords(self, view: View, segment: Segment) -> Mapping[int, tuple[str, ...]]:
        """The keywords of the papers of `segment` that have any, by row."""
        if segment.key not in self._keywords:
            rows = view.select(segment, _KEYWORDS)
            keywords = {whole(row): tuple(cast("list[str]", json.loads(text(record)))) for row, record in rows}
            self._keywords[segment.key] = keywords
        return self._keywords[segment.key]

    def added(self, view: View, segment: Segment) -> Sequence[int]:
        """When each paper of `segment` came into the library, in seconds since 1970, row by row; 0 where unknown."""
        if segment.key not in self._added:
            # Eight bytes a paper; a list of Python's integers would take several times as much, for good.
            times = array("q", [0]) * segment.count
            for row, seconds in view.select(segment, _ADDED):
                times[whole(row)] = whole(seconds)
            self._added[segment.key] = times
        return self._added[segment.key]
