"""The library as a reader sees it, and what an import reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.document import Document
    from litterm.model.paper import Paper, PaperId


@dataclass(frozen=True, slots=True, order=True)
class RowRef:
    """One row of one segment; the address by which an index names a paper."""

    segment: str
    row: int
    """From 0 within the segment."""


@dataclass(frozen=True, slots=True)
class FileChecksum:
    """Size and checksums of a segment's file at the time it was published."""

    name: str
    """Below the segment's folder, with `/`."""
    size: int
    crc: int
    """CRC-32 of all its bytes."""
    head: int
    """CRC-32 of its first few kilobytes, which hold the header."""


@dataclass(frozen=True, slots=True)
class Segment:
    """An immutable part of the library."""

    key: str
    folder: Path
    count: int
    """Rows, shadowed ones included."""
    shadowed: tuple[int, ...] = ()
    """Rows replaced by a later segment, ascending; never shown."""
    # Not compared: a segment is the same for a reader who does not know its checksums.
    files: tuple[FileChecksum, ...] = field(default=(), compare=False, repr=False)
    """Empty where an older litterm published it."""
    average_length: float | None = field(default=None, compare=False, repr=False)
    """In stems, what the weights of its index were made with; `None` for what every index is built with."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Snapshot:
    """What the library held at one moment; a reader keeps it for the length of a query.

    Its segments stay readable as long as somebody holds the object: the library looks at it weakly.
    """

    generation: int
    segments: tuple[Segment, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it shows no paper at all; cheaper than counting them."""
        return all(len(segment.shadowed) >= segment.count for segment in self.segments)


MissingPart = Literal["record", "text", "fields", "file"]
"""What is missing: papers, the full text of a known one, or some fields of one in the library."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that could not be imported, kept until it is retried or dismissed."""

    origin: str
    """Path (with `!member` inside an archive, `:line` inside JSON Lines) or URL."""
    cause: str
    """One sentence."""
    transient: bool = False
    at: str = ""
    """UTC, ISO 8601."""
    missing: MissingPart = "record"
    """`file`: there is none at this path; told, but kept only if it failed before when it was there."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One paper read from a file."""

    paper: Paper
    document: Document | None = None
    remark: str = ""
    """What had to be guessed to read its file, as one sentence; told once, with the first record."""


@dataclass(frozen=True, slots=True)
class FileStart:
    """A file, or an archive, or a member of one, is about to be read; its papers follow until its `FileEnd`."""

    origin: str
    """Path, with `!member` inside an archive."""
    sha256: str
    """Of the content and of what it was read with (parser version, venue names): the same means the same papers."""
    size: int
    """Bytes as stored; an archive's members are counted unpacked."""


@dataclass(frozen=True, slots=True)
class FileProgress:
    """`done` of `total` bytes of the file or archive `origin`; said often enough to show and to be stopped."""

    origin: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class FileEnd:
    """Everything of a file was yielded; only one without failures may be skipped the next time."""

    origin: str
    sha256: str
    papers: int
    failures: int = 0


@dataclass(frozen=True, slots=True)
class FileSkipped:
    """A file was left out because its `sha256` is known."""

    origin: str
    sha256: str


ReadEvent = Parsed | Failure | FileStart | FileProgress | FileEnd | FileSkipped
"""What a reader yields. An archive's `FileStart` and `FileEnd` enclose those of its members."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A record that was merged into a paper that the library had."""

    title: str
    """As the record has it."""
    bibkey: str
    """The citation key of the record; empty without one."""
    paper_id: PaperId
    paper_title: str


@dataclass(frozen=True, slots=True)
class KeptApart:
    """A new paper that shares an id or a title with another one, but is not certainly the same."""

    paper_id: PaperId
    title: str
    other_id: PaperId
    other_title: str
    shared_id: str = ""
    """The id that both state; empty where they share a title only."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What `add` did. Counts are papers."""

    added: int = 0
    merged: int = 0
    """Known papers that gained or changed a field or a full text."""
    unchanged: int = 0
    documents: int = 0
    """Full texts stored."""
    doubtful: int = 0
    """Pairs of a new paper and one with its title that may be the same; kept apart, and listed by the library."""
    skipped_files: int = 0
    """Files whose content had been imported before."""
    failures: tuple[Failure, ...] = ()
    first_ids: tuple[PaperId, ...] = ()
    """The first few ids added or merged, at most 20."""
    remarks: tuple[str, ...] = ()
    """What the user should know of files that were imported, as `path: sentence`."""
    merges: tuple[Merged, ...] = ()
    """Which records were merged into which papers; the first 1,000."""
    kept_apart: tuple[KeptApart, ...] = ()
    """New papers that may be known ones; the first 1,000."""
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What became of the papers of an import that was taken back."""

    hidden: tuple[PaperId, ...]
    """Papers that came from it alone, and were visible."""
    changed: tuple[PaperId, ...]
    """Papers that other sources state too, without what it said of them."""


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """Counts for the status line and `doctor`."""

    generation: int
    papers: int
    documents: int
    by_source: tuple[tuple[str, int], ...] = ()
    """Scheme and papers, the largest first."""
    segments: int = 0
    bytes_on_disk: int = 0
    writer: str = ""
    """Who holds the write lock now (pid, command, since); empty if nobody."""
    failures: int = 0
    in_part: int = 0
    """Of the failures, so many records that were read without some of their fields."""
    notices: tuple[str, ...] = field(default=())
