"""The version of a library as a whole, by which an older litterm knows that it must not use it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from litterm.core.errors import ListLost
from litterm.library.lock import WRITE_LOCK_FILE, WriteLock
from litterm.library.segments.manifest import LIBRARY_VERSION, publish, read_manifest


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
