"""Where segments are built: small ones here and now, big ones in a child while the parser continues."""

from __future__ import annotations

from pathlib import Path
from subprocess import Popen
from typing import Final

from litterm.core.durable_files import bytes_below
from litterm.core.errors import ChildFailed
from litterm.library.lock import read_holder
from litterm.library.segments.built_segment import BuildJob, BuiltSegment, read_built_segment
from litterm.library.workers.process import Child, start_detached

SMALL_ROWS = 500
"""Up to here a segment is built in this process: starting a child takes longer."""
_SMALL_BYTES = 2_000_000
"""Of spooled lines: a few papers may come with long full texts."""
COMPACTION_LOCK: Final = "compaction.lock"
"""In the library's folder: two would do the same work."""
COMPACTION_LOG: Final = "compaction.log"
"""What the last one died of; empty or not there when nothing went wrong."""
_COMPACTION_MODULE: Final = "litterm.library.workers.compaction"


class ChildSegmentBuilder:
    """Builds segments, one at a time, in a child process that stays warm until it is closed."""

    def __init__(self, *, small_rows: int = SMALL_ROWS) -> None:
        self._small_rows = small_rows
        self._child: Child | None = None
        self._compaction: Popen[bytes] | None = None

    @property
    def embedder(self) -> str:
        """Name of the model whose vectors it makes."""
        from litterm.library.index.static_embeddings import shipped_name

        return shipped_name()

    @property
    def grouping(self) -> bool:
        """Whether it groups the vectors of large segments."""
        from litterm.library.index.vectors import can_group

        return can_group()

    @property
    def pid(self) -> int | None:
        """Of the child, if there is one."""
        return None if self._child is None else self._child.pid

    def build(self, folder: Path, *, rows: int, average_length: float | None) -> BuildJob:
        """Database and index of the spooled segment in `folder`."""
        if rows > self._small_rows or bytes_below(folder) > _SMALL_BYTES:
            return self._build_in_child(folder, average_length)
        from litterm.library.workers.segments import build

        return _FinishedJob(build(folder, average_length))

    def merge_behind(self, root: Path) -> None:
        """Has a background process merge segments of the library in `root`, unless one does already.

        Raises:
            ChildFailed: the last such process could not do it; another one tries again.
        """
        failure = last_compaction_failure(root)
        self._compaction = start_compaction(root)
        if failure:
            raise ChildFailed(failure)

    def is_merging(self, root: Path) -> bool:
        """Whether a process merges segments of the library in `root`, as far as is known on this machine."""
        # The lock has no name on it before the process has begun.
        is_running = self._compaction is not None and self._compaction.poll() is None
        return is_running or read_holder(root / COMPACTION_LOCK) is not None

    def has_index(self, folder: Path, *, vectors: bool) -> bool:
        """Whether the index of the published segment in `folder`, with or without vectors, can be read."""
        from litterm.library.index.reader import INDEX_FOLDER, is_whole

        return is_whole(folder / INDEX_FOLDER, vectors=vectors)

    def close(self) -> None:
        """Ends the child."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _build_in_child(self, folder: Path, average_length: float | None) -> BuildJob:
        from litterm.library.workers.segments import request_for

        # One that died is replaced: what it died of need not be in the next batch.
        if self._child is None or not self._child.alive:
            self.close()
            self._child = Child("segments")
        self._child.ask(request_for(folder, average_length))
        return _ChildJob(self._child)


class _FinishedJob:
    """A segment that was built at once."""

    def __init__(self, built: BuiltSegment) -> None:
        self._built = built

    def done(self) -> bool:
        return True

    def result(self) -> BuiltSegment:
        return self._built

    def cancel(self) -> None:
        return None


class _ChildJob:
    """A segment that a child is building."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._built: BuiltSegment | None = None

    def done(self) -> bool:
        return self._poll(0.0) is not None

    def result(self) -> BuiltSegment:
        while (built := self._poll(1.0)) is None:
            continue
        return built

    def _poll(self, timeout_s: float) -> BuiltSegment | None:
        if self._built is None:
            answer = self._child.poll(timeout_s)
            self._built = None if answer is None else read_built_segment(answer)
        return self._built

    def cancel(self) -> None:
        self._child.kill()


def start_compaction(root: Path) -> Popen[bytes] | None:
    """Has another process merge segments of the library in `root`, unless one does already.

    Nobody has to wait for it; `None` where there is none.
    """
    if read_holder(root / COMPACTION_LOCK) is not None:
        return None
    return start_detached(_COMPACTION_MODULE, str(root.resolve()), log=root / COMPACTION_LOG)


def last_compaction_failure(root: Path) -> str:
    """What the last compaction died of; empty if nothing went wrong."""
    try:
        return (root / COMPACTION_LOG).read_text("utf-8", "replace").strip().rpartition("\n")[2]
    except OSError:
        return ""
