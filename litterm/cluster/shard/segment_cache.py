"""The segments a node has fetched: each once, under its key, checked against its checksums."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import copyfileobj, rmtree
from typing import TYPE_CHECKING
from uuid import uuid4

from litterm.core.checksums import clear_damage, find_fault
from litterm.core.errors import ClusterError, IndexDamaged, SegmentGone
from litterm.library.index.records import RECORDS_FILE
from litterm.library.index.verification import INDEX_FOLDER
from litterm.library.segments.manifest import DATABASE

if TYPE_CHECKING:
    from litterm.model.library import FileChecksum, Segment

_FILE_SCHEME = "file://"
_NOT_SEARCHED = (DATABASE, f"{INDEX_FOLDER}/{RECORDS_FILE}")
"""Files of a segment that ranking does not read."""


class SegmentCache:
    """The segments that this node has fetched; several processes of a node may share one folder."""

    def __init__(self, folder: Path, source: str) -> None:
        """`source` is the URL of the folder with all segments, in any form that fsspec knows."""
        self.folder = folder
        self._source = source.rstrip("/")
        self._inodes: dict[tuple[str, str], int] = {}
        """By segment and file, what this process uses and has not verified; what it fetches it verifies at once."""
        self._verified: set[tuple[str, str]] = set()

    def fetch_index(self, segment: Segment) -> Segment:
        """`segment` with its index on this node, but for the packed records: results are read where they are shown.

        Raises:
            SegmentGone: it is no longer where the library lies.
            IndexDamaged: what came is not what was published.
        """
        return self._ensure_files(segment, [file for file in segment.files if file.name not in _NOT_SEARCHED])

    def fetch_database(self, segment: Segment) -> Segment:
        """`segment` with its papers on this node.

        Raises:
            SegmentGone, IndexDamaged: as `fetch_index`.
        """
        return self._ensure_files(segment, [file for file in segment.files if file.name == DATABASE])

    def remove_damaged(
        self, segments: Iterable[Segment], *, again: bool = False, pause_s: float = 0.0
    ) -> tuple[Path, ...]:
        """Verifies the files of `segments` that lay here before this process, each once; returns those to open again.

        A damaged one is removed, so that it is fetched again; one that another process has replaced meanwhile is in
        use here as it was. With `again` all files that are here are read; reading pauses after each megabyte.
        """
        stale: list[Path] = []
        for segment in segments:
            folder = self.folder / segment.key
            for file in segment.files:
                name, path = (segment.key, file.name), folder / file.name
                inode = self._inodes.pop(name, None)
                if inode is None and not (again and path.exists()):
                    continue
                self._verified.add(name)
                if find_fault(folder, file, full=True, pause_s=pause_s):
                    path.unlink(missing_ok=True)
                    clear_damage(folder)
                    stale.append(path)
                elif inode is not None and path.stat().st_ino != inode:
                    stale.append(path)
        return tuple(stale)

    def _ensure_files(self, segment: Segment, files: Iterable[FileChecksum]) -> Segment:
        if not segment.files:
            raise ClusterError(
                f"Segment {segment.key} has no checksums: an older litterm wrote it; any `litterm add` adds them."
            )
        folder = self.folder / segment.key
        for file in files:
            try:
                inode = (folder / file.name).stat().st_ino
            except FileNotFoundError:
                self._fetch(segment.key, file, folder)
                self._verified.add((segment.key, file.name))
            else:
                if (segment.key, file.name) not in self._verified:
                    self._inodes.setdefault((segment.key, file.name), inode)
        return replace(segment, folder=folder)

    def _fetch(self, key: str, file: FileChecksum, folder: Path) -> None:
        """One file, put in its place when it is whole."""
        target, fresh = folder / file.name, self.folder / f"{key}.{uuid4().hex}"
        (fresh / file.name).parent.mkdir(parents=True)
        try:
            self._copy(f"{self._source}/{key}/{file.name}", fresh / file.name)
            fault = find_fault(fresh, file, full=True)
            if fault:
                raise IndexDamaged(
                    f"{file.name} of segment {key} {fault} in {self._source}; copy the segment there again, or if that"
                    " is the library itself, any `litterm add` rebuilds it."
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            # Another process of this node may have been faster: its file is the same.
            (fresh / file.name).replace(target)
        finally:
            rmtree(fresh, ignore_errors=True)

    def _copy(self, url: str, target: Path) -> None:
        if url.startswith(_FILE_SCHEME):
            # On one disk a second name takes no room; published files never change.
            with suppress(OSError):
                os.link(url.removeprefix(_FILE_SCHEME), target)
                return
        import fsspec

        try:
            with fsspec.open(url, "rb") as source, target.open("wb") as copy:
                copyfileobj(source, copy, 1 << 20)
        except FileNotFoundError as error:
            raise SegmentGone(
                f"{url} is gone: the library has changed since, or the segment was not copied there."
            ) from error
