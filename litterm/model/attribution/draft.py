"""A manuscript: its open citation marks, its citations, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.attribution.citation import Attribution
    from litterm.model.document import Span
    from litterm.model.evidence import Evidence
    from litterm.model.paper import Paper, PaperId

DraftForm = Literal["tex", "markdown", "text"]
CitationSupport = Literal["supported", "weak", "nothing", "contradicted", "title only", "absent", "unreadable"]
"""What a cited paper says to its citing sentence; `contradicted`: its wording makes that likely; `title only`: too
little of it is here; `absent`: it is not in the library; `unreadable`: the sentence has no word to search for."""


@dataclass(frozen=True, slots=True)
class FilePosition:
    """Where something is in a file, for people and for editors."""

    span: Span
    """In characters of the whole text."""
    line: int
    """From 1."""
    column: int
    """In characters, from 1."""
    byte_column: int
    """In bytes of UTF-8, from 1; what vim counts in."""


@dataclass(frozen=True, slots=True)
class DraftSummary:
    """A draft that was reviewed, and how far its open marks are decided."""

    path: Path
    decided: int
    marks: int


@dataclass(frozen=True, slots=True)
class DraftMark:
    """A place where a citation is missing."""

    index: int
    position: FilePosition
    """Of the whole command or bracket; without width at the end of a text that has no mark."""
    slot: Span
    """What gives way to `before`, the key and `after`; nothing outside it changes."""
    before: str
    after: str
    excerpt: str
    """The paragraph as plain words, `[CITATION]` for this mark and `[1]`, `[2]` for the other citations."""


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """A citation that is there already."""

    position: FilePosition
    keys: tuple[str, ...]
    excerpt: str
    """As in `DraftMark`."""


InclusionKind = Literal["input", "include", "import", "subimport", "optional", "only"]
"""How a file is taken in: from the draft's folder (with `include`, if `only` names it), from a named folder, from one
below the file that takes it in, or if it is there at all; `only` names what `include` may take in."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A place where a draft takes in another file."""

    kind: InclusionKind
    name: str
    """As written."""
    span: Span
    """Of the name, in characters of the text."""
    folder: str = ""
    """Of `import` and `subimport`, as written."""
    has_text: bool = True
    """Not in the preamble: the file is part of what is read."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A manuscript with its open marks, its citations and the bibliographies it names."""

    text: str
    form: DraftForm
    marks: tuple[DraftMark, ...]
    citations: tuple[DraftCitation, ...]
    bibliographies: tuple[str, ...] = ()
    """As the text names them."""
    inclusions: tuple[Inclusion, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftFile:
    """One file of a draft, which may be made of several."""

    path: Path
    encoding: str
    draft: Draft
    """The indices of its marks count through all files."""
    taken_in_at: tuple[tuple[Path, Span], ...] = ()
    """Where other files name it, and that name's place in them."""
    has_text: bool = True
    """Not taken in by a preamble: it has marks and citations."""


@dataclass(frozen=True, slots=True)
class DraftProject:
    """A draft on this disk, the files that it takes in, and the bibliographies that belong to it."""

    path: Path
    encoding: str
    draft: Draft
    """Of the file at `path`."""
    bibs: tuple[Path, ...] = ()
    """Existing files, that of new entries first."""
    entries: tuple[Paper, ...] = ()
    """All of theirs; each paper's `imprint.bibkey` is its key there."""
    notices: tuple[str, ...] = ()
    included: tuple[DraftFile, ...] = ()
    """The files that it takes in, in order."""

    @property
    def files(self) -> tuple[DraftFile, ...]:
        """The file at `path` and those that it takes in."""
        return (DraftFile(self.path, self.encoding, self.draft), *self.included)

    @property
    def marks(self) -> tuple[DraftMark, ...]:
        """The open marks of all files, by index."""
        return tuple(mark for file in self.files for mark in file.draft.marks)

    @property
    def citations(self) -> tuple[DraftCitation, ...]:
        """The citations of all files in the order in which a reader meets them."""
        children: dict[Path, list[tuple[int, DraftFile]]] = {}
        for file in self.included:
            for path, span in file.taken_in_at[:1]:
                children.setdefault(path, []).append((span.start, file))

        def walk(file: DraftFile) -> Iterator[DraftCitation]:
            waiting = sorted(children.get(file.path, []), key=lambda item: item[0])
            for citation in file.draft.citations:
                while waiting and waiting[0][0] < citation.position.span.start:
                    yield from walk(waiting.pop(0)[1])
                yield citation
            for _, child in waiting:
                yield from walk(child)

        return tuple(walk(self.files[0]))

    @property
    def bibliographies(self) -> tuple[str, ...]:
        """The bibliographies that any file names, as written."""
        return tuple(dict.fromkeys(name for file in self.files for name in file.draft.bibliographies))


@dataclass(frozen=True, slots=True)
class MarkAnswer:
    """The candidates of one open mark."""

    path: Path
    """Of the file that holds it."""
    mark: DraftMark
    attribution: Attribution | None
    """`None`: it could not be asked for; `error` says why."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class ReviewedDraft:
    """A draft with an answer for every open mark."""

    project: DraftProject
    answers: tuple[MarkAnswer, ...]
    keys: Mapping[PaperId, str]
    """Under which key each candidate is cited: its own in the project's bibliography, else one that is free there."""
    held: frozenset[PaperId] = frozenset()
    """Candidates that the project's bibliography has."""


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """What a review left on the disk."""

    draft: Path
    bib: Path | None
    """Where the new entries are; `None` when there were none."""
    accepted: int
    """Marks that were filled in."""
    entries: int
    """Papers added to `bib`."""
    kept: tuple[Path, ...] = ()
    """Where files are that was in the place of those written."""
    notice: str = ""
    """What is left to do before it compiles; empty if nothing."""
    parts: tuple[Path, ...] = ()
    """Further files that were written, of a draft that takes in others."""


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A key that a draft cites, and its paper in the library; `None` where it has none."""

    key: str
    paper: Paper | None


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """What one cited paper says to the sentence that cites it."""

    path: Path
    """Of the file that holds the citation."""
    citation: DraftCitation
    key: str
    support: CitationSupport
    claim: str = ""
    """The citing sentence without its marks."""
    paper: Paper | None = None
    evidence: Evidence | None = None
    where: tuple[str, ...] = ()
    """Where in the paper each sentence of `evidence` stands."""
