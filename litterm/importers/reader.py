"""Reads files, folders and archives into papers; recognises formats by their content."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from litterm.core.errors import BadInput
from litterm.core.temporary_files import scratch_folder
from litterm.importers.attached_files import FORMATS_WITH_FILES, AttachedPdf, find_attached
from litterm.importers.byte_sources import (
    Content,
    check_expansion,
    digest_steps,
    file_content,
    gunzip_content,
)
from litterm.importers.deferred import Step, in_file_order
from litterm.importers.detect import SQLITE_HEAD_BYTES, SQLITE_MAGIC, Format, Unreadable, detect
from litterm.importers.file_walk import FileEntry, walk_files
from litterm.importers.import_context import ImportContext, is_archive, is_side_data
from litterm.importers.registry import (
    PARSER_FAULT_MESSAGE,
    PARSER_FAULTS,
    PARSER_VERSION,
    TOO_DEEP_MESSAGE,
    BytesRead,
    InProcessParser,
    RecordParser,
)
from litterm.interfaces import PdfParser
from litterm.model.library import Failure, FileEnd, FileProgress, FileSkipped, FileStart, Parsed, ReadEvent

T = TypeVar("T")
_log = logging.getLogger(__name__)

_MAX_DEPTH: Final = 3
"""Archives inside archives inside archives; deeper ones are left out."""
_RECORDS_PER_PROGRESS: Final = 200
_PDF_BATCH_SIZE: Final = 16
_NO_PDF_READER_MESSAGE: Final = "PDF files cannot be read here: no PDF reader is set up."


class FileReader:
    """Reads whatever `litterm add` is given; keeps nothing between two calls of `read`.

    PDF files go to `pdf`, all others to what `parser` makes, for each call a new one.
    """

    def __init__(self, pdf: PdfParser | None = None, parser: Callable[[Path], RecordParser] | None = None) -> None:
        self._pdf = pdf
        self._parser = parser or (lambda _folder: InProcessParser())
        self._is_attached_read = False
        self._only: Collection[str] | None = None

    def with_attached_files(self) -> FileReader:
        """The same, but with each record of a bibliography its PDF is read, wherever on this machine it lies.

        For files that the user has named, never for what was downloaded or sent: it would choose what is read.
        """
        other = copy(self)
        other._is_attached_read = True
        return other

    def limited_to(self, paths: Collection[str]) -> FileReader:
        """The same, but of a folder only these files are read."""
        other = copy(self)
        other._only = paths
        return other

    def read(self, path: Path, known: Callable[[str], bool]) -> Iterator[ReadEvent]:
        """Every paper under `path`, a file, folder or archive, and every part that could not be read.

        Files, archives and their members whose `sha256` is `known` are skipped. Never raises for bad input.
        PDF files come last, so that better sources of the same papers are in the library before them. What is read
        is named by its whole path: it is looked for again from other working directories.
        """
        with scratch_folder() as folder, closing(self._parser(folder)) as parser:
            path_reader = _PathReader(_absolute(path), known, self._pdf, parser, folder)
            path_reader.is_attached_read, path_reader.only = self._is_attached_read, self._only
            yield from in_file_order(path_reader.run(), str(path))


class _PathReader:
    """One call of `FileReader.read`."""

    def __init__(
        self, path: Path, known: Callable[[str], bool], pdf: PdfParser | None, parser: RecordParser, folder: Path
    ) -> None:
        self._path = path
        self._known = known
        self._pdf = pdf
        self._parser = parser
        self._folder = folder
        self._position = _Position(str(path))
        self._entries: list[FileEntry] = []
        self._collection = ImportContext()
        self._surveyed = False
        self._pdfs: list[tuple[Path, str, str]] = []
        self.is_attached_read = False
        self.only: Collection[str] | None = None
        """The files of a folder that are read; `None` for all."""
        self._attached: set[str] = set()
        """Where the PDFs are that belong to records: they are no papers of their own."""

    def run(self) -> Iterator[Step]:
        for item in walk_files(self._path):
            if isinstance(item, Failure):
                yield item
            elif self.only is None or str(item.path) in self.only:
                # All files first: progress needs their size, and the survey of hyphens their text.
                self._entries.append(item)
                self._position.total += item.size
        for entry in self._entries:
            waiting = len(self._pdfs)
            yield from self._read_entry(entry)
            # A PDF is only set aside: it counts as read when it has been.
            if len(self._pdfs) == waiting:
                yield self._position.advance(entry.size)
        yield from self._read_pdfs()

    def _read_entry(self, entry: FileEntry) -> Iterator[Step]:
        if self._is_attached(entry.path):
            return
        content = file_content(entry.path, entry.size)
        # Opened by the position, which tells by the stream how far the reading has come.
        content = replace(content, open=lambda: self._position.open(entry.path))
        try:
            kind = self._kind(content)
        except OSError as error:
            yield Failure(content.origin, f"Cannot be read: {error.strerror or error}.", transient=True)
            return
        if not isinstance(kind, Unreadable):
            yield from self._read_content(content, kind, 0)
        elif entry.path == self._path or not (kind.ignorable or is_side_data(content.origin)):
            yield Failure(content.origin, kind.cause)

    def _kind(self, content: Content) -> Format | Unreadable:
        head = content.head()
        if head.startswith(SQLITE_MAGIC):
            with content.open() as stream:
                head = stream.read(SQLITE_HEAD_BYTES)
        return detect(head, content.origin)

    def _read_content(self, content: Content, kind: Format, depth: int) -> Iterator[Step]:
        """One file or member between its `FileStart` and its `FileEnd`, unless it is known."""
        if kind == "anthology" and content.path is not None and not depth:
            self._collection.add_venues_near(content.path)
        sha256 = ""
        for sha256 in digest_steps(content, f"{PARSER_VERSION}{kind}{self._seed(content, kind)}"):
            if not sha256:
                yield self._position.current_progress()
        self._position.restart(depth)
        if self._known(sha256):
            yield FileSkipped(content.origin, sha256)
            yield from self._changed_attached(content, kind, depth)
            return
        if kind == "pdf":
            yield from self._defer_pdf(content, sha256)
            return
        yield FileStart(content.origin, sha256, content.size)
        papers = failures = 0
        for reading in self._with_attached(content, kind, depth):
            papers += isinstance(reading, Parsed)
            failures += isinstance(reading, Failure)
            yield reading
        yield FileEnd(content.origin, sha256, papers, failures)

    def _changed_attached(self, content: Content, kind: Format, depth: int) -> Iterator[Step]:
        """The PDFs that the records of an unchanged file name, as far as they were annotated or added since."""
        if not self._reads_attached(content, kind, depth):
            return
        found: list[AttachedPdf] = []
        for step in self._read_guarded(content, kind, depth):
            if isinstance(step, Parsed):
                attached = find_attached(step.paper, Path(content.path or ""))
                found += [attached] if attached is not None else []
            elif isinstance(step, FileProgress):
                yield step
        # The file is reported as unchanged by itself; which of its PDFs are known needs no report.
        yield from (step for step in self._read_attached(found) if not isinstance(step, FileSkipped))

    def _reads_attached(self, content: Content, kind: Format, depth: int) -> bool:
        # Not in archives: they come from others.
        return self.is_attached_read and content.path is not None and not depth and kind in FORMATS_WITH_FILES

    def _with_attached(self, content: Content, kind: Format, depth: int) -> Iterator[Step]:
        """What is in a file, and then, before it counts as read, the PDFs that its records name."""
        steps = self._read_guarded(content, kind, depth)
        if not self._reads_attached(content, kind, depth):
            yield from steps
            return
        found: list[AttachedPdf] = []
        for step in steps:
            yield step
            attached = find_attached(step.paper, Path(content.path or "")) if isinstance(step, Parsed) else None
            if attached is not None:
                found.append(attached)
                self._attached |= attached.places()
        yield from self._read_attached(found)

    def _read_attached(self, found: Sequence[AttachedPdf]) -> Iterator[Step]:
        """Papers that join the records; a file that was read for the same record is skipped."""
        waiting: list[tuple[AttachedPdf, Content, list[str]]] = []
        for attached in found:
            if (unread := (yield from self._unread_attached(attached))) is not None:
                self._position.total += unread[0].size
                self._attached |= attached.places()
                waiting.append((attached, *unread))
        awaited = iter(waiting)
        for result in self._parse_pdfs([attached.path for attached, _, _ in waiting]):
            if result is None:
                yield self._position.current_progress()
                continue
            attached, content, digests = next(awaited)
            for sha256 in reversed(digests):
                yield FileStart(attached.origin, sha256, content.size)
            yield attached.joined(result)
            failed = isinstance(result, Failure)
            for sha256 in digests:
                yield FileEnd(attached.origin, sha256, int(not failed), int(failed))
            yield self._position.advance(content.size)

    def _unread_attached(self, attached: AttachedPdf) -> Generator[Step, None, tuple[Content, list[str]] | None]:
        """The bytes and digests of a PDF that is to be read; `None` where it is known, or gone."""
        stamp = attached.stamp()
        if self._known(stamp):
            yield FileSkipped(attached.origin, stamp)
            return None
        try:
            content = attached.content
            digests = yield from self._attached_digests(attached, content)
        except OSError as error:
            yield Failure(attached.origin, f"Cannot be read: {error.strerror or error}.", transient=True)
            return None
        if not self._known(digests[0]):
            return content, [*digests, stamp]
        # Known by its bytes: the next time these need not be read.
        yield FileStart(attached.origin, stamp, 0)
        yield FileEnd(attached.origin, stamp, 0)
        yield FileSkipped(attached.origin, digests[0])
        return None

    def _attached_digests(self, attached: AttachedPdf, first: Content) -> Generator[ReadEvent, None, list[str]]:
        """The digest of a record's PDF, and those of all its PDFs as papers of their own.

        They are known by all of these, should the folder in which they lie be added.
        """
        others = [file_content(path, path.stat().st_size) for path in attached.others]
        digests = []
        for content, record in ((first, f"@{attached.paper.id}"), (first, ""), *((other, "") for other in others)):
            sha256 = ""
            for sha256 in digest_steps(content, f"{PARSER_VERSION}pdf{record}"):
                if not sha256:
                    yield self._position.current_progress()
            digests.append(sha256)
        return list(dict.fromkeys(digests))

    def _is_attached(self, path: Path) -> bool:
        return bool(self._attached) and os.path.realpath(path) in self._attached

    def _seed(self, content: Content, kind: Format) -> str:
        """Differs where the same bytes give other papers, because of what lies beside them."""
        if kind == "anthology":
            return self._collection.seed()
        if kind == "zotero" and content.path is not None:
            from litterm.importers.zotero.database_copy import side_digest

            return side_digest(content.path, Path.home())
        return ""

    def _read_guarded(self, content: Content, kind: Format, depth: int) -> Iterator[Step]:
        """What is in a file; whatever is wrong with it becomes its failure."""
        try:
            yield from self._read_inside(content, kind, depth)
        except BadInput as error:
            yield Failure(content.origin, str(error))
        except RecursionError:
            yield Failure(content.origin, TOO_DEEP_MESSAGE)
        except PARSER_FAULTS:
            _log.exception("parser failed on %s", content.origin)
            yield Failure(content.origin, PARSER_FAULT_MESSAGE)
        except MemoryError:
            yield Failure(content.origin, "Needs more memory than is available.", transient=True)
        except OSError as error:
            yield Failure(content.origin, f"Cannot be read: {error.strerror or error}.", transient=True)

    def _read_inside(self, content: Content, kind: Format, depth: int) -> Iterator[Step]:
        if is_archive(content, kind):
            yield from self._read_archive(content, depth)
            return
        if kind == "gzip":
            if content.share is not None:
                check_expansion(content)
            content = gunzip_content(content)
            inner = self._kind(content)
            if isinstance(inner, Unreadable) or inner in ("gzip", "zip", "pdf"):
                raise BadInput(
                    inner.cause if isinstance(inner, Unreadable) else f"{inner} inside gzip; unpack it first."
                )
            kind = inner
        yield from self._survey(content, kind)
        with closing(_as_generator(self._parser.records(content, kind, self._collection))) as records:
            for count, record in enumerate(records, 1):
                if isinstance(record, BytesRead):
                    yield self._position.advance_to(0 if depth else record.offset)
                    continue
                yield record
                if count % _RECORDS_PER_PROGRESS == 0:
                    yield self._position.current_progress()

    def _survey(self, content: Content, kind: Format) -> Iterator[ReadEvent]:
        """Before the first file whose text may have gaps: look through all of the collection's."""
        if self._surveyed or kind not in ("anthology", "jsonl"):
            return
        self._surveyed = True
        for _ in self._collection.survey(file_content(entry.path, entry.size) for entry in self._entries):
            yield self._position.current_progress()

    def _read_archive(self, content: Content, depth: int) -> Iterator[Step]:
        if depth >= _MAX_DEPTH:
            raise BadInput(f"An archive inside {_MAX_DEPTH} others; unpack it first.")
        # An archive is a collection of its own: its venues and words say nothing about the files next to it.
        outer, self._collection = self._collection, ImportContext()
        surveyed, self._surveyed = self._surveyed, True
        pdfs, self._pdfs = self._pdfs, []
        try:
            yield from self._read_members(content, depth)
            # Before the archive ends: it may be called known only when all of it was read.
            yield from self._read_pdfs()
        finally:
            # Of a damaged one, its own PDFs are read with those that wait outside.
            self._collection, self._surveyed, self._pdfs = outer, surveyed, [*pdfs, *self._pdfs]

    def _read_members(self, content: Content, depth: int) -> Iterator[Step]:
        for _ in self._collection.survey_archive(content, self._folder):
            yield self._position.current_progress()
        self._position.restart(depth)
        total = remaining = self._collection.kept_bytes()
        for member in self._collection.members(content, self._folder):
            if isinstance(member, Failure):
                yield member
                continue
            yield from self._read_member(member, depth)
            remaining -= member.size
            yield (
                self._position.current_progress()
                if not total or depth
                else self._position.advance_share(content.size, 1 - remaining / total)
            )

    def _read_member(self, member: Content, depth: int) -> Iterator[Step]:
        kind = self._kind(member)
        if not isinstance(kind, Unreadable):
            yield from self._read_content(member, kind, depth + 1)
        elif not (kind.ignorable or is_side_data(member.origin)):
            yield Failure(member.origin, kind.cause)
        if member.path is not None and kind != "pdf":
            member.path.unlink(missing_ok=True)

    def _defer_pdf(self, content: Content, sha256: str) -> Iterator[ReadEvent]:
        """Keep a PDF file for the end; those of archives are written to our own folder and read in batches."""
        path = content.path
        if path is None:
            path = self._folder / f"{sha256}.pdf"
            with content.open() as stream:
                path.write_bytes(stream.read())
        self._pdfs.append((path, content.origin, sha256))
        # Copies of members: a few at a time, so that an archive of thousands does not fill the disk.
        if content.path is None and len(self._pdfs) >= _PDF_BATCH_SIZE:
            yield from self._read_pdfs()

    def _read_pdfs(self) -> Iterator[ReadEvent]:
        waiting, self._pdfs = [pdf for pdf in self._pdfs if not self._is_attached(pdf[0])], []
        awaited = iter(waiting)
        for parsed in self._parse_pdfs([path for path, _, _ in waiting]):
            if parsed is None:
                yield self._position.current_progress()
                continue
            path, origin, sha256 = next(awaited)
            size = path.stat().st_size
            yield FileStart(origin, sha256, size)
            yield _with_origin(parsed, origin)
            failed = isinstance(parsed, Failure)
            yield FileEnd(origin, sha256, int(not failed), int(failed))
            if path.parent == self._folder:
                path.unlink(missing_ok=True)
            else:
                yield self._position.advance(size)

    def _parse_pdfs(self, paths: Sequence[Path]) -> Iterator[Parsed | Failure | None]:
        """One result a path, in order; `None` while none is ready."""
        if self._pdf is None:
            yield from (Failure(str(path), _NO_PDF_READER_MESSAGE) for path in paths)
            return
        for result in self._pdf.parse_files(paths):
            yield None if result is None else result[1]


