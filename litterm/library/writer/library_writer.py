"""Stores records and publishes them as segments. There is one writer at a time; readers only notice new papers."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.durable_files import time_of, utc_now
from litterm.core.errors import ChildFailed, DatabaseDamaged, DiskFull, LittermError, OutOfMemory
from litterm.core.tasks import Task
from litterm.library.lock import WRITE_LOCK_FILE, WriteLock
from litterm.library.segments.built_segment import BuildJob
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import (
    LIBRARY_VERSION,
    Manifest,
    key_of,
    new_folder,
    promote,
    publish,
    remove_leftovers,
    remove_unfinished,
    with_segment,
    without_retired,
)
from litterm.library.segments.migration import migrate
from litterm.library.segments.repair.recovery import recover, recover_manifest, without_damaged
from litterm.library.state.earlier_files import set_aside
from litterm.library.state.imports import EARLIER_LOG_FILE, FileRead, ImportLog, move_earlier_log
from litterm.library.writer.batch import (
    LibraryChange,
    PendingBatch,
    RecordBatch,
    follow_merge,
    match_records,
    open_for_batch,
    with_change,
    write_spool,
)
from litterm.library.writer.compaction import (
    mark_lost_indexes,
    remove_merged,
    take_in_merged,
    with_checksums,
    worth_compacting,
)
from litterm.library.writer.deduplicate import MAX_NAMED
from litterm.model.events import Notice, PapersStored, Progress
from litterm.model.library import Failure, FileEnd, FileStart, ImportReport, Parsed

if TYPE_CHECKING:
    from litterm.library.workers.segment_builder import ChildSegmentBuilder
    from litterm.library.writer.revision import Revise


BATCH_PAPERS = 20_000
BATCH_CHARACTERS = 20_000_000
"""Of full texts; as sentences they take some ten times as much memory."""
BATCH_S = 10.0
"""After this time a batch is stored however small it is, so that a kill takes little. Where storing the last batch took
longer, as on a busy machine, the next one may take as long: else each segment would hold a single paper."""

_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class _Pending:
    """A batch of which a child process is building a segment."""

    folder: Path
    job: BuildJob
    change: LibraryChange
    files: list[FileRead]
    records: int

    @property
    def ahead(self) -> PendingBatch:
        """What the next batch has to know of this one."""
        return PendingBatch(key_of(self.folder), self.change)


class LibraryWriter:
    """Stores papers in the library in `root`, in batches that are published whole.

    Between `begin` and `close` it holds the write lock; the lock is the system's, so that a killed writer
    leaves nothing to clear away. Something is published at least every 20,000 records or 10 s.
    """

    def __init__(
        self,
        root: Path,
        builder: ChildSegmentBuilder,
        *,
        library: DuckLibrary | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = root
        self._builder = builder
        self._library = library or DuckLibrary(root)
        self._clock = clock
        self._lock = WriteLock(root / WRITE_LOCK_FILE)
        self._batch = RecordBatch()
        self._pending: _Pending | None = None
        self._manifest = Manifest()
        self._import_log: ImportLog | None = None
        self._report = ImportReport()
        self._stored = 0
        self._batch_began = 0.0
        self._storing_s = 0.0
        """Seconds that the last batch took in this process, without waiting for a child."""
        self._import_time = ""
        self._reads_again = False

    def begin(self, *, again: bool = False) -> Task[None]:
        """Waits for other writers, takes the lock, and removes what a killed writer left behind.

        With `again` no record of a file is skipped because it is stored.

        Raises:
            LibraryTooNew: a newer litterm wrote the library.
        """
        self._reads_again = again
        # Both before the lock, which they take themselves.
        yield from recover(self._root)
        yield from migrate(self._root)
        yield from self._lock.acquire()
        sound = yield from without_damaged(self._root, (yield from recover_manifest(self._root)))
        self._manifest = remove_leftovers(self._root, sound)
        self._bring_up_to_date()
        self._import_log = ImportLog(self._library.state, self._manifest.imports)
        self._batch, self._report, self._stored = RecordBatch(), ImportReport(), 0
        self._publish_merged()
        newest = max((time_of(entry.key) for entry in self._manifest.segments), default="")
        # Also where the clock has been set back: what is new is known by this.
        self._batch_began, self._import_time = self._clock(), max(utc_now(), newest)

    def _bring_up_to_date(self) -> None:
        """Publishes a manifest of an older version anew, with the log of imports moved into the state."""
        manifest = self._manifest
        if manifest.generation == 0 or (manifest.version == LIBRARY_VERSION and not manifest.earlier_import_bytes):
            return
        imports = manifest.imports
        if manifest.earlier_import_bytes:
            imports = move_earlier_log(self._library.state, manifest.earlier_import_bytes)
        fresh = replace(manifest, version=LIBRARY_VERSION, imports=imports, earlier_import_bytes=0)
        self._manifest = replace(fresh, generation=manifest.generation + 1)
        publish(self._root, self._manifest)
        set_aside(self._root, [self._root / EARLIER_LOG_FILE])

    def is_known(self, sha256: str) -> bool:
        """Whether the whole file with this content is in the library."""
        return self._open_log.is_known(sha256)

    def add_item(self, item: Parsed | Failure | FileStart | FileEnd) -> None:
        """Takes what the reader yields: a record, a failure, or the start or end of a file."""
        match item:
            case Parsed():
                self._batch.add_record(item)
            case Failure():
                self._batch.fail()
            case FileStart():
                # Read again, also what is stored counts: it may have been taken back.
                stored = 0 if self._reads_again else self._open_log.stored_count(item.sha256)
                self._batch.start_file(item, stored)
            case FileEnd():
                self._batch.end_file(item)

    def is_due(self) -> bool:
        """Whether it is time to `flush`."""
        batch, waited = self._batch, self._clock() - self._batch_began
        full = len(batch.records) >= BATCH_PAPERS or batch.characters >= BATCH_CHARACTERS
        return full or (waited >= max(BATCH_S, self._storing_s) and bool(batch.records))

    def publish_if_due(self) -> PapersStored | None:
        """Publishes what a child process has finished; cheap if there is nothing."""
        if self._pending is not None and self._pending.job.done():
            return self._publish()
        return None

    def flush(self) -> Task[None]:
        """Sends the batch on its way into a segment; the segment being built is published first."""
        began = self._clock()
        # Only here: what is resolved below names rows by where they are now.
        self._publish_merged()
        batch = self._batch.cut()
        change = yield from self._resolve(batch)
        yield from self._store(change, batch, began)

    def revise(self, revise: Revise) -> Task[ImportReport]:
        """Publishes a change to records that are stored, and returns the report; called instead of `add_item`."""
        self._publish_merged()
        began = self._clock()
        with open_for_batch(self._batch, self._root, self._library) as library:
            change = yield from revise(library)
        yield from self._store(change, RecordBatch(), began)
        return (yield from self.finish())

    def _store(self, change: LibraryChange, batch: RecordBatch, began: float) -> Task[None]:
        """Sends `change`, made of `batch`, on its way into a segment."""
        folder = None if change.empty else new_folder(self._root)
        if folder is not None:
            yield from write_spool(change, folder)
        waiting_since = self._clock()
        # One segment at a time: the lines of this batch were written while the child was at the one before.
        yield from self._publish_pending()
        waited_s = self._clock() - waiting_since
        self._batch_began = self._clock()
        records = len(batch.records) + batch.unchanged
        self._report = _add_counts(self._report, change, batch.unchanged)
        if folder is None:
            self._stored += records
            stored = self._commit(self._manifest, batch.files)
            if records:
                yield stored
            return
        job = self._builder.build(folder, rows=len(change.written), average_length=self._manifest.average_length)
        self._pending = _Pending(folder, job, change, batch.files, records)
        # Again: a small segment was built by the call above.
        self._batch_began = self._clock()
        self._storing_s = self._batch_began - began - waited_s

    def finish(self) -> Task[ImportReport]:
        """Stores everything taken so far, and returns the report without failures and time."""
        yield from self.flush()
        yield from self._publish_pending()
        yield from self._clean_up()
        return self._report

    def close(self) -> None:
        """Drops what is not published, ends child processes and releases the lock; may be called at any time."""
        if self._pending is not None:
            self._pending.job.cancel()
            self._pending = None
        # Before the folders are removed: a child at work would write into them again.
        self._builder.close()
        if self._lock.is_held:
            remove_unfinished(self._root)
        self._lock.release()

    @property
    def _open_log(self) -> ImportLog:
        assert self._import_log is not None and self._lock.is_held, "begin() first"
        return self._import_log

    def _resolve(self, batch: RecordBatch) -> Task[LibraryChange]:
        """Matches `batch` against the library, while a child process may still build the previous batch."""
        if batch.characters:
            # A full text takes its pages from another one, which has to be in the library.
            yield from self._publish_pending()
        elif stored := self.publish_if_due():
            yield stored
        ahead = None if self._pending is None else self._pending.ahead
        with open_for_batch(batch, self._root, self._library) as library:
            return (yield from match_records(batch, library, timestamp=self._import_time, ahead=ahead))

    def _publish_pending(self) -> Task[None]:
        """Waits for the child process and publishes its segment."""
        while self._pending is not None:
            if self._pending.job.done():
                yield self._publish()
            else:
                yield Progress("indexing", 0, len(self._pending.change.written))
                time.sleep(_POLL_S)

    def _clean_up(self) -> Task[None]:
        """Merges small segments and rebuilds lost indexes; an error here only costs speed."""
        self._commit(with_checksums(self._root, self._manifest), [])
        manifest = self._manifest
        marked_manifest = mark_lost_indexes(self._root, manifest, self._builder)
        if marked_manifest != manifest:
            yield Notice("An index that was lost or damaged is rebuilt.")
            self._commit(marked_manifest, [])
        try:
            # Once, unless the builder is so quick that what it made can be taken in at once.
            remade: set[str] = set()
            while self._start_merging(remade) and (merged_segments := self._publish_merged()):
                remade.update(merged_segments)
        # The import is published already; it must not fail for what only makes searching faster.
        except (ChildFailed, DatabaseDamaged, DiskFull, OutOfMemory) as error:
            yield Notice(f"The library could not be cleaned up: {error}")
        if marked_manifest.segments != manifest.segments:
            yield from self._rebuild()

    def _rebuild(self) -> Task[None]:
        """Rebuilds damaged indexes, and waits until that is done."""
        while self._builder.is_merging(self._root):
            yield Progress("rebuilding indexes", 0, 0)
            self._publish_merged()
            time.sleep(_POLL_S)
        self._publish_merged()

    def _start_merging(self, remade: Collection[str] = ()) -> bool:
        """Starts a process that merges segments, if that is worthwhile; returns whether it is."""
        builder = self._builder
        is_worthwhile = bool(
            worth_compacting(self._manifest, builder.embedder, grouping=builder.grouping, remade=remade)
        )
        if is_worthwhile:
            builder.merge_behind(self._root)
        return is_worthwhile

    def _publish_merged(self) -> tuple[str, ...]:
        """Publishes segments that another process has merged meanwhile; returns their keys."""
        fresh, merged_segments = take_in_merged(self._root, self._manifest)
        if not merged_segments:
            return ()
        for merged in merged_segments:
            if (pending := self._pending) is not None:
                self._pending = replace(pending, change=follow_merge(pending.change, merged))
        self._commit(without_retired(self._root, fresh), [])
        remove_merged(self._root, (merged.key for merged in merged_segments))
        return tuple(merged.key for merged in merged_segments)

    def _publish(self) -> PapersStored:
        pending = self._pending
        assert pending is not None
        built = pending.job.result()
        key = promote(self._root, pending.folder)
        self._pending = None
        self._stored += pending.records
        manifest = with_segment(with_change(self._manifest, pending.change), self._root, key, built)
        stored = self._commit(manifest, pending.files)
        # During a long import, too: each batch is looked up in every segment. What goes wrong is reported at its end.
        with suppress(LittermError):
            self._start_merging()
        return stored

    def _commit(self, manifest: Manifest, files: list[FileRead]) -> PapersStored:
        """Publishes `manifest` and records `files` as imported; after this, a kill loses nothing."""
        # The log first: rows that no manifest vouches for are deleted, but a manifest cannot vouch for missing ones.
        imports = self._open_log.append(files) if files else manifest.imports
        fresh = replace(manifest, generation=self._manifest.generation + 1, imports=imports)
        if replace(fresh, generation=self._manifest.generation) != self._manifest:
            publish(self._root, fresh)
            self._manifest = fresh
        self._open_log.confirm(files, imports)
        return PapersStored(self._stored)


def _add_counts(so_far: ImportReport, change: LibraryChange, unchanged: int) -> ImportReport:
    counts = change.matching.counts
    first = dict.fromkeys((*so_far.first_ids, *counts.first_ids))
    return replace(
        so_far,
        added=so_far.added + counts.added,
        merged=so_far.merged + counts.merged,
        unchanged=so_far.unchanged + counts.unchanged + unchanged,
        documents=so_far.documents + counts.documents,
        doubtful=so_far.doubtful + change.doubtful,
        first_ids=tuple(first)[:20],
        merges=(*so_far.merges, *counts.merges)[:MAX_NAMED],
        kept_apart=(*so_far.kept_apart, *counts.kept_apart)[:MAX_NAMED],
    )
