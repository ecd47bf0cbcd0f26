"""A batch of records on its way into a segment: collected, matched against the library, spooled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from litterm.core.json_fields import integer, text
from litterm.core.tasks import Task
from litterm.library.segments.documents import ORIGINS_BEST_FIRST, count_located
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.lookup import rows_by_bare, rows_by_title
from litterm.library.segments.manifest import Manifest, SegmentEntry
from litterm.library.segments.papers import rows_with_files
from litterm.library.segments.segment import SegmentTables
from litterm.library.state.imports import FileRead
from litterm.library.writer.compaction import MergedSegment
from litterm.library.writer.deduplicate import PendingPaper, RecordMatcher
from litterm.model.document import Document, DocumentId
from litterm.model.events import Progress
from litterm.model.library import FileEnd, FileStart, Parsed, RowRef, Snapshot
from litterm.model.paper import Paper
from litterm.text.documents.page_alignment import align_pages
from litterm.text.references.identity import bare_key, folded_id, identity_hash, paper_ids, scheme_of

_RECORDS_PER_EVENT = 1000
_DOCUMENTS_PER_EVENT = 20
FEW_RECORDS = 50
"""Up to this number, records are looked up on the open connection, which reads only some blocks of each table."""
_LOOKUP_RECORDS = 5000
"""Records looked up at once; each look-up scans every segment."""
_DOCUMENTS_SQL = "SELECT id, located FROM {segment}.document WHERE id IN (SELECT unnest(?)) ORDER BY doc"


@dataclass(slots=True)
class _OpenFile:
    start: FileStart
    stored: int
    """Records that are in the library since an earlier import was broken off."""
    seen: int = 0
    failed: bool = False
    """Part of the file could not be read but may be the next time; its records can no longer be counted from there."""


@dataclass(slots=True)
class RecordBatch:
    """Records and the ends of files since the last batch was cut; files may span batches."""

    records: list[Parsed] = field(default_factory=list)
    files: list[FileRead] = field(default_factory=list)
    characters: int = 0
    """Characters of the full texts, which take most of the memory."""
    unchanged: int = 0
    """Records skipped because they are already stored."""
    _open: list[_OpenFile] = field(default_factory=list)

    def start_file(self, file: FileStart, stored: int) -> None:
        """Starts a file, or a member of the open archive, of which `stored` records are in the library."""
        self._open.append(_OpenFile(file, stored))

    def add_record(self, record: Parsed) -> None:
        """Adds one record of the current file."""
        if self._open:
            # Archives nest: a record belongs to the member begun last.
            innermost = self._open[-1]
            innermost.seen += 1
            # A broken import is continued by counting: a file with this content has the same records in this order.
            if innermost.seen <= innermost.stored:
                self.unchanged += 1
                return
        self.records.append(record)
        if record.document is not None:
            self.characters += len(record.document.text)

    def fail(self) -> None:
        """Notes that something in the current file could not be read."""
        if self._open:
            self._open[-1].failed = True

    def end_file(self, file: FileEnd) -> None:
        """Ends the current file; a file with failures is read again the next time."""
        if self._open:
            self._open.pop()
        # Counted as read it would be skipped for ever, with what failed in it.
        if not file.failures:
            self.files.append(FileRead(file.sha256, file.origin, file.papers, complete=True))

    def cut(self) -> RecordBatch:
        """Returns what was collected, with the position in the open file, and empties this batch."""
        files = list(self.files)
        innermost = self._open[-1] if self._open else None
        if innermost is not None and innermost.seen > innermost.stored and not innermost.failed:
            start = innermost.start
            files.append(FileRead(start.sha256, start.origin, innermost.seen, complete=False))
        full = RecordBatch(self.records, files, self.characters, self.unchanged)
        self.records, self.files, self.characters, self.unchanged = [], [], 0, 0
        return full


@dataclass(frozen=True, slots=True)
class LibraryChange:
    """The change that a batch makes to the library."""

    written: tuple[PendingPaper, ...]
    """Papers that become new rows, in order."""
    documents: tuple[Document, ...]
    shadowed: dict[str, set[int]]
    """Per segment, the rows that new ones replace."""
    by_source: Counter[str]
    """Papers gained (or, by joining, lost) per scheme."""
    with_text: int
    """Number of papers that had no full text before."""
    matching: RecordMatcher

    @property
    def doubtful(self) -> int:
        """Number of pairs that may be one paper."""
        return sum(link.kind == "doubtful" for link in self.matching.links)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.written or self.documents or self.matching.links)


def with_change(manifest: Manifest, change: LibraryChange) -> Manifest:
    """`manifest` with the counts and shadows of `change`."""
    counts = Counter(dict(manifest.by_source))
    counts.update(change.by_source)
    ranked = sorted(
        ((name, count) for name, count in counts.items() if count > 0), key=lambda item: (-item[1], item[0])
    )
    return replace(
        manifest,
        segments=tuple(_with_shadowed(entry, change.shadowed) for entry in manifest.segments),
        papers=manifest.papers + change.by_source.total(),
        documents=manifest.documents + change.with_text,
        doubtful=manifest.doubtful + change.doubtful,
        by_source=tuple(ranked),
    )


def follow_merge(change: LibraryChange, merged: MergedSegment) -> LibraryChange:
    """`change` after the rows that it replaces were merged into the segment `merged`."""
    keys = {part.key for part in merged.parts} & change.shadowed.keys()
    if not keys:
        return change
    shadowed = {key: rows for key, rows in change.shadowed.items() if key not in keys}
    return replace(change, shadowed=shadowed | {merged.key: set(merged.new_rows(change.shadowed))})


@dataclass(frozen=True, slots=True)
class PendingBatch:
    """The previous batch, of which a child process is building the segment `key`; it is not in the library yet."""

    key: str
    change: LibraryChange

    def rows_sharing(self, papers: Sequence[Paper]) -> dict[RowRef, Paper]:
        """Rows of the batch that share an id or a title with any of `papers`."""
        rows = {pending: row for row, pending in enumerate(self.change.written)}
        shared = self.change.matching.pending_sharing(papers) & rows.keys()
        return {RowRef(self.key, rows[pending]): pending.paper for pending in shared}

    def replaces(self, ref: RowRef) -> bool:
        """Whether the batch replaces the row at `ref`."""
        return ref.row in self.change.shadowed.get(ref.segment, ())


@contextmanager
def open_for_batch(batch: RecordBatch, root: Path, library: DuckLibrary) -> Iterator[DuckLibrary]:
    """Opens the library in `root` to look up the records of `batch`; `library` is already open.

    Many are looked up by scanning whole tables. What DuckDB keeps of those grows with the library, so they get a
    connection of their own, which is closed afterwards.
    """
    if len(batch.records) <= FEW_RECORDS:
        yield library
        return
    batch_library = DuckLibrary(root)
    try:
        yield batch_library
    finally:
        batch_library.close()


def match_records(
    batch: RecordBatch, library: DuckLibrary, *, timestamp: str, ahead: PendingBatch | None = None
) -> Task[LibraryChange]:
    """Finds which records are one paper: among each other, in the newest snapshot of `library`, and in `ahead`."""
    snapshot = library.snapshot()
    known = {} if ahead is None else ahead.rows_sharing([record.paper for record in batch.records])
    for position in range(0, len(batch.records), _LOOKUP_RECORDS):
        yield Progress("matching", position, len(batch.records))
        # Portions, because what a statement answers counts against DuckDB's memory.
        known |= _known_papers(batch.records[position : position + _LOOKUP_RECORDS], library, snapshot, ahead)
    # Sorted by where they are, so that the oldest of several fitting papers is met first.
    matching = RecordMatcher(
        sorted(known.items()), _known_documents(batch.records, library, snapshot), timestamp=timestamp
    )
    for position, record in enumerate(batch.records):
        if position % _RECORDS_PER_EVENT == 0:
            yield Progress("matching", position, len(batch.records))
        matching.add_record(record)
    yield from _align_pages(matching.pending_papers, library)
    return change_of(matching)


def _align_pages(pending_papers: Iterable[PendingPaper], library: DuckLibrary) -> Task[None]:
    """Adds page numbers to the texts of every pending paper with new full texts, wherever its other text is."""
    for pending in pending_papers:
        if pending.documents:
            yield Progress("finding pages")
            pending.documents |= _newly_located(pending, library)


def _newly_located(pending: PendingPaper, library: DuckLibrary) -> dict[DocumentId, Document]:
    stored = library.documents(pending.before.id) if pending.before is not None and pending.before.full_text else ()
    # Later ones replace earlier ones: of the stored texts the best comes first, and new ones count before any stored.
    newest = {document.origin: document for document in (*reversed(stored), *pending.documents.values())}
    pdf = newest.get("pdf")
    best = next((newest[origin] for origin in ORIGINS_BEST_FIRST if origin in newest), None)
    # Pages come from the PDF alone; a better text gets them, a PDF has its own.
    if pdf is None or best is None or best is pdf:
        return {}
    aligned = align_pages(best, pdf)
    return {aligned.id: aligned} if count_located(aligned) > count_located(best) else {}


def write_spool(change: LibraryChange, folder: Path) -> Task[None]:
    """Writes the lines of the new segment into `folder`."""
    tables = SegmentTables(folder)
    try:
        for position, pending in enumerate(change.written):
            if position % _RECORDS_PER_EVENT == 0:
                yield Progress("storing", position, len(change.written))
            tables.add_paper(pending.paper)
        for position, document in enumerate(change.documents):
            if position % _DOCUMENTS_PER_EVENT == 0:
                yield Progress("storing", position, len(change.documents))
            tables.add_document(document)
        for link in change.matching.links:
            tables.add_link(link)
    finally:
        tables.close()


def _known_papers(
    records: Sequence[Parsed], library: DuckLibrary, snapshot: Snapshot, ahead: PendingBatch | None
) -> dict[RowRef, Paper]:
    """The library's papers that share an id or a title with any of `records`."""
    ids = {folded_id(paper_id) for record in records for paper_id in paper_ids(record.paper)}
    by_id = rows_by_bare(library.view, snapshot, {bare_key(paper_id) for paper_id in ids})
    hashes = {identity_hash(record.paper.title) for record in records} - {0}
    by_title = rows_by_title(library.view, snapshot, hashes)
    refs = {ref for located in by_id.values() for known_id, ref in located if folded_id(known_id) in ids}
    refs.update(ref for located in by_title.values() for ref in located)
    refs.update(_rows_by_file(records, library, snapshot))
    ordered = sorted(ref for ref in refs if ahead is None or not ahead.replaces(ref))
    return dict(zip(ordered, library.papers(snapshot, ordered), strict=True))


