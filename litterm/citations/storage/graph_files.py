"""The citation graph on disk: one line a resolved list, and its citing sentences in a file of their own.

Everything here is derived and can be made again, so nothing is ever waited for: `lists.jsonl` only grows while a
process holds the lease, readers take the lines that are whole, and a rewrite is a new file under the old name.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from litterm.citations.storage.appended_file import SMALL_FILE_BYTES, encoded_line, file_version
from litterm.citations.storage.codec import citance_from, citance_line, list_line
from litterm.citations.storage.kept_lists import KeptLists
from litterm.citations.storage.log_state import LISTS_FILE, PACK_FILE
from litterm.citations.storage.unread_count import store_unread, unread_lists
from litterm.core.durable_files import replace_file, translate_write_errors
from litterm.core.errors import LittermError, ReadOnly
from litterm.core.json_fields import mapping
from litterm.core.tasks import Task
from litterm.core.temporary_files import scratch_folder
from litterm.library.journal import append_lines
from litterm.library.lock import WriteLock, read_holder
from litterm.model.citations.graph import Citance, ReferenceListHead, ResolvedList
from litterm.model.events import Notice, Progress

LEASE_FILE = "graph.lock"
"""Name of the lock file of the process that may write."""
_PACK_SHARE = 32
"""The file is packed again when it has grown by 1/32 and by `SMALL_FILE_BYTES`."""
_MIN_GROWTH_WHILE_READING = 4 << 20
"""Bytes, instead of `SMALL_FILE_BYTES`, while a library's first lists are read: each packing takes as long as all lists
packed so far. They are about 3,000 lists, which take 35 MB of every reader until they are packed."""
_POLL_S = 0.1
_SENTENCES_FOLDER = "citances"
_SHARD_DIGITS = 2
"""Digits of a file's hash that name its folder: a single folder would hold a file for each paper."""
_FILES_PER_EVENT = 1_000


