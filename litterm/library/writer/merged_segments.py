"""Merged segments: built without the write lock, and listed by the next process that holds it.

`merged/<key>/` is a segment being made. When it is whole, `merged/<key>.json` says of which segments. Whoever publishes
moves it to the others if those are still listed; rows of theirs that were replaced meanwhile are replaced in it, too.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from litterm.core.durable_files import key_after, remove_tree, replace_file, sync_folder, translate_write_errors
from litterm.core.json_fields import integer, items, mapping, text
from litterm.library.segments.build_jobs import BuiltSegment, SourceSegment
from litterm.library.segments.description import read_description
from litterm.library.segments.lineage import remember_compaction
from litterm.library.segments.manifest import Manifest, SegmentEntry, segment_folder
from litterm.library.segments.publication import with_segment, without_segments
from litterm.library.segments.schema import SCHEMA
from litterm.library.segments.segment import INDEX_FOLDER
from litterm.text.tokens import TOKENIZER

MERGED: Final = "merged"
"""Folder of the library in which merged segments are built."""
Compact = Callable[[Path, Sequence[SourceSegment], float | None], BuiltSegment]
"""Builds one durable segment in a folder from several, for texts of this average length."""


@dataclass(frozen=True, slots=True)
class MergedPart:
    """One of the segments that were merged."""

    key: str
    count: int
    """Number of its rows, including those left out."""
    shadowed: tuple[int, ...]
    """Rows that were left out; ascending."""


@dataclass(frozen=True, slots=True)
class MergedSegment:
    """A merged segment that is complete but not published."""

    key: str
    parts: tuple[MergedPart, ...]

    def new_rows(self, rows_by_segment: Mapping[str, Collection[int]]) -> list[int]:
        """New row numbers of the rows of its parts, ascending; rows that were left out have none."""
        rows: list[int] = []
        first = 0
        for part in self.parts:
            left_out = set(part.shadowed)
            rows += (
                first + row - bisect_left(part.shadowed, row)
                for row in rows_by_segment.get(part.key, ())
                if row not in left_out
            )
            first += part.count - len(part.shadowed)
        return sorted(rows)


def merge_segments(root: Path, manifest: Manifest, group: Sequence[SegmentEntry], compact: Compact) -> str:
    """Merges `group`, listed in `manifest`, into one segment, without any lock; `take_in_merged` publishes it."""
    # It takes the place of the newest: what was stored meanwhile stays newer also where only the keys tell.
    key = key_after(max(entry.key for entry in group))
    folder = root / MERGED / key
    remove_tree(folder)
    with translate_write_errors(folder):
        folder.mkdir(parents=True)
    compact(folder, [_source(root, entry) for entry in group], manifest.average_length)
    with translate_write_errors(folder):
        sync_folder(folder.parent)
    parts = [[entry.key, entry.count, list(entry.shadowed)] for entry in group]
    replace_file(_offer_path(root, key), json.dumps({"schema": SCHEMA, "parts": parts}).encode())
    return key


def waiting_keys(root: Path) -> tuple[str, ...]:
    """Keys of merged segments that wait to be published."""
    return tuple(sorted(path.stem for path in (root / MERGED).glob("*.json") if not path.name.startswith(".")))


def remove_abandoned(root: Path) -> None:
    """Removes segments that were left unfinished; only for the process that merges segments."""
    folder = root / MERGED
    whole_keys = waiting_keys(root)
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and path.name not in whole_keys:
            remove_tree(path)
        elif path.name.startswith("."):
            path.unlink(missing_ok=True)


def take_in_merged(root: Path, manifest: Manifest) -> tuple[Manifest, tuple[MergedSegment, ...]]:
    """`manifest` with merged segments instead of those they were made of; for the holder of the write lock.

    One that was made of segments that are no longer listed is removed. Publish, then `remove_merged` them.
    """
    merged_segments: list[MergedSegment] = []
    for key in waiting_keys(root):
        merged, folder = _read(root, key), root / MERGED / key
        description = read_description(folder)
        if merged is None or description is None or not _is_usable(merged, manifest):
            remove_merged(root, [key])
            continue
        target = segment_folder(root, key)
        with translate_write_errors(target):
            remove_tree(target)
            folder.rename(target)
            sync_folder(target.parent)
        # Before it is published: afterwards a reader could take the merged papers for new ones.
        remember_compaction(root, key, [(part.key, part.count - len(part.shadowed)) for part in merged.parts])
        manifest = _with_merged(root, manifest, merged, description.built)
        merged_segments.append(merged)
    return manifest, tuple(merged_segments)


def remove_merged(root: Path, keys: Iterable[str]) -> None:
    """Removes merged segments that were published or are no longer usable."""
    for key in keys:
        _offer_path(root, key).unlink(missing_ok=True)
        remove_tree(root / MERGED / key)


def _with_merged(root: Path, manifest: Manifest, merged: MergedSegment, built: BuiltSegment) -> Manifest:
    keys = {part.key for part in merged.parts}
    shadowed = merged.new_rows({entry.key: entry.shadowed for entry in manifest.segments if entry.key in keys})
    fresh = with_segment(without_segments(manifest, keys), root, merged.key, built)
    *earlier_segments, entry = fresh.segments
    # In the place of the newest, as its key is: segments are listed in the order in which they were stored.
    newest = max(place for place, entry_before in enumerate(manifest.segments) if entry_before.key in keys)
    place = sum(entry_before.key not in keys for entry_before in manifest.segments[:newest])
    listing = (*earlier_segments[:place], replace(entry, shadowed=tuple(shadowed)), *earlier_segments[place:])
    return replace(fresh, segments=listing)


def _is_usable(merged: MergedSegment, manifest: Manifest) -> bool:
    """Whether all its parts are still listed, and no row that was left out is valid again."""
    entries = {entry.key: entry for entry in manifest.segments}
    return all(part.key in entries and set(part.shadowed).issubset(entries[part.key].shadowed) for part in merged.parts)


def _source(root: Path, entry: SegmentEntry) -> SourceSegment:
    # Imported here: an import that takes a segment in needs nothing of it.
    from litterm.library.index.full_text import FULL_TEXT_FILE

    # Of another tokenizer; one with a damaged index counts as such, too.
    usable = entry.tokenizer == TOKENIZER
    files = (file for file in entry.files if usable and file.name == f"{INDEX_FOLDER}/{FULL_TEXT_FILE}")
    return SourceSegment(segment_folder(root, entry.key), entry.shadowed, next(files, None))


def _read(root: Path, key: str) -> MergedSegment | None:
    try:
        fields = mapping(json.loads(_offer_path(root, key).read_bytes()))
        parts = tuple(
            MergedPart(text(part), integer(count), tuple(map(integer, items(shadowed))))
            for part, count, shadowed in map(items, items(fields["parts"]))
        )
        return MergedSegment(key, parts) if integer(fields["schema"]) == SCHEMA else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _offer_path(root: Path, key: str) -> Path:
    return root / MERGED / f"{key}.json"
