"""Which segments make up the library, and how a finished one is added to them.

There is one small immutable file for each publication, and `CURRENT` names the newest. Each step of a publication (the
rename of a folder, the manifest, `CURRENT`) happens completely or not at all.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from litterm.core.checksums import files_as_json, files_from_json
from litterm.core.durable_files import (
    bytes_below,
    new_key,
    remove_tree,
    replace_file,
    sync_folder,
    translate_write_errors,
)
from litterm.core.errors import LibraryTooNew, ListLost
from litterm.core.json_fields import integer, items, mapping, number, text
from litterm.library.lock import WRITE_LOCK_FILE, WriteLock
from litterm.library.segments.schema import SCHEMA
from litterm.model.library import FileChecksum, Segment

if TYPE_CHECKING:
    from litterm.library.segments.built_segment import BuiltSegment

DATABASE = "papers.duckdb"
"""Name of the database in a segment's folder."""
LIBRARY_VERSION = 2
"""Of the library as a whole; a litterm refuses one that is higher than its own. Since 2 there is `state.db`."""
_CURRENT_FILE = "CURRENT"
_MAX_MANIFESTS = 8
"""Manifests left on disk: a reader may still be between `CURRENT` and the file it names."""
_MAX_ATTEMPTS = 3
_CHECKSUM_MARK = b',"crc":"'
"""Separates the checksum at the end of a manifest from its contents."""
_LOST_MESSAGE = (
    "The list of the segments in {root} is damaged ({why}); any `litterm add` rebuilds it from the segments."
)
_RETIRED_FOR_S = 60.0
"""How long a retired segment stays on disk for readers in the middle of a query."""


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """One segment as the manifest lists it."""

    key: str
    count: int
    """Number of rows, shadowed ones included."""
    shadowed: tuple[int, ...] = ()
    """Ascending."""
    documents: int = 0
    size: int = 0
    """Bytes on disk."""
    average_length: float = 0.0
    """The average length that its index weights were made with."""
    tokenizer: str = ""
    embedder: str = ""
    """The model that its vectors were made with; empty in a manifest of an older litterm."""
    grouped: bool = False
    """Whether its vectors can be searched without comparing every one."""
    files: tuple[FileChecksum, ...] = ()
    """Empty where an older litterm wrote it."""

    @property
    def live(self) -> int:
        """Rows that are not shadowed."""
        return self.count - len(self.shadowed)


