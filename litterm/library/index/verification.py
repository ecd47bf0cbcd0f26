"""Compares the files of indexes with their checksums beside other work, and remembers which were compared.

Reading an index to its end before each search would cost more than the search. A command compares what it opens; a
process that goes on, as the workbench, compares all files of each index once, slowly.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from litterm.core.checksums import CONTENT_FAULT, mark_damaged, read_damage, read_fault_of
from litterm.core.durable_files import replace_file
from litterm.core.errors import LibraryError

if TYPE_CHECKING:
    from litterm.model.library import FileChecksum, Segment, Snapshot

INDEX_FOLDER = "index"
MEMORY_FILE = "verified.json"
"""File in the cache folder that remembers what was compared."""
MAX_WAIT_S = 0.1
"""That a command waits at its end: in this time 180 MB are compared, the index of 120,000 papers."""
_CHUNK_BYTES = 1 << 19
_PAUSE_S = 0.01
"""Between two chunks in a process that goes on: some 50 MB/s, a twentieth of a core."""
_FIRST_PAUSE_S = 0.5
"""Before the first chunk in such a process: the first screen is drawn meanwhile."""
_END_PAUSE_S = 0.05
"""For the chunk in progress when the process ends."""
_MAX_AGE_DAYS = 30
"""After which a file counts as not compared: a disk may lose bits later, too."""
_MAX_MEMORY_BYTES = 16_000_000
"""A larger memory is not ours."""
_SECONDS_PER_DAY = 86_400
_MAX_NAMED = 3
"""Damaged files that a notice names; `litterm doctor` names all."""


@dataclass(frozen=True, slots=True)
class _Comparison:
    """How far a file was compared."""

    state: tuple[int, int, int]
    """Inode, size and time of change of the file: those of another file differ."""
    expected: int
    """The checksum that it was published with."""
    offset: int = 0
    """Bytes read so far; a large file is read by several commands."""
    crc: int = 0
    """The checksum of those."""
    day: int = 0
    """Of the last byte read, in days since 1970."""

    @property
    def is_done(self) -> bool:
        """Whether the file was read to its end."""
        return self.offset >= self.state[1]

    @property
    def is_sound(self) -> bool:
        """Whether it is what was published."""
        return self.is_done and self.crc == self.expected


class ComparedFiles:
    """What was compared, by path; kept in a file of the user that may be lost, damaged or read-only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._comparisons: dict[str, _Comparison] | None = None
        self._changed: dict[str, _Comparison] = {}

    def get(self, path: str, file: FileChecksum, state: tuple[int, int, int]) -> _Comparison:
        """How far the file at `path`, published as `file` and now in `state`, was compared."""
        if self._comparisons is None:
            self._comparisons = _read_comparisons(self._path)
        known = self._changed.get(path) or self._comparisons.get(path)
        if known is None or (known.state, known.expected) != (state, file.crc):
            return _Comparison(state, file.crc)
        return known if abs(_today() - known.day) <= _MAX_AGE_DAYS else _Comparison(state, file.crc)

    def put(self, path: str, comparison: _Comparison) -> None:
        """Remembers a comparison, on the disk with the next `save`."""
        self._changed[path] = replace(comparison, day=_today())

    def save(self) -> None:
        """Adds what is new to the file, together with what other processes have compared meanwhile."""
        if not self._changed:
            return
        changed, self._changed = self._changed, {}
        self._comparisons = {**_read_comparisons(self._path), **changed}
        lines = {
            path: [*each.state, each.expected, each.offset, each.crc, each.day]
            for path, each in self._comparisons.items()
            # Segments that were compacted away are forgotten.
            if path in changed or Path(path).exists()
        }
        # Where it cannot be written, the next process compares again.
        with suppress(OSError, LibraryError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, json.dumps(lines).encode(), private=True)


