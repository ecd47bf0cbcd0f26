"""The published segments of a library, attached to one connection in memory, with a cursor for each thread."""

from __future__ import annotations

import atexit
import logging
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.checksums import CONTENT_FAULT, find_faults, find_header_fault, mark_damaged, read_damage
from litterm.core.errors import (
    DatabaseDamaged,
    LibraryError,
    ListLost,
    OutOfMemory,
    SegmentDamaged,
    SegmentGone,
)
from litterm.library.index.records import RECORDS_FILE
from litterm.library.index.verification import INDEX_FOLDER
from litterm.library.segments.connections import attach_read_only, connect, translate_errors
from litterm.library.segments.manifest import DATABASE, as_segments, publication_stamp, read_manifest, segment_keys
from litterm.library.segments.schema import SCHEMA
from litterm.model.library import Segment, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from litterm.library.index.records import PackedRecords
    from litterm.library.segments.connections import Cursor
    from litterm.library.segments.manifest import Manifest
    from litterm.library.segments.repair.damage import Damage

_log = logging.getLogger(__name__)
_MAX_ATTEMPTS = 3
"""Manifests read before a segment that is not on the disk counts as lost: a compaction may end in between."""
_RECORDS_NAME = f"{INDEX_FOLDER}/{RECORDS_FILE}"
_THREADS = 2
_MEMORY_MB = 80
"""For blocks in use and blocks kept: an idle workbench has 300 MB in all, and with 64 fetching 20 rows takes a tenth
longer."""
_FIRST_MEMORY_MB = 40
"""The same for the first statements: a command ends before it reads a block again."""
_FIRST_STATEMENTS = 500
"""`litterm cite` has a hundred."""
_MAX_MEMORY_MB = 1024
"""For a statement that needs more: a row may hold a text of many megabytes."""


