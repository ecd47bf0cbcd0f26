"""Merges many small segments into one: fewer files to open, and shadowed rows are dropped.

Merged segments are built without the write lock, and listed by the next process that holds it. `merged/<key>/` is a
segment being made. When it is whole, `merged/<key>.json` says of which segments. Whoever publishes moves it to the
others if those are still listed; rows of theirs that were replaced meanwhile are replaced in it, too.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.core.checksums import checksums_below, find_faults
from litterm.core.durable_files import key_after, remove_tree, replace_file, sync_folder, translate_write_errors
from litterm.core.json_fields import integer, items, mapping, text
from litterm.library.index.records import RECORDS_FILE
from litterm.library.segments.built_segment import DESCRIPTION, BuiltSegment, SourceSegment, read_description
from litterm.library.segments.connections import attach_new, attach_read_only, connect, translate_errors
from litterm.library.segments.lineage import remember_compaction
from litterm.library.segments.manifest import (
    DATABASE,
    Manifest,
    SegmentEntry,
    segment_folder,
    with_segment,
    without_segments,
)
from litterm.library.segments.schema import SCHEMA, scripts
from litterm.library.segments.segment import (
    INDEX_FOLDER,
    SORT_ORDERS,
    SegmentContents,
    close_database,
    columns,
    run_scripts,
    tables,
)
from litterm.model.index import MIN_PAPERS_FOR_ANN, MIN_ROWS_FOR_ANN
from litterm.text.tokens import TOKENIZER

if TYPE_CHECKING:
    from litterm.library.segments.connections import Cursor
    from litterm.library.workers.segment_builder import ChildSegmentBuilder

_MAX_CHECKED_BYTES = 256_000_000
"""Bytes of indexes that an import verifies completely; of the others it checks only sizes and headers."""
_OLDER_SQL = (
    "SELECT source, doc FROM seen QUALIFY row_number() OVER"
    " (PARTITION BY paper, origin ORDER BY stored DESC, source DESC, doc DESC) > 1 ORDER BY source, doc"
)
_TEXTS_SQL = "SELECT doc FROM old.document WHERE origin <> 'abstract' ORDER BY doc"
"""The documents in the index of full texts, in its order."""
SMALL_PAPERS = 20_000
"""The largest batch of an import."""
MANY_SEGMENTS = 8
"""Segments of one size up to which compacting is not worth it."""
LARGE_PAPERS = 160_000
"""From here on a segment stays as it is. Making one this large takes 1 GB of memory; a million papers in 13 segments
are searched in three quarters of the time that 97 take, and opened in half of it."""
LARGE_BYTES = 640_000_000
"""The same for segments of few papers with long full texts."""
_MAX_SIZE_RATIO = 4
"""A segment joins in when it is at most this many times as large as the smaller ones together: then each paper
is copied a few times in its life, not at every compaction."""
MERGED: Final = "merged"
"""Folder of the library in which merged segments are built."""
Compact = Callable[[Path, Sequence[SourceSegment], float | None], BuiltSegment]
"""Builds one durable segment in a folder from several, for texts of this average length."""


def worth_compacting(
    manifest: Manifest, embedder: str, *, grouping: bool = False, remade: Collection[str] = ()
) -> tuple[tuple[SegmentEntry, ...], ...]:
    """Groups of segments that should be merged, each into one; no two groups overlap.

    Where many are small, or many are neither small nor large, the smallest of them go together until they are no longer
    so: ask again when that is done. A segment whose index was made by another tokenizer, or whose vectors were made by
    another model than `embedder`, is rebuilt. So is one whose records are not packed, and one whose vectors are not
    grouped, if the library is large enough for that and `grouping` is available. Segments in `remade` have just been
    rebuilt, and would come out the same.
    """
    made_by = (TOKENIZER, embedder)
    rows_to_group = MIN_ROWS_FOR_ANN if grouping and manifest.papers > MIN_PAPERS_FOR_ANN else math.inf
    stale = [
        entry
        for entry in manifest.segments
        if (entry.tokenizer, entry.embedder) != made_by
        or (entry.live >= rows_to_group and not entry.grouped)
        or not _has_packed_records(entry)
    ]
    single_groups = ((entry,) for entry in stale if entry.key not in remade)
    groups = (*(_segments_to_merge(manifest, stale, size) for size in _SIZE_CLASSES), *single_groups)
    return tuple(group for group in groups if group)


def _has_packed_records(entry: SegmentEntry) -> bool:
    """False for the index of an older litterm; not where it is not known which files there are."""
    return not entry.files or any(file.name == f"{INDEX_FOLDER}/{RECORDS_FILE}" for file in entry.files)


def mark_lost_indexes(root: Path, manifest: Manifest, builder: ChildSegmentBuilder) -> Manifest:
    """`manifest` in which segments with a lost or damaged index have no tokenizer, so that they are rebuilt."""
    room = _MAX_CHECKED_BYTES
    # Another tokenizer makes `worth_compacting` choose a segment: lost indexes need no way of their own.
    entries: dict[str, SegmentEntry] = {}
    # Not always the same ones, where reading all would take too long.
    first = manifest.generation % max(1, len(manifest.segments))
    for entry in (*manifest.segments[first:], *manifest.segments[:first]):
        folder = segment_folder(root, entry.key)
        files = [file for file in entry.files if file.name.startswith(f"{INDEX_FOLDER}/")]
        size = sum(file.size for file in files)
        full, room = size <= room, room - size if size <= room else room
        sound = not find_faults(folder, files, full=full) and builder.has_index(folder, vectors=bool(entry.embedder))
        entries[entry.key] = entry if sound else replace(entry, tokenizer="")
    return replace(manifest, segments=tuple(entries[segment.key] for segment in manifest.segments))


def with_checksums(root: Path, manifest: Manifest) -> Manifest:
    """`manifest` with the checksums of segments that an older litterm published without any."""
    return replace(manifest, segments=tuple(_with_checksums(root, entry) for entry in manifest.segments))


def _with_checksums(root: Path, entry: SegmentEntry) -> SegmentEntry:
    if entry.files:
        return entry
    try:
        return replace(entry, files=checksums_below(segment_folder(root, entry.key), without=DESCRIPTION))
    except OSError:
        return entry


_SIZE_CLASSES = (range(SMALL_PAPERS), range(SMALL_PAPERS, LARGE_PAPERS))


def _segments_to_merge(manifest: Manifest, left_out: Sequence[SegmentEntry], size: range) -> tuple[SegmentEntry, ...]:
    """The smallest segments of that `size`, in the order they are listed, when there are too many."""
    candidates = (entry for entry in manifest.segments if entry.live in size and entry.size < LARGE_BYTES)
    ascending = sorted((entry for entry in candidates if entry not in left_out), key=lambda entry: entry.live)
    if len(ascending) <= MANY_SEGMENTS:
        return ()
    count, papers, size_bytes = 0, 0, 0
    for entry in ascending:
        few_left = len(ascending) - count < MANY_SEGMENTS
        has_enough = papers >= size.stop or entry.live > _MAX_SIZE_RATIO * papers
        # While many are left there is no use in a segment that would only have to be made one with the next.
        if papers >= LARGE_PAPERS or size_bytes >= LARGE_BYTES or (few_left and has_enough):
            break
        count, papers, size_bytes = count + 1, papers + max(1, entry.live), size_bytes + entry.size
    chosen = {entry.key for entry in ascending[:count]}
    return tuple(entry for entry in manifest.segments if entry.key in chosen)


@dataclass(frozen=True, slots=True)
class MergedTables:
    """The result of merging the databases of several segments."""

    contents: SegmentContents
    kept: tuple[tuple[bool, ...], ...]
    """Per source, for each of its full texts in order, whether it was copied."""


def compact_into(folder: Path, sources: Sequence[SourceSegment]) -> MergedTables:
    """Fills the database in `folder` with the live rows and the full texts of `sources`, renumbered in order.

    Of two texts of one paper and one origin the older is let go: nothing reads it any more. What the user wrote about
    it is in the journal with its own words, and is looked for in the newer one.
    """
    cursor = connect(threads=2, memory_mb=512)
    with translate_errors(folder):
        attach_new(cursor, folder / DATABASE, "fresh")
        run_scripts(cursor, "fresh", scripts())
        for table in SORT_ORDERS:
            # Collected aside: sorted tables of several segments are sorted only as a whole.
            cursor.execute(f"CREATE TEMP TABLE {table}_lines AS SELECT * FROM fresh.{table}")
        layout = {table: tuple(columns(cursor, "fresh", table)) for table in tables(cursor, "fresh")}
        rows, docs = 0, 0
        kept_rows: list[tuple[bool, ...]] = []
        for source, superseded in zip(sources, _superseded_texts(cursor, sources), strict=True):
            attach_read_only(cursor, source.folder / DATABASE, "old")
            _copy(cursor, layout, source, first=(rows, docs), superseded=superseded)
            kept_rows.append(tuple(doc not in superseded for (doc,) in cursor.execute(_TEXTS_SQL).fetchall()))
            rows, docs = (
                _select_number(cursor, "count(*)", "paper"),
                _select_number(cursor, "coalesce(max(doc) + 1, 0)", "document"),
            )
            cursor.execute("DETACH old")
        for table, order in SORT_ORDERS.items():
            cursor.execute(f"INSERT INTO fresh.{table} SELECT * FROM {table}_lines ORDER BY {order}")
        return MergedTables(close_database(cursor, "fresh"), tuple(kept_rows))


def _superseded_texts(cursor: Cursor, sources: Sequence[SourceSegment]) -> list[set[int]]:
    """Per source, its full texts that a newer one of the same paper and origin in any of `sources` replaces."""
    cursor.execute(
        "CREATE TEMP TABLE seen (source INTEGER, doc INTEGER, paper VARCHAR, origin VARCHAR, stored VARCHAR)"
    )
    for number, source in enumerate(sources):
        attach_read_only(cursor, source.folder / DATABASE, "old")
        cursor.execute("INSERT INTO seen SELECT ?, doc, paper, origin, stored FROM old.document", [number])
        cursor.execute("DETACH old")
    older: list[set[int]] = [set() for _ in sources]
    for number, doc in cursor.execute(_OLDER_SQL).fetchall():
        older[number].add(doc)
    return older


def _copy(
    cursor: Cursor,
    layout: Mapping[str, Sequence[str]],
    source: SourceSegment,
    *,
    first: tuple[int, int],
    superseded: Collection[int],
) -> None:
    """Copies everything of `source`, attached as `old`, except the full texts `superseded`.

    `first` are the numbers of its first row and document.
    """
    rows, docs = first
    left_out = f" WHERE doc NOT IN ({', '.join(map(str, sorted(superseded)))})" if superseded else ""
    cursor.execute(
        "CREATE OR REPLACE TEMP TABLE renumbered AS SELECT row AS old, ? + row_number() OVER (ORDER BY row) - 1 AS new"
        " FROM old.paper WHERE row NOT IN (SELECT unnest(?::INTEGER[]))",
        [rows, list(source.shadowed)],
    )
    for table, names in layout.items():
        if "row" in names:
            chosen = ", ".join("new AS row" if name == "row" else name for name in names)
            # What is sorted by something other than its row is sorted once all is there.
            target = f"{table}_lines" if table in SORT_ORDERS else f"fresh.{table}"
            cursor.execute(
                f"INSERT INTO {target} SELECT {chosen} FROM old.{table} JOIN renumbered ON row = old ORDER BY new"
            )
        elif "doc" in names:
            chosen = ", ".join(f"doc + {docs} AS doc" if name == "doc" else name for name in names)
            # Unsorted: they are in order already, and sorting would need all full texts in memory.
            cursor.execute(f"INSERT INTO fresh.{table} SELECT {chosen} FROM old.{table}{left_out}")
        else:
            cursor.execute(f"INSERT INTO fresh.{table} SELECT * FROM old.{table}")


def _select_number(cursor: Cursor, expression: str, table: str) -> int:
    row = cursor.execute(f"SELECT {expression} FROM fresh.{table}").fetchone()
    assert row is not None
    return int(row[0])


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
