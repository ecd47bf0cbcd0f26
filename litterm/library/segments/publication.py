"""Publishes a finished folder: rename, manifest, `CURRENT`. Each step happens completely or not at all."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from litterm.core.durable_files import bytes_below, new_key, remove_tree, sync_folder, translate_write_errors
from litterm.library.segments.build_jobs import BuiltSegment
from litterm.library.segments.manifest import Manifest, RetiredSegment, SegmentEntry, segment_folder

_RETIRED_FOR_S = 60.0
"""How long a retired segment stays on disk for readers in the middle of a query."""


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