class LibraryView:
    """The published segments, opened for reading; every method may be called from any thread."""

    def __init__(self, root: Path, open_records: Callable[[Segment], PackedRecords | None] | None = None) -> None:
        """`open_records` opens the packed records of a segment, where something watches over what is opened."""
        self._root = root
        self._open_records = open_records
        self._records: dict[str, PackedRecords | None] = {}
        # Reentrant: looking again attaches segments, and attaching opens the connection.
        self._lock = threading.RLock()
        self._local = threading.local()
        self._connection: Cursor | None = None
        self._memory_mb = _FIRST_MEMORY_MB
        self._statements = 0
        self._published_stamp: tuple[int, int, int] | None = None
        self._snapshot = Snapshot(0)
        # Off where the stamp alone would say that nothing has changed: after a segment turned out to be damaged.
        self._is_fresh = False
        self._snapshots_in_use: list[weakref.ref[Snapshot]] = []
        self._attached: dict[str, str] = {}
        self._damaged: dict[str, Damage] = {}

    def snapshot(self) -> Snapshot:
        """The newest published state; one stat when nothing changed."""
        current = publication_stamp(self._root)
        if current == self._published_stamp and self._is_fresh:
            return self._snapshot
        with self._lock:
            if current != self._published_stamp or not self._is_fresh:
                self._refresh()
            return self._snapshot

    def cursor(self) -> Cursor:
        """The cursor of this thread; a connection shared by threads silently gives wrong answers."""
        cursor: Cursor | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._open_connection().cursor()
        return cursor

    def database(self, segment: Segment) -> str:
        """The name under which `segment` is attached.

        Raises:
            SegmentGone: it is neither attached nor on the disk any more.
            SegmentDamaged: it cannot be read.
        """
        # Without the lock for those that are attached, which are nearly all.
        name = self._attached.get(segment.key)
        if name is not None:
            return name
        with self._lock:
            if self._connection is None:
                # With the first all others, which stay open for this snapshot though a compaction deletes them.
                for other in self._snapshot.segments:
                    with suppress(SegmentDamaged, SegmentGone):
                        self._attach(other)
            return self._attach(segment)

    def records(self, segment: Segment) -> PackedRecords | None:
        """The packed records of `segment`; `None` where only the database has them.

        Raises:
            SegmentGone: its files are no longer there.
        """
        if segment.key in self._records:
            # Another thread may let go of it meanwhile.
            return self._records.get(segment.key)
        records = self._records[segment.key] = self._record_opener()(segment)
        return records

    def leave_records(self, segment: Segment, fault: str) -> None:
        """From now on reads the records of `segment` from its database; noted on the disk for the next import."""
        _log.warning("the packed records of %s are damaged: %s", segment.folder, fault)
        self._records[segment.key] = None
        mark_damaged(segment.folder, read_damage(segment.folder) | {_RECORDS_NAME: CONTENT_FAULT})

    def _record_opener(self) -> Callable[[Segment], PackedRecords | None]:
        if self._open_records is None:
            # Imported with the first record: numpy takes its time, and a command may look at no record.
            from litterm.library.index.reader import IndexFolder

            self._open_records = IndexFolder().records
        return self._open_records

    def select(self, segment: Segment, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """All rows of `sql`, in which `{segment}` is replaced by the database of `segment`.

        Raises:
            SegmentGone, SegmentDamaged: as `database`; the next snapshot goes without it.
            OutOfMemory: even a lot of memory is too little.
        """
        statement = sql.format(segment=self.database(segment))
        try:
            return self._fetch_rows(segment.folder, statement, values)
        except DatabaseDamaged as error:
            raise self._mark_damaged(segment, error) from error

    def select_all(
        self, parts: Sequence[tuple[Segment, str]], values: Sequence[object] = ()
    ) -> list[tuple[object, ...]]:
        """All rows of several statements, each about one segment: what a statement costs is mostly its planning.

        `values` are those of each statement.

        Raises:
            SegmentGone, SegmentDamaged, OutOfMemory: as `select`.
        """
        if not parts:
            return []
        statements = [sql.format(segment=self.database(segment)) for segment, sql in parts]
        try:
            return self._fetch_rows(self._root, " UNION ALL ".join(statements), [*values] * len(parts))
        except DatabaseDamaged:
            # One by one it turns out whose it is.
            return [row for segment, sql in parts for row in self.select(segment, sql, values)]

    def damaged_segments(self) -> tuple[Damage, ...]:
        """Segments of the newest publication that cannot be read, as far as that has been found out."""
        self.snapshot()
        return tuple(self._damaged.values())

    def known_damage(self, manifest: Manifest) -> tuple[Damage, ...]:
        """Segments of `manifest` that cannot be read, as far as is known without opening any."""
        from litterm.library.segments.repair.damage import damage_of

        segments = as_segments(self._root, manifest)
        return tuple(damage for segment in segments if (damage := self._damaged.get(segment.key) or damage_of(segment)))

    def manifest(self) -> Manifest:
        """The newest list of segments, made again where it was lost.

        Raises:
            LibraryTooNew: a newer litterm wrote it.
        """
        try:
            return read_manifest(self._root)
        except ListLost:
            return self._recover_manifest()

    def keep(self, snapshot: Snapshot) -> None:
        """Keeps the segments of `snapshot` attached as long as it is referenced."""
        with self._lock:
            self._snapshots_in_use.append(weakref.ref(snapshot))

    def close(self) -> None:
        """Closes every file; the next call opens them again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            _open_views.discard(self)
            self._local = threading.local()
            self._attached.clear()
            self._records.clear()
            self._damaged.clear()
            self._is_fresh = False

    def _refresh(self) -> None:
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            current = publication_stamp(self._root)
            manifest = self._migrated_manifest()
            try:
                # A segment that is gone has been compacted away, unless it is missed again and again.
                readable = self._attach_readable(as_segments(self._root, manifest), last=attempt == _MAX_ATTEMPTS)
            except SegmentGone:
                continue
            break
        fresh = Snapshot(manifest.generation, readable)
        # Weak: a query that holds the old snapshot keeps its segments attached, and nothing else does.
        self._snapshots_in_use.append(weakref.ref(self._snapshot))
        self._snapshot, self._published_stamp, self._is_fresh = fresh, current, True
        self._detach_unused()

    def _migrated_manifest(self) -> Manifest:
        manifest = self.manifest()
        if manifest.schema < SCHEMA:
            # Once after an update of litterm; nothing of this schema could be read otherwise.
            from litterm.core.tasks import run
            from litterm.library.segments.migration import migrate

            run(migrate(self._root))
            manifest = read_manifest(self._root)
        return manifest

    def _recover_manifest(self) -> Manifest:
        """Once after the list of segments was lost: made again on the disk, or where that is shut for this process."""
        from litterm.core.tasks import run
        from litterm.library.segments.repair.recovery import rebuild_manifest, recover

        try:
            run(recover(self._root))
            return read_manifest(self._root)
        except (LibraryError, OSError):
            return run(rebuild_manifest(self._root, segment_keys(self._root)))[0]

    def _attach_readable(self, segments: Sequence[Segment], *, last: bool) -> tuple[Segment, ...]:
        """Those of `segments` that can be read, attached."""
        keys = {segment.key for segment in segments}
        self._damaged = {key: damage for key, damage in self._damaged.items() if key in keys}
        for segment in segments:
            if segment.key in self._damaged:
                continue
            try:
                self._attach_if_needed(segment)
            except SegmentDamaged:
                continue
            except SegmentGone:
                if not last:
                    raise
                self._damaged[segment.key] = self._damage(segment, "is gone")
        return tuple(segment for segment in segments if segment.key not in self._damaged)

    def _fetch_rows(self, path: Path, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        cursor = self.cursor()
        self._statements += 1
        if self._memory_mb < _MEMORY_MB and self._statements > _FIRST_STATEMENTS:
            self._memory_mb = _MEMORY_MB
            with self._lock, translate_errors(path):
                cursor.execute(f"SET memory_limit = '{_MEMORY_MB}MB'")
        try:
            with translate_errors(path):
                return cursor.execute(statement, values).fetchall()
        except OutOfMemory:
            pass
        # One at a time may use so much; the others get along with less as before.
        with self._lock, translate_errors(path):
            cursor.execute(f"SET memory_limit = '{_MAX_MEMORY_MB}MB'")
            try:
                return cursor.execute(statement, values).fetchall()
            finally:
                # Refused while other threads hold more than that: then the next one takes it back.
                with suppress(LibraryError), translate_errors(path):
                    cursor.execute(f"SET memory_limit = '{self._memory_mb}MB'")

    def _mark_damaged(self, segment: Segment, error: LibraryError) -> SegmentDamaged:
        """Leaves `segment` out from the next snapshot on, here and in other processes."""
        from litterm.library.segments.repair.damage import mark_segment

        fault = str(error.__cause__ or error).partition("\n")[0]
        mark_segment(segment, fault)
        with self._lock:
            damage = self._damaged[segment.key] = self._damage(segment, fault)
            self._is_fresh = False
        return SegmentDamaged(f"{damage} The others can be read; `litterm doctor` tells what was in it.")

    def _damage(self, segment: Segment, fault: str) -> Damage:
        from litterm.library.segments.repair.damage import damage_with_contents

        return damage_with_contents(segment, fault)

    def _attach_if_needed(self, segment: Segment) -> None:
        """Attaches `segment`, unless its records are packed and nothing has needed a database so far.

        Importing DuckDB takes a tenth of a second, a third of what a command that searches takes.
        """
        is_packed = any(file.name == _RECORDS_NAME for file in segment.files)
        if self._connection is not None or not is_packed:
            self._attach(segment)
            return
        self._check_database(segment)
        # What DuckDB would see when it opens the file.
        for file in segment.files:
            if file.name == DATABASE and (fault := find_header_fault(segment.folder, file)):
                raise self._mark_damaged(segment, DatabaseDamaged(fault))

    def _attach(self, segment: Segment) -> str:
        name = self._attached.get(segment.key)
        if name is None:
            self._check_database(segment)
            path = segment.folder / DATABASE
            # An identifier may not begin with a digit, as keys do.
            name = f"s_{segment.key}"
            try:
                with translate_errors(path):
                    attach_read_only(self._open_connection(), path, name)
            except DatabaseDamaged as error:
                raise self._mark_damaged(segment, error) from error
            self._attached[segment.key] = name
        return name

    def _check_database(self, segment: Segment) -> None:
        """Whether its database is there with the size it was published with, and was not found damaged before.

        Raises:
            SegmentGone: it is not there.
            SegmentDamaged: it is something else.
        """
        if not (segment.folder / DATABASE).is_file():
            raise SegmentGone(f"The segment in {segment.folder} is gone: the library has changed since, or lost it.")
        files = [file for file in segment.files if file.name == DATABASE]
        for fault in find_faults(segment.folder, files).values():
            raise self._mark_damaged(segment, DatabaseDamaged(fault))

    def _detach_unused(self) -> None:
        """Detaches segments that are neither in the newest snapshot nor in one that is still referenced."""
        self._snapshots_in_use = [reference for reference in self._snapshots_in_use if reference() is not None]
        in_use = [
            self._snapshot,
            *(snapshot for reference in self._snapshots_in_use if (snapshot := reference()) is not None),
        ]
        needed = {segment.key for snapshot in in_use for segment in snapshot.segments}
        # An attached file stays open, though a compaction has deleted it: its room would never come back.
        for key in [key for key in self._records if key not in needed]:
            self._records.pop(key, None)
        for key in [key for key in self._attached if key not in needed]:
            self._open_connection().execute(f"DETACH {self._attached.pop(key)}")

    def _open_connection(self) -> Cursor:
        with self._lock:
            if self._connection is None:
                # Opened with the first question: importing DuckDB takes a tenth of a second.
                self._connection = connect(threads=_THREADS, memory_mb=self._memory_mb)
                _open_views.add(self)
            return self._connection


_open_views: weakref.WeakSet[LibraryView] = weakref.WeakSet()
"""Views that hold a connection: one that outlives the interpreter makes DuckDB's binding print a page of complaints."""


@atexit.register
def _close_all() -> None:
    for view in tuple(_open_views):
        view.close()
