"""`python -m litterm.library.workers.compaction LIBRARY`: merges small segments while others read and write.

A process of its own, which continues when the command that started it has ended. It takes the write lock for the moment
in which it publishes; a writer that holds the lock for long takes in what is ready by itself. Killed, it leaves nothing
that the next one would not remove.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from litterm.core.errors import DatabaseDamaged, LittermError
from litterm.library.lock import WRITE_LOCK_FILE, WriteLock
from litterm.library.segments.manifest import as_segments, publish, read_manifest
from litterm.library.segments.repair.damage import confirm_damage
from litterm.library.segments.schema import SCHEMA
from litterm.library.workers.segment_builder import COMPACTION_LOCK, ChildSegmentBuilder
from litterm.library.writer.compaction import (
    merge_segments,
    remove_abandoned,
    remove_merged,
    take_in_merged,
    waiting_keys,
    worth_compacting,
)

_NICENESS: Final = 10
"""Searches and imports have priority."""
_POLL_S: Final = 0.2


def compact_all(root: Path) -> None:
    """Merges segments of the library in `root` as long as it is worth it; does nothing if another process does.

    Raises:
        LibraryError: a segment cannot be read, or nothing can be written.
    """
    lock, builder = WriteLock(root / COMPACTION_LOCK), ChildSegmentBuilder()
    if not lock.try_acquire():
        return
    try:
        remove_abandoned(root)
        publish_waiting(root)
        # A segment that cannot get what it lacks, such as vectors without a model, is made again once and not for ever.
        remade: set[str] = set()
        while (manifest := read_manifest(root)).schema == SCHEMA:
            groups = worth_compacting(manifest, builder.embedder, grouping=builder.grouping, remade=remade)
            if not groups:
                return
            try:
                # Imported here: the model of the vectors is only needed where there is something to make.
                from litterm.library.workers.segments import compact

                remade.add(merge_segments(root, manifest, groups[0], compact))
            except DatabaseDamaged:
                # Segments that went meanwhile are no damage; what cannot be read the next import sets aside.
                confirm_damage(as_segments(root, replace(manifest, segments=groups[0])))
                raise
            publish_waiting(root)
    finally:
        lock.release()


def publish_waiting(root: Path) -> None:
    """Publishes what is ready, or waits until a writer that holds the lock has done so."""
    while waiting_keys(root):
        lock = WriteLock(root / WRITE_LOCK_FILE)
        if not lock.try_acquire():
            time.sleep(_POLL_S)
            continue
        try:
            manifest = read_manifest(root)
            fresh, merged_segments = take_in_merged(root, manifest)
            if merged_segments:
                publish(root, replace(fresh, generation=manifest.generation + 1))
            remove_merged(root, (merged.key for merged in merged_segments))
        finally:
            lock.release()


def main(arguments: Sequence[str]) -> int:
    """Compacts the library in the folder named; 1 if it could not continue."""
    os.nice(_NICENESS)
    try:
        compact_all(Path(arguments[0]))
    except (LittermError, MemoryError) as error:
        sys.stderr.write(f"{str(error) or 'It needs more memory than is available.'}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