class GraphFiles:
    """Resolved reference lists in `folder`; safe from any thread. Readers never wait; who writes holds the lease."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shipped = folder / _SENTENCES_FOLDER
        """Folder of the sentences of the library itself, not of a private copy."""
        self._path = folder / LISTS_FILE
        self._lock = threading.Lock()
        self._kept = KeptLists()

    def lists(self) -> tuple[ResolvedList, ...]:
        """All lists, one for each paper, source and direction, by paper."""
        return self.read_kept().lists()

    def read_kept(self) -> KeptLists:
        """The current lists."""
        with self._lock:
            try:
                with self._path.open("rb") as file:
                    status = os.fstat(file.fileno())
                    if not self._kept.is_current(status):
                        self._kept = self._nearest_lists(file, status).read_on(file)
            except FileNotFoundError:
                self._kept = KeptLists()
            return self._kept

    def version(self) -> object:
        """Which file, and how much is in it."""
        return file_version(self._path)

    @property
    def private(self) -> bool:
        """Whether this process writes to a private copy."""
        return self._shipped.parent != self._folder

    def is_leased(self) -> bool:
        """Whether another process has the right to write, according to the owner named in the lock."""
        return read_holder(self._folder / LEASE_FILE) is not None

    def unread(self) -> int:
        """The number of lists that are not read yet; if there are none, only the existence of a file is checked."""
        return unread_lists(self._folder)

    def store_unread(self, count: int) -> None:
        """Stores the number of lists that are not read yet, for all processes."""
        store_unread(self._folder, count)

    def lease(self) -> WriteLock | None:
        """The right to write; `None` while another process, or another thread of this one, has it.

        In a library that may only be read it is one to a copy of this process alone.
        """
        lock = WriteLock(self._folder / LEASE_FILE)
        try:
            return lock if lock.try_acquire() else None
        except ReadOnly:
            self._move_to(_private_folder())
        lock = WriteLock(self._folder / LEASE_FILE)
        return lock if lock.try_acquire() else None

    def _move_to(self, folder: Path) -> None:
        """Moves all further writes to `folder`, which has what was written before, too."""
        with translate_write_errors(folder):
            for name in (LISTS_FILE, PACK_FILE):
                if (self._folder / name).exists():
                    # The pack is useful only with the lines it was made from; sentences stay where they are.
                    shutil.copy(self._folder / name, folder / name)
        self._folder, self._path = folder, folder / LISTS_FILE

    def begin(self, segments: frozenset[str]) -> None:
        """Says that lists are from now on resolved against these segments, so that a kill costs one list."""
        self._append({"against": sorted(segments)})

    def put(self, resolved: ResolvedList, citances: Sequence[Citance]) -> None:
        """Stores a list with its sentences; both are there, or neither.

        Raises:
            DiskFull: it could not be written.
        """
        path = self._sentences_path(resolved.head)
        if citances:
            lines = "\n".join(json.dumps(citance_line(citance), ensure_ascii=False) for citance in citances)
            with translate_write_errors(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            # Before the line that names the list: a kill in between leaves a file that is never read.
            replace_file(path, lines.encode("utf-8", "backslashreplace"))
            self._old_path(path).unlink(missing_ok=True)
        self._append({"list": list_line(resolved)})

    def drop(self, head: ReferenceListHead) -> None:
        """Removes a list with its sentences."""
        self._append({"drop": list(head.slot)})
        # After the line: sentences without a list are harmless, a list without its sentences would look as if it had
        # none.
        path = self._sentences_path(head)
        path.unlink(missing_ok=True)
        self._old_path(path).unlink(missing_ok=True)

    def sort_sentences(self) -> Task[None]:
        """Moves sentences that an older litterm stored in one folder into the current folders."""
        for moved, path in enumerate(_flat_files(self._folder / _SENTENCES_FOLDER), 1):
            target = path.parent / path.name[:_SHARD_DIGITS] / path.name
            with translate_write_errors(target):
                target.parent.mkdir(exist_ok=True)
                if target.exists():
                    # Of a newer list: a kill came before the older one was removed.
                    path.unlink(missing_ok=True)
                else:
                    path.replace(target)
            if moved % _FILES_PER_EVENT == 0:
                yield Progress("sorting citing sentences into folders", moved)

    def settle(self, segments: frozenset[str]) -> None:
        """Says that every stored list is up to date with these segments; rewrites a file that has grown too long."""
        settled = {"settled": sorted(segments)}
        self._append(settled)
        kept_lists = self.read_kept()
        if kept_lists.damaged or kept_lists.state.size > max(SMALL_FILE_BYTES, 4 * kept_lists.state.live):
            lines = b"".join(encoded_line({"list": list_line(resolved)}) for resolved in kept_lists.lists())
            replace_file(self._path, lines + encoded_line(settled))

    def is_pack_due(self, *, meanwhile: bool = False) -> bool:
        """Whether much was written since the lists were packed last; `meanwhile` more is going to be written."""
        size, packed = self._sizes()
        least = _MIN_GROWTH_WHILE_READING if meanwhile else SMALL_FILE_BYTES
        return size - packed > max(least, packed // _PACK_SHARE)

    def pack(self, *, meanwhile: bool = False) -> Task[None]:
        """Packs what was written since the last packing, if that is much, so that readers need not read it.

        A child does it, and nothing waits for it but who calls: without a pack the lines are read. `meanwhile` more
        is going to be written.
        """
        if not self.is_pack_due(meanwhile=meanwhile):
            return
        from litterm.library.workers.process import Child

        child = Child("citations")
        try:
            child.ask({"folder": str(self._folder)})
            while child.poll(_POLL_S) is None:
                yield Progress("indexing citations")
        except LittermError as error:
            yield Notice(f"Citations could not be indexed, so that reading them takes longer: {error}")
        finally:
            child.close()

    def citances(self, resolved: ResolvedList) -> tuple[Citance, ...]:
        """The stored sentences of a list; none if their file cannot be read."""
        path = self._sentences_path(resolved.head)
        # A copy of a read-only library holds only the sentences that were resolved again for it.
        shipped = self._shipped / path.parent.name / path.name
        # The first once more: another process may have moved them there after it was looked for.
        for file in (*dict.fromkeys((path, self._old_path(path), shipped, self._old_path(shipped))), path):
            try:
                lines = file.read_bytes().splitlines()
                return tuple(citance_from(mapping(json.loads(line)), resolved) for line in lines)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, KeyError, TypeError):
                return ()
        return ()

    def _sentences_path(self, head: ReferenceListHead) -> Path:
        name = hashlib.sha256("\n".join(head.slot).encode()).hexdigest()[:24]
        return self._folder / _SENTENCES_FOLDER / name[:_SHARD_DIGITS] / f"{name}.jsonl"

    def _old_path(self, path: Path) -> Path:
        """The path of sentences as stored by an older litterm, without folders."""
        return path.parent.parent / path.name

    def _sizes(self) -> tuple[int, int]:
        """Bytes of the lines, and how many of them are packed."""
        try:
            with self._path.open("rb") as file:
                return os.fstat(file.fileno()).st_size, self._packed_lists(file).state.size
        except FileNotFoundError:
            return 0, 0

    def _nearest_lists(self, file: BinaryIO, status: os.stat_result) -> KeptLists:
        """The lists from which the fewest lines have to be read: those known, or those packed."""
        known = self._kept if self._kept.is_continued_by(status) else None
        if known is not None and status.st_size - known.state.size <= SMALL_FILE_BYTES:
            return known
        packed = self._packed_lists(file)
        return known if known is not None and known.state.size >= packed.state.size else packed

    def _append(self, line: Mapping[str, object]) -> None:
        with translate_write_errors(self._path):
            self._folder.mkdir(parents=True, exist_ok=True)
            # Not synced: a list that a crash of the machine takes is resolved again.
            append_lines(self._path, encoded_line(line), durable=False)

    def _packed_lists(self, file: BinaryIO) -> KeptLists:
        """The packed part of the file; empty if it was never packed."""
        inode = os.fstat(file.fileno()).st_ino
        if not (self._folder / PACK_FILE).exists():
            return KeptLists(inode)
        # Importing numpy takes longer than reading a small file.
        from litterm.citations.storage.packed_lists import open_packed

        return KeptLists(inode, open_packed(self._folder, file))


def _flat_files(folder: Path) -> Iterator[Path]:
    """The files of sentences that are in `folder` itself; quick where there are none."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(".jsonl") and not entry.is_dir()]
    except OSError:
        return
    yield from (folder / name for name in sorted(names) if not name.startswith("."))


def _private_folder() -> Path:
    """A temporary folder, removed when this process ends."""
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(scratch_folder())
