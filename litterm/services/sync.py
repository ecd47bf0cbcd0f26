"""Synchronises a collection of a service with the library, step by step; resumes after any interruption."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import DiskFull, LibraryError, SourceError
from litterm.core.tasks import Task
from litterm.interfaces.services import Catalogue
from litterm.library.import_files import take_all
from litterm.model.events import Event, Notice, PapersStored, Progress
from litterm.model.library import Failure, FileEnd, FileSkipped, FileStart, ImportReport, Parsed, ReadEvent
from litterm.model.services import CatalogueBatch, ExpectedSize, Scope, Subscription, SyncReport

if TYPE_CHECKING:
    from litterm.importers.reader import FileReader
    from litterm.library.state.failures import FailureList
    from litterm.library.state.subscriptions import Subscriptions
    from litterm.library.writer.library_writer import LibraryWriter


_MAX_PENDING_PAPERS, _MAX_PENDING_FILES, _MAX_PENDING_S = 4000, 8, 20.0
"""What is stored at once at most: a segment each time, made by a child that has to be started. And after how long what
there is is stored, so that little is lost by a kill."""
_FREE_SPACE_FACTOR = 4
"""Free space wanted, as a multiple of what is to come: the download, and the library made of it."""
_BYTES_PER_PAPER = 8 << 10
"""Free space wanted for a record without a full text: in the library it takes half of that."""
_ANNOUNCED_BYTES, _ANNOUNCED_PAPERS = 10 << 20, 1000
"""Bytes, or papers, from which on it is said what is to come."""


@dataclass(frozen=True, slots=True)
class PaperSink:
    """The library parts that a synchronisation writes to."""

    writer: Callable[[], LibraryWriter]
    reader: FileReader
    failures: FailureList
    subscriptions: Subscriptions


@dataclass(slots=True)
class _SyncState:
    """The progress of one synchronisation."""

    subscription: Subscription
    extent: ExpectedSize = field(default=ExpectedSize())
    report: ImportReport = field(default=ImportReport())
    pending: list[CatalogueBatch] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)

    @property
    def is_due(self) -> bool:
        """Whether what is pending should be stored now."""
        papers = sum(len(batch.items) for batch in self.pending)
        files = sum(len(batch.files) for batch in self.pending)
        return (
            papers >= _MAX_PENDING_PAPERS
            or files >= _MAX_PENDING_FILES
            or time.monotonic() - self.since > _MAX_PENDING_S
        )

    def progress(self, seen: int) -> Progress:
        """Papers seen so far, of those that were announced; without a total where none were."""
        total = max(self.extent.papers, seen) if self.extent.papers else 0
        return Progress(f"sync {self.subscription.source}", seen, total)


def sync(sink: PaperSink, source: Catalogue, scope: Scope) -> Task[SyncReport]:
    """Imports everything of `scope` that is not in the library yet, from where the last run ended.

    A step counts as done when its papers are published, so a kill repeats at most the last few steps. The library
    is held for writing only while papers are stored, not while a service is waited for. Trouble of the service ends
    it with what was stored: see `SyncReport.trouble`.

    Raises:
        Offline: the network is switched off.
        DiskFull: there is no room for what is to come.
        LibraryError: another litterm is synchronising the same.
    """
    course = _SyncState(sink.subscriptions.get(source.name, scope))
    trouble: SourceError | None = None
    with sink.subscriptions.workspace(source.name, scope) as folder:
        try:
            course.extent = yield from source.expected_size(scope, course.subscription.cursor)
            yield from _announce(course.extent, folder)
            # Whatever ends it before anything is stored, it is known that it was under way.
            course.subscription = replace(course.subscription, complete=False)
            sink.subscriptions.save(course.subscription)
            yield from _fetch_batches(sink, source, course, folder)
        except SourceError as error:
            trouble = error
            yield from _store_pending(sink, course)
        if trouble is None or not trouble.transient:
            # A download that broke off continues the next time.
            shutil.rmtree(folder, ignore_errors=True)
        if trouble is None:
            return SyncReport(course.subscription, course.report)
        course.subscription = replace(course.subscription, complete=False, trouble=str(trouble))
        # While no other process can change it: what is forgotten a moment later stays forgotten.
        sink.subscriptions.save(course.subscription)
    if not trouble.transient and not course.subscription.synced_at:
        # Nothing that a service has refused from the start is asked for again and again. Whoever is at it by now
        # finds that out alone.
        with suppress(LibraryError):
            sink.subscriptions.forget(source.name, scope)
    return SyncReport(course.subscription, course.report, str(trouble), trouble.transient)


def _announce(extent: ExpectedSize, folder: Path) -> Task[None]:
    """Announces the size of a large synchronisation.

    Raises:
        DiskFull: there is no room for it.
    """
    if extent.bytes < _ANNOUNCED_BYTES and extent.papers < _ANNOUNCED_PAPERS:
        return
    parts = (
        f"{extent.papers:,} papers" if extent.papers else "",
        _megabytes(extent.bytes) if extent.bytes else "",
    )
    description = ", ".join(part for part in parts if part)
    room = extent.disk_bytes or max(extent.bytes * _FREE_SPACE_FACTOR, extent.papers * _BYTES_PER_PAPER)
    free = shutil.disk_usage(folder).free
    if room > free:
        raise DiskFull(
            f"{description} are to be fetched and need {_megabytes(room)} of disk space; "
            f"{_megabytes(free)} are free in {folder}."
        )
    yield Notice(f"About {description} are to be fetched.")


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"


def _fetch_batches(sink: PaperSink, source: Catalogue, course: _SyncState, folder: Path) -> Task[None]:
    scope, cursor = course.subscription.scope, course.subscription.cursor
    while True:
        batch = yield from source.next_batch(scope, cursor, _step_folder(folder, cursor))
        # Not stored at once: a page of a hundred papers would be a segment of its own.
        course.pending.append(batch)
        cursor = batch.cursor
        yield course.progress(batch.seen)
        if batch.done or course.is_due:
            yield from _store_pending(sink, course)
        if batch.done:
            return


def _step_folder(folder: Path, cursor: str) -> Path:
    """Where the files of one step go: what came before a kill is still there when the step is repeated."""
    place = folder / hashlib.sha256(cursor.encode()).hexdigest()[:16]
    place.mkdir(exist_ok=True)
    return place


def _store_pending(sink: PaperSink, course: _SyncState) -> Task[None]:
    """Publishes the pending papers, then saves the cursor."""
    if not course.pending:
        return
    last, batches = course.pending[-1], tuple(course.pending)
    before = course.report
    if any(batch.items or batch.files for batch in batches):
        known = course.subscription.source
        task = take_all(writer := sink.writer(), sink.failures, _readings(batches, sink.reader, writer, known))
        try:
            while True:
                yield _as_part_of_sync(next(task), course, before)
        except StopIteration as end:
            course.report = add_reports(before, end.value)
        finally:
            task.close()
    # Noted only now that they are published: killed before, the step is repeated and finds its papers there.
    course.pending.clear()
    course.since = time.monotonic()
    course.subscription = replace(
        course.subscription,
        cursor=last.cursor,
        complete=last.done,
        synced_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        papers=course.subscription.papers + course.report.added - before.added,
        trouble="",
    )
    sink.subscriptions.save(course.subscription)
    for path in (path for batch in batches for path in batch.files):
        # Only now: a kill before this finds the file, and need not download it again.
        path.unlink(missing_ok=True)


def _as_part_of_sync(event: Event, course: _SyncState, before: ImportReport) -> Event:
    """An event of storing a batch, with its counts as part of the whole synchronisation."""
    match event:
        case PapersStored(papers=papers):
            return PapersStored(before.added + before.merged + before.unchanged + papers)
        case Progress() if course.extent.papers or course.pending[-1].seen:
            # They are counted as they come; how many of a few are stored would take the place of that.
            return Progress("storing")
    return event


def _readings(
    batches: Sequence[CatalogueBatch], reader: FileReader, writer: LibraryWriter, source: str
) -> Iterator[ReadEvent]:
    for batch in batches:
        yield from (_as_synchronised(item, source) for item in batch.items)
        for path in batch.files:
            for item in reader.read(path, writer.is_known):
                yield _with_service_origin(item, str(path), f"{source}:{path.name}")


def _as_synchronised(item: Parsed | Failure, source: str) -> Parsed | Failure:
    """`item` as a part of the collection: a paper that the user asked for by its id has the bare address."""
    if isinstance(item, Failure):
        return item
    provenance = item.paper.provenance
    origin = f"{source}:{provenance.origin.removeprefix(f'{source}:')}"
    return replace(item, paper=replace(item.paper, provenance=replace(provenance, origin=origin)))


def _with_service_origin(item: ReadEvent, path: str, name: str) -> ReadEvent:
    """`item` as coming from the service: the file it came in is gone when anybody reads this."""
    match item:
        case Parsed(paper=paper) if paper.provenance.origin.startswith(path):
            origin = _service_origin(paper.provenance.origin[len(path) :], name)
            return replace(item, paper=replace(paper, provenance=replace(paper.provenance, origin=origin)))
        case Failure() | FileStart() | FileEnd() | FileSkipped() if item.origin.startswith(path):
            return replace(item, origin=_service_origin(item.origin[len(path) :], name))
    return item


def _service_origin(place: str, name: str) -> str:
    """The origin under which a file of a service's archive is recorded: the same as if it had come alone.

    Later only what changed comes, file by file: what failed in the archive is fixed by then under the same name.
    """
    if not place.startswith("!"):
        return name + place
    return f"{name.partition(':')[0]}:{place.rpartition('!')[2].rpartition('/')[2]}"


def add_reports(first: ImportReport, second: ImportReport) -> ImportReport:
    """Both reports as one."""
    return ImportReport(
        added=first.added + second.added,
        merged=first.merged + second.merged,
        unchanged=first.unchanged + second.unchanged,
        documents=first.documents + second.documents,
        doubtful=first.doubtful + second.doubtful,
        skipped_files=first.skipped_files + second.skipped_files,
        failures=first.failures + second.failures,
        first_ids=(first.first_ids + second.first_ids)[:20],
        remarks=first.remarks + second.remarks,
        merges=first.merges + second.merges,
        kept_apart=first.kept_apart + second.kept_apart,
        elapsed_s=first.elapsed_s + second.elapsed_s,
    )
