"""Migration of a library with an older schema: new segments are written next to the old ones, then published."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from litterm.core.checksums import checksums_below
from litterm.core.durable_files import bytes_below, remove_tree, sync_tree, translate_write_errors
from litterm.core.tasks import Task
from litterm.library.lock import WRITE_LOCK_FILE, WriteLock
from litterm.library.segments.built_segment import DESCRIPTION, migrate_description
from litterm.library.segments.connections import attach_new, connect, translate_errors
from litterm.library.segments.manifest import (
    DATABASE,
    Manifest,
    SegmentEntry,
    new_folder,
    promote,
    publish,
    read_manifest,
    remove_leftovers,
    segment_folder,
    without_segments,
)
from litterm.library.segments.schema import Script, scripts
from litterm.library.segments.segment import close_database, run_scripts
from litterm.model.events import Progress


def migrate(root: Path, steps: Sequence[Script] | None = None) -> Task[None]:
    """Brings the library to the last of `steps`, if it is older; waits for other writers.

    A crash leaves the old library as it was; the next call starts over.
    """
    steps = scripts() if steps is None else steps
    # Asked without the lock, and again with it: another process may have done it while this one waited.
    if read_manifest(root).schema >= steps[-1].version:
        return
    lock = WriteLock(root / WRITE_LOCK_FILE)
    yield from lock.acquire()
    try:
        manifest = read_manifest(root)
        if manifest.schema < steps[-1].version:
            fresh = yield from migrate_segments(root, remove_leftovers(root, manifest), steps)
            publish(root, replace(fresh, generation=manifest.generation + 1))
    finally:
        lock.release()


def migrate_segments(root: Path, manifest: Manifest, steps: Sequence[Script]) -> Task[Manifest]:
    """`manifest` with every segment replaced by one of the newest schema; the caller holds the write lock."""
    missing = [step for step in steps if step.version > manifest.schema]
    fresh = []
    for done, entry in enumerate(manifest.segments):
        yield Progress("updating the library", done, len(manifest.segments))
        fresh.append(_migrate_segment(root, entry, missing))
    retired = without_segments(manifest, {entry.key for entry in manifest.segments})
    return replace(retired, segments=tuple(fresh), schema=steps[-1].version)


def _migrate_segment(root: Path, entry: SegmentEntry, missing: Sequence[Script]) -> SegmentEntry:
    folder = new_folder(root)
    try:
        with translate_write_errors(folder):
            # A copy, since published files never change: readers of the old segment continue with it.
            shutil.copytree(segment_folder(root, entry.key), folder, dirs_exist_ok=True)
        cursor = connect(threads=2, memory_mb=512)
        with translate_errors(folder):
            attach_new(cursor, folder / DATABASE, "fresh")
            run_scripts(cursor, "fresh", missing)
            close_database(cursor, "fresh")
        with translate_write_errors(folder):
            migrate_description(folder, missing[-1].version)
            sync_tree(folder)
        key = promote(root, folder)
    # Also for ctrl+c: half a copy would stay until the next writer removes leftovers.
    except BaseException:
        remove_tree(folder)
        raise
    target = segment_folder(root, key)
    return replace(entry, key=key, size=bytes_below(target), files=checksums_below(target, without=DESCRIPTION))
