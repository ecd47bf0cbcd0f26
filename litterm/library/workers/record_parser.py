"""Parses files in a child process with a memory limit, and small ones in this process."""

from __future__ import annotations

import json
import logging
import pickle
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Final

from litterm.core.errors import BadInput, ChildFailed, LittermError
from litterm.importers.byte_sources import Content
from litterm.importers.import_context import ImportContext
from litterm.importers.registry import BytesRead, parse
from litterm.library.workers.memory import TOO_LARGE_MESSAGE, process_usage
from litterm.library.workers.process import Child
from litterm.model.library import Failure, Parsed

MEMORY_MB: Final = 1024
SMALL_BYTES: Final = 2**16
"""Up to here a file is parsed in this process: no parser makes more than a few megabytes of it, and starting a child
takes longer."""
_MAX_CHILD_MB: Final = 512.0
"""A child that has grown to this size is replaced before the next file, which might not fit."""
_POLL_S: Final = 0.05
_MIN_FREE_MB: Final = 16.0
"""A child with less free memory than this counts as full."""
_FULL_TIMEOUT_S: Final = 2.0
"""A child without room that long hangs: Python 3.11 may not have the memory to handle that there is none, and tries for
ever. One that only passes through fails or continues in less."""
_MAX_BATCH_CPU_S: Final = 300.0
"""Longest work on one batch, in processor time; the largest files that are taken need less than half."""
_log = logging.getLogger(__name__)


class ChildParser:
    """Implements `importers.registry.RecordParser`; keeps one child warm until it is closed.

    `folder` is where both sides leave files for each other.
    """

    def __init__(self, folder: Path, *, memory_mb: int = MEMORY_MB, small_bytes: int = SMALL_BYTES) -> None:
        self._folder = folder
        self._memory_mb = memory_mb
        self._small_bytes = small_bytes
        self._child: Child | None = None
        self._written_collection: tuple[tuple[ImportContext, int, int] | None, str] = (None, "")
        """The collection that was written down last, with how much it knew, and where."""
        self._files = 0
        self._full_since: float | None = None
        self._cpu_s_before = 0.0

    @property
    def pid(self) -> int | None:
        """Of the child, if there is one."""
        return None if self._child is None else self._child.pid

    def records(self, content: Content, kind: str, collection: ImportContext) -> Iterator[Parsed | Failure | BytesRead]:
        """The papers of `content`, and how far it was read at least every 100 ms.

        Raises:
            BadInput: it cannot be read on, or takes more memory than it may.
            OSError: the system says so.
        """
        # What is packed says nothing of its true size, and may be a bomb.
        if content.packed is None and 0 < content.size <= self._small_bytes:
            yield from parse(kind, content, collection)
            return
        stored = content.packed or content
        # The packed bytes go to the child, which unpacks under its own limit.
        path = stored.path or self._write_file(stored)
        request = {
            "path": str(path),
            "origin": content.origin,
            "kind": kind,
            "gzipped": content.packed is not None,
            "collection": self._collection_file(collection),
            "memory_mb": self._memory_mb,
        }
        is_complete = False
        try:
            yield from self._parse_request(request)
            is_complete = True
        finally:
            # What failed may have left the child in any state; one that is to be stopped must not continue.
            if not is_complete:
                self._kill()
            if stored.path is None:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Ends the child."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _parse_request(self, request: Mapping[str, object]) -> Iterator[Parsed | Failure | BytesRead]:
        batch = self._new_path("batch")
        try:
            self._ask({**request, "batch": str(batch)})
            while True:
                while (reply := self._reply()) is None:
                    yield BytesRead(0)
                records = _load_records(batch, _whole(reply["records"]))
                # Before its records are taken: the child reads on while the caller is at them.
                if not reply["ended"]:
                    self._ask({"batch": str(batch)})
                yield from records
                yield BytesRead(_whole(reply["offset"]))
                if reply["ended"]:
                    self._raise_failure(reply, str(request["origin"]))
                    return
        finally:
            batch.unlink(missing_ok=True)

    def _ask(self, request: Mapping[str, object]) -> None:
        if self._child is None:
            self._child = Child("records")
        self._full_since, self._cpu_s_before = None, process_usage(self._child.pid)[1]
        try:
            self._child.ask(request)
        except ChildFailed as error:
            raise BadInput(str(error)) from error

    def _reply(self) -> Mapping[str, object] | None:
        assert self._child is not None
        try:
            reply = self._child.poll(_POLL_S)
        except LittermError as error:
            raise BadInput(str(error)) from error
        if reply is None:
            self._check_usage(self._child.pid)
        return reply

    def _check_usage(self, pid: int) -> None:
        """Gives a child up that has had no room for a while, or works on one batch without end.

        Raises:
            BadInput: it does.
        """
        megabytes, seconds = process_usage(pid)
        if megabytes < self._memory_mb - _MIN_FREE_MB:
            self._full_since = None
        elif self._full_since is None:
            self._full_since = time.monotonic()
        elif time.monotonic() - self._full_since > _FULL_TIMEOUT_S:
            raise BadInput(TOO_LARGE_MESSAGE.format(self._memory_mb))
        if seconds - self._cpu_s_before > _MAX_BATCH_CPU_S:
            raise BadInput(f"Reading it takes more than the {_MAX_BATCH_CPU_S:.0f} seconds that one file may have.")

    def _raise_failure(self, reply: Mapping[str, object], origin: str) -> None:
        """Raises what ended the reading, if it was not the end of the file; replaces a child that has grown large."""
        if float(str(reply["peak_mb"])) > _MAX_CHILD_MB:
            self._kill()
        if "errno" in reply:
            raise OSError(_whole(reply["errno"]), str(reply["cause"]))
        if "trace" in reply:
            _log.error("parser failed on %s\n%s", origin, reply["trace"])
        if reply["cause"]:
            raise BadInput(str(reply["cause"]))

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None

    def _write_file(self, content: Content) -> Path:
        """Bytes in memory, as a file."""
        path = self._new_path("content")
        with content.open() as stream, path.open("wb") as file:
            shutil.copyfileobj(stream, file)
        return path

    def _collection_file(self, collection: ImportContext) -> str:
        """The file with what is known of all files together; written when there is more to say."""
        counts, acronyms = collection.facts()
        if not counts and not acronyms:
            return ""
        state = (collection, len(counts), len(acronyms))
        if self._written_collection[0] != state:
            path = self._new_path("collection")
            path.write_text(json.dumps([counts, acronyms]), "utf-8", "backslashreplace")
            self._written_collection = (state, str(path))
        return self._written_collection[1]

    def _new_path(self, name: str) -> Path:
        self._files += 1
        return self._folder / f"{name}-{self._files}"


class _RecordUnpickler(pickle.Unpickler):
    """Makes records and nothing else: a child that a hostile file has taken over must not run anything here."""

    def find_class(self, module: str, name: str) -> object:
        if module.startswith("litterm.model."):
            cls = super().find_class(module, name)
            if isinstance(cls, type) and is_dataclass(cls):
                return cls
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a record.")


def _load_records(path: Path, count: int) -> list[Parsed | Failure]:
    """The records of a batch."""
    with path.open("rb") as file:
        unpickler = _RecordUnpickler(file)
        try:
            records = [unpickler.load() for _ in range(count)]
        except (pickle.UnpicklingError, EOFError, AttributeError, TypeError, ValueError, LookupError) as error:
            raise BadInput(f"The process that read it gave no record ({error}).") from error
    if not all(isinstance(record, Parsed | Failure) for record in records):
        raise BadInput("The process that read it gave no record.")
    return records


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
