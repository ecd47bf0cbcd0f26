"""Imports files, folders and archives into the library."""

from __future__ import annotations

import gc
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import BadInput
from litterm.core.tasks import Task
from litterm.importers.derived_fields import fill_derived_fields
from litterm.model.events import PapersStored, Progress
from litterm.model.library import (
    Failure,
    FileEnd,
    FileProgress,
    FileSkipped,
    FileStart,
    ImportReport,
    Parsed,
    ReadEvent,
)
from litterm.text.limits import cut_to_limits

if TYPE_CHECKING:
    from litterm.importers.reader import FileReader
    from litterm.library.state.failures import FailureList
    from litterm.library.writer.library_writer import LibraryWriter

_HEARTBEAT_S = 0.1
"""Between two events: an import can be stopped only where it yields one."""


@dataclass(slots=True)
class _ImportState:
    """The state of one import."""

    records: int = 0
    done_bytes: int = 0
    total_bytes: int = 0
    skipped: int = 0
    failures: list[Failure] = field(default_factory=list)
    recorded: int = 0
    remarks: list[str] = field(default_factory=list)
    files: list[tuple[str, int]] = field(default_factory=list)
    """Files read to their end, each with the number of records taken by then."""
    stored: int = 0
    """Number of records that are on disk for certain."""

    def progress(self) -> Progress:
        """Papers read so far and, estimated from the bytes, their total."""
        if not self.records:
            return Progress("looking through the files", self.done_bytes, self.total_bytes, "bytes")
        share = self.done_bytes / self.total_bytes if self.total_bytes else 0.0
        # Never less than were read: at the end of the bytes the records of the last file are still coming.
        total = max(self.records, round(self.records / share)) if share > 0 else 0
        return Progress("importing papers", self.records, total, estimated=True)


def add(
    writer: LibraryWriter,
    reader: FileReader,
    failures: FailureList,
    paths: Sequence[Path],
    *,
    retry: bool = False,
) -> Task[ImportReport]:
    """Imports everything under `paths` that is not in the library yet; what fails is reported and stored in `failures`.

    With `retry` also files whose content is known are read again. Holds the library's write lock throughout,
    which no reader notices; closed early, it leaves what was published. `PapersStored` counts records that no
    kill can take away.

    Raises:
        DiskFull: there is no room; what was published stays.
        LibraryTooNew: a newer litterm wrote the library.
    """
    known = _is_never_known if retry else writer.is_known

    def readings() -> Iterator[ReadEvent]:
        for path in paths:
            with closing(_as_generator(reader.read(path, known))) as items:
                yield from items

    return (yield from take_all(writer, failures, readings(), again=retry))


def take_all(
    writer: LibraryWriter, failures: FailureList, readings: Iterator[ReadEvent], *, again: bool = False
) -> Task[ImportReport]:
    """Stores everything that is read; `readings` starts once the write lock is held.

    With `again` also records of files that are in the library.

    Raises:
        DiskFull, LibraryTooNew: as `add`.
    """
    started = time.monotonic()
    state = _ImportState()
    try:
        # Before anything is read: only the holder of the lock knows which files are in the library.
        yield from writer.begin(again=again)
        with _infrequent_gc(), closing(_as_generator(readings)) as items:
            yield from _read_items(items, writer, failures, state)
            report = yield from writer.finish()
        state.stored = state.records
    finally:
        _record_failures(failures, state)
        writer.close()
    return replace(
        report,
        skipped_files=state.skipped,
        failures=tuple(state.failures),
        remarks=tuple(state.remarks),
        elapsed_s=time.monotonic() - started,
    )


def failed_file(origin: str) -> Path | None:
    """The file on disk that contains a failure's origin; `None` for an address on the web."""
    if "://" in origin:
        return None
    # The whole first: a path may hold a colon or an exclamation mark itself.
    candidates = [origin, origin.rpartition(":")[0], origin.partition("!")[0]]
    return next(
        (Path(candidate) for candidate in candidates if candidate and Path(candidate).exists()), Path(candidates[-1])
    )


@contextmanager
def _infrequent_gc() -> Iterator[None]:
    """Collects garbage rarely: an import makes no cycles, and looking for some took a third of its time."""
    before = gc.get_threshold()
    gc.set_threshold(1_000_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _read_items(
    items: Iterator[ReadEvent], writer: LibraryWriter, failures: FailureList, state: _ImportState
) -> Task[None]:
    last_event = 0.0
    for item in items:
        _take_item(item, writer, state)
        # Failures first: a kill while the segment is made must not lose the reports on its files.
        if writer.is_due():
            _record_failures(failures, state)
            yield from _flush(writer, state)
        if time.monotonic() - last_event >= _HEARTBEAT_S:
            if stored := writer.publish_if_due():
                state.stored = stored.papers
                yield stored
            yield state.progress()
            last_event = time.monotonic()


def _flush(writer: LibraryWriter, state: _ImportState) -> Task[None]:
    """The writer's `flush`, with the progress of the import instead of that of its steps."""
    for event in writer.flush():
        if isinstance(event, PapersStored):
            state.stored = event.papers
        yield state.progress() if isinstance(event, Progress) else event


def _take_item(item: ReadEvent, writer: LibraryWriter, state: _ImportState) -> None:
    match item:
        case Parsed():
            _take_record(item, writer, state)
        case FileStart():
            writer.add_item(item)
        case FileEnd():
            writer.add_item(item)
            state.files.append((item.origin, state.records))
        case Failure():
            writer.add_item(item)
            state.failures.append(item)
        case FileProgress():
            state.done_bytes, state.total_bytes = item.done, item.total
        case FileSkipped():
            state.skipped += 1


def _take_record(record: Parsed, writer: LibraryWriter, state: _ImportState) -> None:
    """Takes one record, cut to the limits of a library; what was cut off is reported like a failure."""
    origin = record.paper.provenance.origin
    if record.remark:
        state.remarks.append(f"{origin}: {record.remark}")
    try:
        bounded, cut = cut_to_limits(record)
    except BadInput as error:
        state.failures.append(Failure(origin, str(error)))
        return
    state.records += 1
    bounded = replace(bounded, paper=fill_derived_fields(bounded.paper))
    writer.add_item(bounded)
    if cut:
        state.failures.append(Failure(origin, f"“{bounded.paper.title[:60]}”: {cut}"))


def _record_failures(failures: FailureList, state: _ImportState) -> None:
    """Records the failures so far, and removes those that no longer fail."""
    fresh = state.failures[state.recorded :]
    listed = {failure.origin for failure in failures.all()} if any(item.missing == "file" for item in fresh) else set()
    # A path that never was there, as one mistyped, cannot be tried again: it is told once.
    told_once = [item for item in fresh if item.missing == "file" and item.origin not in listed]
    kept = [
        replace(item, missing="record") if item.missing == "file" else item for item in fresh if item not in told_once
    ]
    state.failures[state.recorded :] = [*failures.record(kept), *told_once]
    state.recorded = len(state.failures)
    # A file counts as read only when its papers are on the disk: after a kill in between it would never be read again.
    finished = [origin for origin, records in state.files if records <= state.stored]
    if finished and failures.all():
        failures.forget_read(finished, still=[failure.origin for failure in state.failures])
    state.files = [file for file in state.files if file[1] > state.stored]


def _is_never_known(_sha256: str) -> bool:
    return False


def _as_generator(items: Iterator[ReadEvent]) -> Generator[ReadEvent, None, None]:
    # `closing` calls `close`, which an iterator that is no generator does not have.
    yield from items
