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
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from litterm.citations.storage.appended_file import SMALL, encoded_line, file_version
from litterm.citations.storage.codec import citance_from, citance_line, list_line
from litterm.citations.storage.kept_lists import KeptLists
from litterm.citations.storage.log_state import LISTS, PACK
from litterm.core.durable_files import replace_file, writing
from litterm.core.errors import LittermError, ReadOnly
from litterm.core.json_fields import mapping
from litterm.core.tasks import Task
from litterm.core.temporary_files import scratch_folder
from litterm.library.journal import append_lines
from litterm.library.lock import WriteLock
from litterm.model.citations.graph import Citance, ReferenceListHead, ResolvedList
from litterm.model.events import Notice, Progress

_LOCK = "graph.lock"
_SHARE = 32
"""The file is packed anew when it has grown by one in so many bytes, and by `SMALL`: less is read as quickly."""
_POLL_S = 0.1


class FileBook:
    """Resolved reference lists in `folder`; safe from any thread. Readers never wait; who writes holds the lease."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shipped = folder / "citances"
        """Sentences as they stand in the library, whatever becomes of this process's copy."""
        self._path = folder / LISTS
        self._swap = threading.Lock()
        self._kept = KeptLists()

    def lists(self) -> tuple[ResolvedList, ...]:
        """All lists, one for each paper, source and direction, by paper."""
        return self.kept().lists()

    def kept(self) -> KeptLists:
        """The lists as they are now."""
        with self._swap:
            try:
                with self._path.open("rb") as file:
                    status = os.fstat(file.fileno())
                    if not self._kept.is_current(status):
                        known = self._kept if self._kept.goes_on(status) else self._open(file)
                        self._kept = known.onward(file)
            except FileNotFoundError:
                self._kept = KeptLists()
            return self._kept

    def version(self) -> object:
        """Which file, and how much is in it."""
        return file_version(self._path)

    def lease(self) -> WriteLock | None:
        """The right to write; `None` while another process, or another thread of this one, has it.

        In a library that may only be read it is one to a copy of this process alone.
        """
        lock = WriteLock(self._folder / _LOCK)
        try:
            return lock if lock.try_acquire() else None
        except ReadOnly:
            self._move(_own_folder())
        lock = WriteLock(self._folder / _LOCK)
        return lock if lock.try_acquire() else None

    def _move(self, folder: Path) -> None:
        """From now on writes are for `folder`; what was written before is there, too."""
        with writing(folder):
            for name in (LISTS, PACK):
                if (self._folder / name).exists():
                    # The pack is of use only beside the lines it was made from; sentences stay where they are.
                    shutil.copy(self._folder / name, folder / name)
        self._folder, self._path = folder, folder / LISTS

    def begin(self, segments: frozenset[str]) -> None:
        """What is put from now on was resolved against these segments; so a kill costs one list."""
        self._append({"against": sorted(segments)})

    def put(self, resolved: ResolvedList, citances: Sequence[Citance]) -> None:
        """Keeps a list with its sentences; both are there, or neither.

        Raises:
            DiskFull: it could not be written.
        """
        path = self._sentences(resolved.head)
        if citances:
            lines = "\n".join(json.dumps(citance_line(citance), ensure_ascii=False) for citance in citances)
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            # Before the line that names the list: a kill in between leaves a file that nobody reads.
            replace_file(path, lines.encode("utf-8", "backslashreplace"))
        self._append({"list": list_line(resolved)})

    def drop(self, head: ReferenceListHead) -> None:
        """Forgets the list; its sentences go with it."""
        self._append({"drop": list(head.slot)})
        # After the line: sentences without a list are harmless, a list without its sentences would look as if it had
        # none.
        self._sentences(head).unlink(missing_ok=True)

    def settle(self, segments: frozenset[str]) -> None:
        """Every list kept is up to date with these segments; a file grown too long is written anew here."""
        settled = {"settled": sorted(segments)}
        self._append(settled)
        kept_lists = self.kept()
        if kept_lists.damaged or kept_lists.state.size > max(SMALL, 4 * kept_lists.state.live):
            lines = b"".join(encoded_line({"list": list_line(resolved)}) for resolved in kept_lists.lists())
            replace_file(self._path, lines + encoded_line(settled))

    def pack(self) -> Task[None]:
        """Packs what was written since that was done last, where it is much; whoever reads then need not read it.

        A child does it, and nothing waits for it but who calls: without a pack the lines are read.
        """
        kept_lists = self.kept()
        packed = 0 if kept_lists.base is None else kept_lists.base.state.size
        if kept_lists.damaged or kept_lists.state.size - packed <= max(SMALL, packed // _SHARE):
            return
        from litterm.library.workers.process import Child

        child = Child("citations")
        try:
            child.ask({"folder": str(self._folder), "segments": sorted(kept_lists.state.settled or ())})
            while child.poll(_POLL_S) is None:
                yield Progress("indexing citations")
        except LittermError as error:
            yield Notice(f"Citations could not be indexed, so that reading them takes longer: {error}")
        finally:
            child.close()

    def citances(self, resolved: ResolvedList) -> tuple[Citance, ...]:
        """The sentences kept with a list; none where their file cannot be read."""
        path = self._sentences(resolved.head)
        try:
            # A copy of a read-only library holds only the sentences that were resolved anew for it.
            lines = (path if path.exists() else self._shipped / path.name).read_bytes().splitlines()
            return tuple(citance_from(mapping(json.loads(line)), resolved) for line in lines)
        except (OSError, ValueError, KeyError, TypeError):
            return ()

    def _sentences(self, head: ReferenceListHead) -> Path:
        name = hashlib.sha256("\n".join(head.slot).encode()).hexdigest()[:24]
        return self._folder / "citances" / f"{name}.jsonl"

    def _append(self, line: Mapping[str, object]) -> None:
        with writing(self._path):
            self._folder.mkdir(parents=True, exist_ok=True)
            # Not synced: a list that a crash of the machine takes is resolved again.
            append_lines(self._path, encoded_line(line), durable=False)

    def _open(self, file: BinaryIO) -> KeptLists:
        """The file as it was when it was packed last; nothing of it where it was not."""
        inode = os.fstat(file.fileno()).st_ino
        if not (self._folder / PACK).exists():
            return KeptLists(inode)
        # Importing numpy takes longer than reading a small file.
        from litterm.citations.storage.packed_lists import open_packed

        return KeptLists(inode, open_packed(self._folder, file))


def _own_folder() -> Path:
    """A folder that is gone with this process."""
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(scratch_folder())