@dataclass(frozen=True, slots=True)
class RetiredSegment:
    """A segment no longer listed, kept a while for readers that still use it."""

    key: str
    at: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The library at one moment."""

    generation: int = 0
    version: int = LIBRARY_VERSION
    """Of the litterm that published it; what is published has the newest."""
    schema: int = SCHEMA
    """Of all its segments."""
    segments: tuple[SegmentEntry, ...] = ()
    papers: int = 0
    documents: int = 0
    """Papers with a full text."""
    doubtful: int = 0
    """Pairs of papers recorded as perhaps being one."""
    by_source: tuple[tuple[str, int], ...] = ()
    """Papers per scheme of their id, the largest first."""
    average_length: float | None = None
    """That of the first segment, kept so that all later ones are weighted alike; `None` while there is none."""
    imports: str = ""
    """The last publication of imported files that counts (`litterm.library.state.imports`); empty for none."""
    earlier_import_bytes: int = 0
    """Bytes that count of the file in which a library before version 2 logs its imports."""
    retired: tuple[RetiredSegment, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedGeneration:
    """The generation that `CURRENT` names, with the checksum of its manifest."""

    generation: int
    crc: int | None = None
    """Of the manifest; `None` where an older litterm wrote it."""


def read_manifest(root: Path) -> Manifest:
    """The newest manifest; an empty one if there is no library.

    Raises:
        LibraryTooNew: written by a newer litterm.
        ListLost: no manifest tells of all segments that there are.
    """
    return read_manifest_with_fault(root)[0]


def read_manifest_with_fault(root: Path) -> tuple[Manifest, str]:
    """The newest manifest, and what is wrong with the files that list the segments; empty if nothing is.

    Raises:
        LibraryTooNew, ListLost: as `read_manifest`.
    """
    fault = ""
    for _ in range(_MAX_ATTEMPTS):
        try:
            current_name = _read_current(root)
            if current_name is not None:
                return _read(root, current_name.generation, current_name.crc), ""
            fault = "CURRENT is gone or damaged"
            break
        except FileNotFoundError as error:
            # A writer may have published twice since `CURRENT` was read.
            fault = f"{Path(error.filename).name} is gone"
        except (OSError, ValueError, KeyError, TypeError) as error:
            fault = f"a manifest cannot be read: {error}"
            break
    return _newest_readable(root, fault)


def publish(root: Path, manifest: Manifest) -> None:
    """Makes `manifest` the newest; all or nothing."""
    content = _encode(manifest)
    # The manifest first: `CURRENT` must never name a file that is not there.
    replace_file(root / _file_name(manifest.generation), content)
    line = f"{manifest.generation} {crc32(content):08x}"
    replace_file(root / _CURRENT_FILE, f"{line} {crc32(line.encode()):08x}\n".encode())
    for generation in _generations(root):
        # Last of all: until `CURRENT` is replaced, readers go by the older ones.
        if generation <= manifest.generation - _MAX_MANIFESTS:
            (root / _file_name(generation)).unlink(missing_ok=True)
    sync_folder(root)


def newest_generation(root: Path) -> int:
    """The highest generation in the names of the files in `root`; 0 without any."""
    return max(_generations(root), default=0)


def segment_keys(root: Path) -> tuple[str, ...]:
    """The segments on disk in `root`, listed or not, the oldest first."""
    folder = root / "segments"
    return tuple(sorted(path.name for path in folder.iterdir())) if folder.is_dir() else ()


def _read_current(root: Path) -> NamedGeneration | None:
    """What `CURRENT` says; `None` where it is lost or damaged."""
    try:
        words = (root / _CURRENT_FILE).read_bytes().decode("ascii", "replace").split()
    except FileNotFoundError:
        return None
    match words:
        case [digits] if digits.isdecimal():
            # Without a checksum a digit may have changed: then there is a newer manifest, whole if it is there at all.
            newer = (generation for generation in sorted(_generations(root), reverse=True) if generation > int(digits))
            return NamedGeneration(
                next((generation for generation in newer if _is_complete(root, generation)), int(digits))
            )
        case [digits, crc, own] if own == f"{crc32(f'{digits} {crc}'.encode()):08x}":
            return NamedGeneration(int(digits), int(crc, 16))
        case _:
            return None


def _newest_readable(root: Path, fault: str) -> tuple[Manifest, str]:
    """The newest undamaged manifest, if it lists every segment on disk."""
    for generation in sorted(_generations(root), reverse=True):
        try:
            manifest = _read(root, generation, None)
        except (OSError, ValueError, KeyError, TypeError):
            continue
        known = {entry.key for entry in manifest.segments} | {segment.key for segment in manifest.retired}
        # An older list would hide the papers of every segment it does not know.
        if known.issuperset(segment_keys(root)):
            return manifest, fault
        break
    if segment_keys(root):
        raise ListLost(_LOST_MESSAGE.format(root=root, why=fault))
    return Manifest(), ""


def _is_complete(root: Path, generation: int) -> bool:
    """Whether a manifest is whole and all its segments are there."""
    try:
        manifest = _read(root, generation, None)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return {entry.key for entry in manifest.segments}.issubset(segment_keys(root))


def _read(root: Path, generation: int, crc: int | None) -> Manifest:
    content = (root / _file_name(generation)).read_bytes()
    if crc is not None and crc32(content) != crc:
        raise ValueError("its checksum is not the one in CURRENT")
    body, mark, checksum = content.rpartition(_CHECKSUM_MARK)
    if mark and checksum != f'{crc32(body):08x}"}}'.encode():
        raise ValueError("its checksum is wrong")
    return _parse(mapping(json.loads(content)), root)


def _encode(manifest: Manifest) -> bytes:
    body = json.dumps(_as_json(manifest), separators=(",", ":")).encode()[:-1]
    return body + _CHECKSUM_MARK + f'{crc32(body):08x}"}}'.encode()


def _generations(root: Path) -> list[int]:
    names = (path.stem.removeprefix("manifest-") for path in root.glob("manifest-*.json"))
    return [int(name) for name in names if name.isdecimal()]


def publication_stamp(root: Path) -> tuple[int, int, int] | None:
    """Differs whenever something was published; `None` where no library is. One stat."""
    try:
        status = (root / _CURRENT_FILE).stat()
    except OSError:
        return None
    # The inode too: `CURRENT` is replaced and not rewritten, perhaps twice within one tick of the clock.
    return status.st_ino, status.st_mtime_ns, status.st_size


def segment_folder(root: Path, key: str) -> Path:
    """The folder of a published segment."""
    return root / "segments" / key


def as_segments(root: Path, manifest: Manifest) -> tuple[Segment, ...]:
    """The listed segments as readers see them."""
    return tuple(
        Segment(
            entry.key,
            segment_folder(root, entry.key),
            entry.count,
            entry.shadowed,
            entry.files,
            entry.average_length or None,
        )
        for entry in manifest.segments
    )


def _file_name(generation: int) -> str:
    return f"manifest-{generation}.json"


def _as_json(manifest: Manifest) -> dict[str, object]:
    return {
        # Under the name by which versions before 2 know the schema of the segments, which they compare.
        "schema": LIBRARY_VERSION,
        "segment_schema": manifest.schema,
        "generation": manifest.generation,
        "papers": manifest.papers,
        "documents": manifest.documents,
        "doubtful": manifest.doubtful,
        "by_source": dict(manifest.by_source),
        "average_length": manifest.average_length,
        "imports": manifest.imports,
        "ledger_bytes": manifest.earlier_import_bytes,
        "segments": [
            {
                "key": entry.key,
                "count": entry.count,
                "shadowed": _ranges(entry.shadowed),
                "documents": entry.documents,
                "size": entry.size,
                "average_length": entry.average_length,
                "tokenizer": entry.tokenizer,
                "embedder": entry.embedder,
                "grouped": entry.grouped,
                "files": files_as_json(entry.files),
            }
            for entry in manifest.segments
        ],
        "retired": [[segment.key, segment.at] for segment in manifest.retired],
    }


def _parse(fields: Mapping[str, object], root: Path) -> Manifest:
    version, schema = integer(fields["schema"]), _segment_schema(fields)
    if version > LIBRARY_VERSION or schema > SCHEMA:
        raise LibraryTooNew(
            f"The library in {root} was written by a newer litterm (version {version}.{schema}, this one knows"
            f" {LIBRARY_VERSION}.{SCHEMA}): update litterm; nothing was touched."
        )
    return _manifest(fields)


def _segment_schema(fields: Mapping[str, object]) -> int:
    return integer(fields.get("segment_schema", fields["schema"]))


def _manifest(fields: Mapping[str, object]) -> Manifest:
    length = fields["average_length"]
    return Manifest(
        generation=integer(fields["generation"]),
        version=integer(fields["schema"]),
        schema=_segment_schema(fields),
        segments=tuple(_entry(item) for item in items(fields["segments"])),
        papers=integer(fields["papers"]),
        documents=integer(fields["documents"]),
        doubtful=integer(fields["doubtful"]),
        by_source=tuple((name, integer(count)) for name, count in mapping(fields["by_source"]).items()),
        average_length=None if length is None else number(length),
        imports=text(fields.get("imports", "")),
        earlier_import_bytes=integer(fields["ledger_bytes"]),
        retired=tuple(RetiredSegment(text(key), number(time)) for key, time in map(items, items(fields["retired"]))),
    )


def _entry(raw: object) -> SegmentEntry:
    fields = mapping(raw)
    return SegmentEntry(
        key=text(fields["key"]),
        count=integer(fields["count"]),
        shadowed=_rows_of_ranges(items(fields["shadowed"])),
        documents=integer(fields["documents"]),
        size=integer(fields["size"]),
        average_length=number(fields["average_length"]),
        tokenizer=text(fields["tokenizer"]),
        embedder=text(fields.get("embedder", "")),
        grouped=bool(fields.get("grouped", False)),
        files=files_from_json(mapping(fields.get("files", {}))),
    )


def _ranges(rows: tuple[int, ...]) -> list[list[int]]:
    """Ascending numbers as half-open ranges: a re-import shadows thousands of rows in a row."""
    if not rows:
        return []
    breaks = [position for position, (row, next_row) in enumerate(pairwise(rows), 1) if next_row != row + 1]
    edges = [0, *breaks, len(rows)]
    return [[rows[first], rows[past - 1] + 1] for first, past in pairwise(edges)]


def _rows_of_ranges(runs: Iterable[object]) -> tuple[int, ...]:
    return tuple(row for first, past in map(items, runs) for row in range(integer(first), integer(past)))


def new_folder(root: Path) -> Path:
    """A fresh folder for a segment to grow in; its name becomes the segment's key."""
    folder = root / "tmp" / f"{os.getpid()}-{new_key()}"
    with translate_write_errors(folder):
        folder.mkdir(parents=True)
    return folder