def _rows_by_file(records: Sequence[Parsed], library: DuckLibrary, snapshot: Snapshot) -> Iterator[RowRef]:
    """The rows of records to which a PDF among `records` is attached."""
    pdfs = [record.paper for record in records if record.paper.provenance.format == "pdf"]
    files = {annotated.file for paper in pdfs for annotated in paper.imprint.annotated_files}
    if files:
        for segment in snapshot.segments:
            shadowed = set(segment.shadowed)
            rows = rows_with_files(library.view, segment, files)
            yield from (RowRef(segment.key, row) for row in rows if row not in shadowed)


def _known_documents(
    records: Sequence[Parsed], library: DuckLibrary, snapshot: Snapshot
) -> Iterator[tuple[DocumentId, int]]:
    ids = sorted({record.document.id for record in records if record.document is not None})
    if ids:
        for segment in snapshot.segments:
            for document_id, located in library.view.select(segment, _DOCUMENTS_SQL, [ids]):
                yield DocumentId(text(document_id)), integer(located)


def change_of(matching: RecordMatcher) -> LibraryChange:
    """What has to be written for what `matching` has found."""
    changed_papers = [pending for pending in matching.pending_papers if pending.changed]
    shadowed: dict[str, set[int]] = {}
    by_source: Counter[str] = Counter()
    for pending in changed_papers:
        for ref in pending.stored:
            shadowed.setdefault(ref.segment, set()).add(ref.row)
        if pending.before is None:
            by_source[scheme_of(pending.paper.id)] += 1
    absorbed_papers = [
        pending for pending in matching.pending_papers if pending.absorbed and pending.before is not None
    ]
    for pending in absorbed_papers:
        by_source[scheme_of(pending.paper.id)] -= 1
    with_text = sum(pending.paper.full_text and not _had_text(pending) for pending in changed_papers)
    lost_text = sum(_had_text(pending) for pending in absorbed_papers)
    return LibraryChange(
        written=tuple(changed_papers),
        documents=tuple(
            replace(document, paper_id=pending.paper.id)
            for pending in matching.pending_papers
            if not pending.absorbed
            for document in pending.documents.values()
        ),
        shadowed=shadowed,
        by_source=by_source,
        with_text=with_text - lost_text,
        matching=matching,
    )


def _had_text(pending: PendingPaper) -> bool:
    return pending.before is not None and pending.before.full_text


def _with_shadowed(entry: SegmentEntry, shadowed: Mapping[str, set[int]]) -> SegmentEntry:
    # Ascending, as the manifest writes them in runs.
    rows = shadowed.get(entry.key)
    return entry if not rows else replace(entry, shadowed=tuple(sorted({*entry.shadowed, *rows})))
