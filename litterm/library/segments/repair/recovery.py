"""Rebuilds the list of segments from the descriptions in the segments, if it was lost or some cannot be read."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.durable_files import bytes_below
from litterm.core.errors import DatabaseDamaged, LibraryError, LibraryTooNew, ListLost
from litterm.core.tasks import Task
from litterm.library.lock import WRITE_LOCK_FILE, WriteLock
from litterm.library.segments.built_segment import read_description
from litterm.library.segments.connections import attach_read_only, connect, translate_errors
from litterm.library.segments.manifest import (
    DATABASE,
    Manifest,
    RetiredSegment,
    SegmentEntry,
    as_segments,
    newest_generation,
    publish,
    read_manifest,
    read_manifest_with_fault,
    segment_folder,
    segment_keys,
)
from litterm.library.segments.repair.damage import confirm_damage, set_aside
from litterm.library.segments.schema import SCHEMA
from litterm.model.events import Notice, Progress
from litterm.model.library import Segment

if TYPE_CHECKING:
    from litterm.library.segments.connections import Cursor

_REBUILT_MESSAGE = (
    "The list of the library's segments was lost or damaged; it was rebuilt from the segments themselves."
)
_LEFT_OUT_MESSAGE = "{damage} It was moved to {place}; {remedy}."
_SEVERAL_SCHEMAS_MESSAGE = (
    "The segments in {root} are of several versions and no list says which are current: restore it from a backup."
)
_PAPERS_SQL = (
    "SELECT row, split_part(id, ':', 1), hash(lower(id)), coalesce(record ->> '$.full_text' = 'true', false), ids"
    " FROM old.paper JOIN (SELECT row, list(hash(lower(id))) AS ids FROM old.alias GROUP BY row) USING (row)"
    " ORDER BY row"
)
_TEXTS_SQL = "SELECT paper, origin, max(stored) FROM old.document GROUP BY ALL"
_COUNTS_SQL = "SELECT (SELECT count(*) FROM old.paper), (SELECT count(*) FROM old.document)"
_PAIRS_SQL = "SELECT DISTINCT one, other, kind FROM old.link"


@dataclass(slots=True)
class _SegmentContents:
    """The ids and texts of one segment, which decide what rows of older segments are still current."""

    key: str
    count: int
    documents: int
    papers: list[tuple[int, str, int, bool, tuple[int, ...]]]
    """Row, scheme, hash of the id, whether there is a full text, hashes of all ids."""
    texts: dict[tuple[str, str], str]
    pairs: set[tuple[str, str, str]]
    shadowed: list[int] = field(default_factory=list)


def recover(root: Path) -> Task[None]:
    """Rebuilds the list of segments if no manifest lists all of them; a segment that cannot be read is set aside.

    Raises:
        LibraryError: nothing can be written here.
    """
    # Read again under the lock: its last holder may have rebuilt the list.
    if not _is_lost(root):
        return
    lock = WriteLock(root / WRITE_LOCK_FILE)
    yield from lock.acquire()
    try:
        if _is_lost(root):
            manifest, damaged = yield from rebuild_manifest(root, segment_keys(root))
            yield Notice(_REBUILT_MESSAGE)
            publish(root, (yield from _without(root, manifest, damaged)))
    finally:
        lock.release()


def recover_manifest(root: Path) -> Task[Manifest]:
    """The newest manifest, published once more where `CURRENT` or a manifest is damaged; the caller holds the lock."""
    manifest, fault = read_manifest_with_fault(root)
    if fault and manifest.generation:
        yield Notice(f"The list of the library's segments was damaged ({fault}); it is rewritten.")
        manifest = replace(manifest, generation=newest_generation(root) + 1)
        publish(root, manifest)
    return manifest


def without_damaged(root: Path, manifest: Manifest) -> Task[Manifest]:
    """`manifest` without segments that cannot be read, which are set aside; the caller holds the write lock.

    What such a segment had replaced in another one holds again. Every file that is imported from now on is read, also
    those that were imported before: papers of theirs may be among those that are lost.
    """
    segments = as_segments(root, manifest)
    faulty = confirm_damage(segments)
    if not faulty:
        return manifest
    bad = {damage.folder.name for damage in faulty}
    fresh, damaged = yield from rebuild_manifest(root, [segment.key for segment in segments if segment.key not in bad])
    fresh = replace(fresh, average_length=manifest.average_length, retired=(*manifest.retired, *fresh.retired))
    fresh = yield from _without(root, fresh, [*(segment for segment in segments if segment.key in bad), *damaged])
    publish(root, fresh)
    return fresh


def rebuild_manifest(root: Path, keys: Sequence[str]) -> Task[tuple[Manifest, list[Segment]]]:
    """A manifest of the segments `keys`, the oldest first, from what is in them; and those that cannot be read.

    A row is replaced by a newer one that has all its ids. A segment of which nothing holds any more, such as one that
    was compacted, is retired.
    """
    contents: list[_SegmentContents] = []
    damaged: list[Segment] = []
    for looked_at, key in enumerate(keys):
        yield Progress("looking through the library", looked_at, len(keys))
        folder = segment_folder(root, key)
        try:
            if not (folder / DATABASE).is_file():
                raise DatabaseDamaged(f"There is no {DATABASE} in {folder}.")
            contents.append(_contents(folder, key))
        except DatabaseDamaged:
            damaged.append(Segment(key, folder, 0))
    _shadow(contents)
    return _manifest(root, contents), damaged


def _is_lost(root: Path) -> bool:
    try:
        read_manifest(root)
    except ListLost:
        return True
    return False


def _without(root: Path, manifest: Manifest, damaged: Sequence[Segment]) -> Task[Manifest]:
    """Reports `damaged` and sets them aside."""
    for damage in confirm_damage(damaged, full=True):
        place = root / "damaged" / damage.folder.name
        yield Notice(_LEFT_OUT_MESSAGE.format(damage=damage, place=place, remedy=damage.remedy))
    set_aside(root, [segment.key for segment in damaged])
    return manifest


def _contents(folder: Path, key: str) -> _SegmentContents:
    cursor = connect(threads=2, memory_mb=512)
    try:
        with translate_errors(folder):
            attach_read_only(cursor, folder / DATABASE, "old")
            return _read_contents(cursor, key)
    finally:
        cursor.close()


def _read_contents(cursor: Cursor, key: str) -> _SegmentContents:
    papers = [(*row[:4], tuple(row[4])) for row in cursor.execute(_PAPERS_SQL).fetchall()]
    texts = {(paper, origin): stored for paper, origin, stored in cursor.execute(_TEXTS_SQL).fetchall()}
    pairs = set(cursor.execute(_PAIRS_SQL).fetchall())
    counts = cursor.execute(_COUNTS_SQL).fetchone()
    assert counts is not None
    return _SegmentContents(key, counts[0], counts[1], papers, texts, pairs)


def _shadow(contents: Sequence[_SegmentContents]) -> None:
    """Fills in which rows a newer segment has replaced."""
    newer: dict[int, list[tuple[int, ...]]] = {}
    # Keys sort by time: what comes later in the list was written later.
    for content in reversed(contents):
        alive = []
        for row, _, own_id, _, ids in content.papers:
            # By all ids and not by one: two papers may share an alias, and neither replaces the other.
            if any(set(ids).issubset(other) for other in newer.get(own_id, ())):
                content.shadowed.append(row)
            else:
                alive.append(ids)
        for ids in alive:
            for paper_id in ids:
                newer.setdefault(paper_id, []).append(ids)


def _manifest(root: Path, contents: Sequence[_SegmentContents]) -> Manifest:
    kept_contents = [
        content for index, content in enumerate(contents) if not _is_superseded(content, contents[index + 1 :])
    ]
    alive = [paper for entry_contents in kept_contents for paper in _live_rows(entry_contents)]
    sources = Counter(scheme for _, scheme, _, _, _ in alive)
    entries = tuple(_entry(root, entry_contents) for entry_contents in kept_contents)
    now_s, retired_keys = (
        time.time(),
        {content.key for content in contents} - {entry_contents.key for entry_contents in kept_contents},
    )
    return Manifest(
        generation=newest_generation(root) + 1,
        schema=_schema(root, kept_contents),
        segments=entries,
        papers=len(alive),
        documents=sum(full for _, _, _, full, _ in alive),
        doubtful=len(
            {pair for entry_contents in kept_contents for pair in entry_contents.pairs if pair[2] == "doubtful"}
        ),
        by_source=tuple(sorted(sources.items(), key=lambda entry_contents: (-entry_contents[1], entry_contents[0]))),
        average_length=next((entry.average_length for entry in entries if entry.average_length), None),
        # Nothing vouches for the list of imported files: each is read once more, and found to be there.
        imports="",
        retired=tuple(RetiredSegment(key, now_s) for key in sorted(retired_keys)),
    )


def _live_rows(contents: _SegmentContents) -> Iterator[tuple[int, str, int, bool, tuple[int, ...]]]:
    shadowed = set(contents.shadowed)
    return (paper for paper in contents.papers if paper[0] not in shadowed)


def _is_superseded(contents: _SegmentContents, newer: Sequence[_SegmentContents]) -> bool:
    """Whether all that a segment holds is in newer ones too."""
    if len(contents.shadowed) < contents.count:
        return False
    texts = all(
        any(stored <= newer_one.texts.get(key, "") for newer_one in newer) for key, stored in contents.texts.items()
    )
    return texts and contents.pairs.issubset({pair for newer_one in newer for pair in newer_one.pairs})


def _entry(root: Path, contents: _SegmentContents) -> SegmentEntry:
    folder = segment_folder(root, contents.key)
    shadowed = tuple(contents.shadowed)
    plain = SegmentEntry(contents.key, contents.count, shadowed, contents.documents, size=bytes_below(folder))
    description = read_description(folder)
    if description is None or description.built.rows != contents.count:
        # Of no tokenizer that is in use: its index is made again by the next import.
        return plain
    built = description.built
    entry = replace(plain, average_length=built.average_length, tokenizer=built.tokenizer)
    return replace(entry, embedder=built.embedder, grouped=built.grouped, files=built.files)


def _schema(root: Path, contents: Sequence[_SegmentContents]) -> int:
    descriptions = [read_description(segment_folder(root, content.key)) for content in contents]
    schemas = {1 if description is None else description.schema for description in descriptions} or {SCHEMA}
    if max(schemas) > SCHEMA:
        raise LibraryTooNew(f"The library in {root} was written by a newer litterm: update litterm.")
    if len(schemas) > 1:
        raise LibraryError(_SEVERAL_SCHEMAS_MESSAGE.format(root=root))
    return schemas.pop()