def key_of(folder: Path) -> str:
    """The key of the segment that grows in `folder`."""
    return folder.name.partition("-")[2]


def promote(root: Path, folder: Path) -> str:
    """Moves a finished and synced `folder` to its place, not listed yet; returns its key."""
    key = key_of(folder)
    target = segment_folder(root, key)
    with translate_write_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        # Within one file system, so that the folder is there as a whole or not at all.
        folder.rename(target)
        sync_folder(target.parent)
    return key


def with_segment(manifest: Manifest, root: Path, key: str, built: BuiltSegment) -> Manifest:
    """`manifest` with one more segment."""
    entry = SegmentEntry(
        key=key,
        count=built.rows,
        documents=built.documents,
        size=bytes_below(segment_folder(root, key)),
        average_length=built.average_length,
        tokenizer=built.tokenizer,
        embedder=built.embedder,
        grouped=built.grouped,
        files=built.files,
    )
    # It was built with that of the library; for the first segment the library had none.
    return replace(manifest, segments=(*manifest.segments, entry), average_length=built.average_length)


def without_segments(manifest: Manifest, keys: set[str]) -> Manifest:
    """`manifest` with the segments `keys` retired."""
    now_s = time.time()
    return replace(
        manifest,
        segments=tuple(entry for entry in manifest.segments if entry.key not in keys),
        retired=(*manifest.retired, *(RetiredSegment(key, now_s) for key in sorted(keys))),
    )