def _as_generator(records: Iterator[T]) -> Generator[T, None, None]:
    yield from records


def _absolute(path: Path) -> Path:
    try:
        return path.absolute()
    except FileNotFoundError:
        # The working directory was deleted: then there is no file either.
        return path


def _with_origin(reading: Parsed | Failure, origin: str) -> Parsed | Failure:
    """`reading` under the name the user knows the file by."""
    if isinstance(reading, Failure):
        return replace(reading, origin=origin)
    paper = reading.paper
    annotated = tuple(replace(file, file=os.path.normpath(origin)) for file in paper.imprint.annotated_files)
    return replace(
        reading,
        paper=replace(
            paper,
            imprint=replace(paper.imprint, annotated_files=annotated),
            provenance=replace(paper.provenance, origin=origin),
        ),
    )


class _Position:
    """How far the reading of a path has come, in bytes of its files."""

    def __init__(self, origin: str) -> None:
        self.total = 0
        self._origin = origin
        self._passed = 0
        self._done = 0
        self._file: BinaryIO | None = None

    def open(self, path: Path) -> BinaryIO:
        self._file = path.open("rb")
        return self._file

    def advance(self, size: int) -> FileProgress:
        self._file = None
        self._passed += size
        return self.current_progress()

    def restart(self, depth: int) -> None:
        """The file was only looked through, and is read from its start now; members of archives stay where they are."""
        if not depth:
            self._file, self._done = None, self._passed

    def advance_to(self, offset: int) -> FileProgress:
        """The file under work was read up to `offset` elsewhere."""
        self._done = max(self._done, min(self.total, self._passed + offset))
        return self.current_progress()

    def advance_share(self, size: int, read_share: float) -> FileProgress:
        """How far, where the share `read_share` in [0, 1] of a file of `size` bytes was read from memory."""
        self._done = max(self._done, min(self.total, self._passed + round(size * read_share)))
        return self.current_progress()

    def current_progress(self) -> FileProgress:
        current_bytes = 0
        if self._file is not None and not self._file.closed:
            current_bytes = self._file.tell()
        # Of a file that was just closed it is not known how far it was read: never say less than before.
        self._done = max(self._done, min(self.total, self._passed + current_bytes))
        return FileProgress(self._origin, self._done, self.total)
