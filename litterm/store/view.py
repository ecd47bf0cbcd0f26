"""The attached segments of one process: a connection in memory, a cursor a thread, segments attached and let go."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.errors import SegmentGone
from litterm.model.library import Segment, Snapshot
from litterm.store.duck import attach_read_only, connect, guarded
from litterm.store.manifest import DATABASE, as_segments, published, stamp
from litterm.store.schema import SCHEMA

if TYPE_CHECKING:
    from litterm.store.duck import Cursor
    from litterm.store.manifest import Manifest

_TRIES = 3
_THREADS = 2
_MEMORY_MB = 80
"""For blocks in use and blocks kept: an idle workbench has 300 MB in all, and with 64 fetching 20 rows takes a tenth
longer."""


class View:
    """What is published, opened for reading; every method may be called from any thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._swap = threading.RLock()
        self._local = threading.local()
        self._base: Cursor | None = None
        self._stamp: tuple[int, int, int] | None = None
        self._snapshot = Snapshot(0)
        self._looked = False
        self._handed: list[weakref.ref[Snapshot]] = []
        self._attached: dict[str, str] = {}

    def snapshot(self) -> Snapshot:
        """The newest published state; one stat when nothing changed."""
        found = stamp(self._root)
        if found == self._stamp and self._looked:
            return self._snapshot
        with self._swap:
            if found != self._stamp or not self._looked:
                self._renew()
            return self._snapshot

    def cursor(self) -> Cursor:
        """This thread's own: a connection shared by threads gives silently wrong answers."""
        cursor: Cursor | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._opened().cursor()
        return cursor

    def database(self, segment: Segment) -> str:
        """The name under which `segment` is attached.

        Raises:
            SegmentGone: it is neither attached nor on the disk any more.
        """
        name = self._attached.get(segment.key)
        if name is not None:
            return name
        with self._swap:
            return self._attach(segment)

    def select(self, segment: Segment, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """All rows of `sql`, where `{segment}` stands for the database of `segment`."""
        statement = sql.format(segment=self.database(segment))
        with guarded(segment.folder):
            return self.cursor().execute(statement, values).fetchall()

    def select_all(self, segments: Sequence[Segment], sql: str) -> list[tuple[object, ...]]:
        """All rows of `sql`, which names the databases of `segments`."""
        with guarded(segments[0].folder if len(segments) == 1 else self._root):
            return self.cursor().execute(sql).fetchall()

    def keep(self, snapshot: Snapshot) -> None:
        """Leaves the segments of `snapshot` attached as long as somebody holds it."""
        with self._swap:
            self._handed.append(weakref.ref(snapshot))

    def close(self) -> None:
        """Lets go of every file; the next call opens them again."""
        with self._swap:
            if self._base is not None:
                self._base.close()
            self._base = None
            _OPEN.discard(self)
            self._local = threading.local()
            self._attached.clear()
            self._looked = False

    def _renew(self) -> None:
        for attempt in range(1, _TRIES + 1):
            found = stamp(self._root)
            manifest = self._up_to_date()
            fresh = Snapshot(manifest.generation, as_segments(self._root, manifest))
            try:
                for segment in fresh.segments:
                    self._attach(segment)
            except SegmentGone:
                if attempt == _TRIES:
                    raise
                continue
            break
        self._handed.append(weakref.ref(self._snapshot))
        self._snapshot, self._stamp, self._looked = fresh, found, True
        self._let_go()

    def _up_to_date(self) -> Manifest:
        manifest = published(self._root)
        if manifest.schema < SCHEMA:
            # Once after an update of litterm; nothing of this schema could be read otherwise.
            from litterm.store.migration import migrate
            from litterm.tasks import run

            run(migrate(self._root))
            manifest = published(self._root)
        return manifest

    def _attach(self, segment: Segment) -> str:
        name = self._attached.get(segment.key)
        if name is None:
            path = segment.folder / DATABASE
            if not path.is_file():
                raise SegmentGone(f"The segment in {segment.folder} is gone: the library has moved on, or lost it.")
            name = f"s_{segment.key}"
            with guarded(path):
                attach_read_only(self._opened(), path, name)
            self._attached[segment.key] = name
        return name

    def _let_go(self) -> None:
        """Detaches what neither the newest snapshot nor one still in somebody's hands lists."""
        self._handed = [each for each in self._handed if each() is not None]
        kept = [self._snapshot, *(snapshot for each in self._handed if (snapshot := each()) is not None)]
        needed = {segment.key for snapshot in kept for segment in snapshot.segments}
        for key in [key for key in self._attached if key not in needed]:
            self._opened().execute(f"DETACH {self._attached.pop(key)}")

    def _opened(self) -> Cursor:
        with self._swap:
            if self._base is None:
                self._base = connect(threads=_THREADS, memory_mb=_MEMORY_MB)
                _OPEN.add(self)
            return self._base


_OPEN: weakref.WeakSet[View] = weakref.WeakSet()
"""Views that hold a connection: one that outlives the interpreter makes DuckDB's binding print a page of complaints."""


@atexit.register
def _close_all() -> None:
    for view in tuple(_OPEN):
        view.close()