class IndexVerifier:
    """Compares the files of opened indexes in a thread of its own; any thread may call its methods."""

    def __init__(self, root: Path, memory: Path) -> None:
        """Of the library in `root`; `memory` is the file that remembers what was compared."""
        self._root = root.absolute()
        self._memory = ComparedFiles(memory)
        # Reentrant, as what is compared is remembered under it.
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._is_lasting = False
        self._wait_left_s = MAX_WAIT_S
        self._queued: set[tuple[str, str]] = set()
        self._pending: deque[tuple[Segment, FileChecksum]] = deque()
        self._damage: dict[str, dict[str, str]] = {}
        """By segment and file, what is wrong."""
        self._thread: threading.Thread | None = None

    def verify_all(self) -> None:
        """From now on compares every file of each index that is opened, slowly, whatever other processes compared.

        For a process that goes on: nothing waits for the result, which `notice` has as soon as it is known.
        """
        self._is_lasting = True

    def add_opened(self, segment: Segment, names: Iterable[str], marked: Mapping[str, str]) -> None:
        """Takes note that the files `names` of the index of `segment` are in use.

        `marked` are those that another process has found damaged, with what is wrong.
        """
        wanted = {f"{INDEX_FOLDER}/{name}" for name in names}
        files = [
            file
            for file in segment.files
            if file.name in wanted or (self._is_lasting and file.name.startswith(f"{INDEX_FOLDER}/"))
        ]
        with self._lock:
            if marked:
                self._damage.setdefault(segment.key, {}).update(marked)
            fresh = [file for file in files if (segment.key, file.name) not in self._queued]
            self._queued.update((segment.key, file.name) for file in fresh)
            pending = [
                (segment, file) for file in fresh if file.name not in marked and self._needs_reading(segment, file)
            ]
            if pending:
                self._pending.extend(pending)
                self._start()

    def damage(self, segments: Iterable[Segment]) -> tuple[str, ...]:
        """The damaged files of `segments` as far as is known, each with what is wrong; paths are below the library."""
        with self._lock:
            return tuple(
                f"{self._shown_name(segment, name)} {fault}"
                for segment in segments
                for name, fault in sorted(self._damage.get(segment.key, {}).items())
            )

    def notice(self, snapshot: Callable[[], Snapshot]) -> str:
        """A sentence that names the damaged files of the newest snapshot as far as is known; else empty."""
        self._wait_for_command()
        return damage_sentence(self.damage(snapshot().segments)) if self._damage else ""

    def wait(self, limit_s: float) -> bool:
        """Waits for the comparisons in progress; whether they are done."""
        return self._idle.wait(limit_s)

    def close(self) -> None:
        """Ends the thread, and remembers what was compared so far; the rest is for another process."""
        self._stop.set()
        thread = self._thread
        if thread is not None:
            thread.join(_END_PAUSE_S)
        with self._lock:
            self._memory.save()

    def _wait_for_command(self) -> None:
        """Waits for comparisons in progress, for a tenth of a second in all; not in a process that goes on."""
        if not self._is_lasting and not self._idle.is_set() and self._wait_left_s > 0:
            started = time.monotonic()
            self._idle.wait(self._wait_left_s)
            self._wait_left_s -= time.monotonic() - started

    def _needs_reading(self, segment: Segment, file: FileChecksum) -> bool:
        """Whether `file` has to be read; one known to be damaged is noted."""
        try:
            path = _path_of(segment, file)
            known = self._memory.get(str(path), file, _state_of(path.stat()))
        except OSError:
            # Whoever opens it says so.
            return False
        if self._is_lasting or not known.is_done:
            return True
        if not known.is_sound:
            self._note_damage(segment, file, CONTENT_FAULT)
        return False

    def _start(self) -> None:
        self._idle.clear()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="index verification", daemon=True)
            self._thread.start()
            # A daemon, as nothing may wait for a slow disk; but what was compared should not be lost.
            atexit.register(self.close)

    def _work(self) -> None:
        if self._is_lasting:
            self._stop.wait(_FIRST_PAUSE_S)
        buffer = memoryview(bytearray(_CHUNK_BYTES))
        while not self._stop.is_set():
            with self._lock:
                if not self._pending:
                    # First, as a command that waits need not wait for the disk.
                    self._idle.set()
                    self._memory.save()
                    self._thread = None
                    atexit.unregister(self.close)
                    return
                segment, file = self._pending.popleft()
            try:
                self._compare(segment, file, buffer)
            except FileNotFoundError:
                # Compacted away, or lost: whoever opens it next says so.
                continue
            except OSError as error:
                self._note_damage(segment, file, read_fault_of(error))

    def _compare(self, segment: Segment, file: FileChecksum, buffer: memoryview) -> None:
        path = _path_of(segment, file)
        with path.open("rb", buffering=0) as content:
            state = _state_of(os.fstat(content.fileno()))
            known = self._memory.get(str(path), file, state)
            # Also what a command has done in part: its part may have changed on the disk since.
            progress = known if not known.is_done and not self._is_lasting else _Comparison(state, file.crc)
            offset, crc = content.seek(progress.offset), progress.crc
            while not self._stop.is_set() and (size := content.readinto(buffer)):
                crc, offset = crc32(buffer[:size], crc), offset + size
                if self._is_lasting:
                    self._stop.wait(_PAUSE_S)
            compared = replace(progress, offset=offset, crc=crc)
            # Written to meanwhile, as nothing of ours does: then it is looked at again.
            is_same = state == _state_of(os.fstat(content.fileno()))
        if is_same:
            with self._lock:
                self._memory.put(str(path), compared)
        if is_same and compared.is_done and not compared.is_sound:
            self._note_damage(segment, file, CONTENT_FAULT)

    def _note_damage(self, segment: Segment, file: FileChecksum, fault: str) -> None:
        with self._lock:
            self._damage.setdefault(segment.key, {})[file.name] = fault
            # For the next import, which rebuilds the index.
            mark_damaged(segment.folder, read_damage(segment.folder) | {file.name: fault})

    def _shown_name(self, segment: Segment, name: str) -> str:
        """The path below the library: users of a server must not see its folders."""
        path = segment.folder.absolute() / name
        return (path.relative_to(self._root) if path.is_relative_to(self._root) else Path(segment.key, name)).as_posix()


def damage_sentence(files: Sequence[str]) -> str:
    """What damaged `files`, as `IndexVerifier.damage` names them, mean for an answer; empty without any."""
    if not files:
        return ""
    more = f", and {len(files) - _MAX_NAMED:,} more files are damaged" if len(files) > _MAX_NAMED else ""
    return (
        f"Papers may be missing or ranked wrongly: {'; '.join(files[:_MAX_NAMED])}{more}."
        " Any `litterm add` rebuilds the index."
    )


def _path_of(segment: Segment, file: FileChecksum) -> Path:
    return segment.folder.absolute() / file.name


def _state_of(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _today() -> int:
    return int(time.time() // _SECONDS_PER_DAY)


def _read_comparisons(path: Path) -> dict[str, _Comparison]:
    """What the file at `path` remembers; whatever is no comparison is passed over."""
    try:
        if path.stat().st_size > _MAX_MEMORY_BYTES:
            return {}
        lines = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(lines, dict):
        return {}
    return {name: comparison for name, line in lines.items() if (comparison := _read_comparison(line)) is not None}


def _read_comparison(line: object) -> _Comparison | None:
    match line:
        case [int(inode), int(size), int(changed), int(expected), int(offset), int(crc), int(day)]:
            comparison = _Comparison((inode, size, changed), expected, offset, crc, day)
            return comparison if 0 <= offset <= size and 0 <= crc < 1 << 32 else None
        case _:
            return None
