"""Which segments a compaction made one: what was derived from the old ones holds for their rows in the new one.

Needed for nothing but speed: without the file a compacted segment counts as a new one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from litterm.core.durable_files import replace_file
from litterm.core.errors import LittermError
from litterm.core.json_fields import integer, items, mapping, text
from litterm.model.library import Segment

LINEAGE: Final = "compacted.jsonl"
_MAX_COMPACTIONS: Final = 200
"""Compactions that are remembered, the newest."""
_Parts = tuple[tuple[str, int], ...]
"""Keys of the segments that went into one, in the order of their rows there, each with how many rows it gave."""


def remember_compaction(root: Path, key: str, parts: Sequence[tuple[str, int]]) -> None:
    """Keeps of what the segment `key` was made; called before it is published."""
    path = root / LINEAGE
    lines = [*_lines(path)[1 - _MAX_COMPACTIONS :], json.dumps({"key": key, "of": list(parts)})]
    try:
        replace_file(path, "".join(f"{line}\n" for line in lines).encode(), private=True)
    except LittermError:
        # No room: what is derived from segments is made again then.
        return


class Lineage:
    """What is remembered of the library in a folder."""

    def __init__(self, root: Path) -> None:
        self._made_of: Mapping[str, _Parts] = dict(_read(root))

    def explains(self, known: Collection[str], present: Collection[str]) -> bool:
        """Whether of the segments `known` those that are not `present` went into others."""
        missing = set(known).difference(present)
        return missing.issubset(source for parts in self._made_of.values() for source, _ in parts)

    def fresh_rows(self, known: Collection[str], segments: Sequence[Segment]) -> dict[str, tuple[range, ...]]:
        """Per segment, the rows that did not come from the segments `known`; none for one that has no such row."""
        rows_of = {segment.key: tuple(self._fresh_ranges(segment.key, segment.count, known)) for segment in segments}
        return {key: rows for key, rows in rows_of.items() if rows}

    def comes_from(self, segment: Segment, known: Collection[str]) -> bool:
        """Whether all rows and full texts of `segment` came from the segments `known`."""
        parts = self._made_of.get(segment.key, ())
        # What does not fit the segment was damaged, and says nothing.
        is_sound = sum(rows for _, rows in parts) == segment.count
        return segment.key in known or (is_sound and self._is_known(segment.key, known))

    def _fresh_ranges(self, key: str, count: int, known: Collection[str], first: int = 0) -> Iterator[range]:
        """The rows of the segment `key` that are not known; its `count` rows begin at `first`."""
        if key in known:
            return
        parts = self._made_of.get(key, ())
        # What does not fit the segment was damaged: then all of its rows count as new.
        if not parts or sum(rows for _, rows in parts) != count:
            yield range(first, first + count)
            return
        for source, rows in parts:
            if rows and not self._is_known(source, known):
                # Of a source that was itself compacted some rows may be known.
                yield from self._fresh_ranges(source, rows, known, first)
            first += rows

    def _is_known(self, key: str, known: Collection[str]) -> bool:
        if key in known:
            return True
        # A compacted segment may itself have been compacted since.
        return key in self._made_of and all(self._is_known(source, known) for source, _ in self._made_of[key])


def _read(root: Path) -> Iterator[tuple[str, _Parts]]:
    for line in _lines(root / LINEAGE):
        try:
            fields = mapping(json.loads(line))
            parts = tuple((text(key), integer(rows)) for key, rows in map(items, items(fields["of"])))
            yield text(fields["key"]), parts
        except (ValueError, KeyError, TypeError):
            continue


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