def remove_leftovers(root: Path, manifest: Manifest) -> Manifest:
    """Removes what dead writers and compaction left behind; returns `manifest` without what is gone.

    Only the holder of the write lock may do this: what is in `tmp` then belongs to no running process.
    """
    remove_unfinished(root)
    return without_retired(root, manifest)


def without_retired(root: Path, manifest: Manifest) -> Manifest:
    """Removes segments that were retired some time ago; `manifest` without them. For the holder of the write lock."""
    now_s = time.time()
    # A time to come, from before the clock was set back, would otherwise be kept for as long as it was set back.
    recent = tuple(segment for segment in manifest.retired if 0 <= now_s - segment.at < _RETIRED_FOR_S)
    keys = {entry.key for entry in manifest.segments} | {segment.key for segment in recent}
    for folder in _folders(root / "segments"):
        if folder.name not in keys:
            remove_tree(folder)
    return replace(manifest, retired=recent)


def remove_unfinished(root: Path) -> None:
    """Removes every segment that was being made; for the holder of the write lock alone."""
    for folder in _folders(root / "tmp"):
        remove_tree(folder)


def _folders(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def refuse_older_versions(root: Path) -> None:
    """Publishes the list of segments anew if an older litterm wrote it, so that older ones refuse the library.

    Where another process is writing, or the list is lost, the next import does so.

    Raises:
        LibraryTooNew: a newer litterm wrote the library.
    """
    if not _is_older(root):
        return
    lock = WriteLock(root / WRITE_LOCK_FILE)
    if not lock.try_acquire():
        return
    try:
        # Again, with the lock: another process may have published meanwhile.
        if _is_older(root):
            manifest = read_manifest(root)
            publish(root, replace(manifest, generation=manifest.generation + 1))
    finally:
        lock.release()


def _is_older(root: Path) -> bool:
    try:
        manifest = read_manifest(root)
    except ListLost:
        return False
    return manifest.generation > 0 and manifest.version < LIBRARY_VERSION
