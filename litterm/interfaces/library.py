"""Papers and full texts by id, by row and by title; and how they get into the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.model.document import Document
    from litterm.model.library import (
        Failure,
        LibraryStatus,
        Parsed,
        RowRef,
        Segment,
        Snapshot,
    )
    from litterm.model.paper import Byline, Paper, PaperId


class Records(Protocol):
    """Papers and full texts by id; safe from any thread, never waits for a writer.

    `PaperLookup` over the user's papers and the starter library, every `Library`, and `RemoteRecords` of a server.
    """

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is, with or without its scheme; empty if unknown."""
        ...

    def find_by_citation_key(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per citation key, as in the user's bibliography, the papers that bear it; empty if unknown."""
        ...

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids or aliases, in order.

        Raises:
            UnknownPaper: one of them is not in the library.
        """
        ...

    def document(self, paper_id: PaperId) -> Document | None:
        """The best parsed full text (JATS before PDF), or `None`."""
        ...


class Library(Records, Protocol):
    """Reading by id and by row.

    `DuckLibrary` on the disk, `ShownLibrary` with the user's decisions, `MemoryLibrary` of benchmarks in memory.
    """

    def snapshot(self) -> Snapshot:
        """The newest published state; cheap (one stat) when nothing changed."""
        ...

    def papers(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Paper, ...]:
        """The papers at `rows`, in that order."""
        ...

    def texts(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[tuple[str, str], ...]:
        """Title and abstract at `rows`, in that order; for verifying phrases."""
        ...

    def author_rows(self, snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
        """Per name, the rows with an author whose name holds every word of it, accents and case folded.

        Words with an apostrophe between them stand side by side. A star behind a name makes its last word the beginning
        of one.
        """
        ...

    def keywords(self, segment: Segment) -> Mapping[int, tuple[str, ...]]:
        """The keywords of the papers of `segment` that have any, by row; read once."""
        ...

    def added_times(self, segment: Segment) -> Sequence[int]:
        """When each paper of `segment` came into the library, in seconds since 1970, row by row; read once.

        0 where that is not known.
        """
        ...

    def status(self) -> LibraryStatus:
        """Counts and who is writing."""
        ...


class WorkLookup(Protocol):
    """Papers by id, by title, or by author and year: all that resolving a reference asks for.

    On this disk `library.title_lookup.LibraryWorks`, on a server `RemoteWorks`.
    """

    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per title, the papers with an equal title key and equal numerals, ascending; empty if unknown."""
        ...

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is."""
        ...

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids, in order."""
        ...

    def find_by_author_years(self, pairs: Sequence[tuple[str, int]]) -> tuple[tuple[Paper, ...], ...]:
        """Per family name and year, the papers of that year, give or take one, by such an author; ascending by id.

        With the year 0 those of any year.
        """
        ...

    def find_by_first_author(self, family: str, year: int) -> tuple[Byline, ...]:
        """The papers of `year`, give or take one, whose first author has this family name; ascending by id.

        Papers by other authors may be among them.
        """
        ...

    def prefetch_first_authors(self, pairs: Sequence[tuple[str, int]]) -> None:
        """Looks up pairs of family name and year together before `find_by_first_author` is called for each."""
        ...


class PdfParser(Protocol):
    """PDF files to papers with full text, in killable child processes.

    `library.workers.pdf_pool.PdfPool` on this machine, `ClusterPdf` on the nodes of a cluster.
    """

    def parse_files(self, paths: Iterable[Path]) -> Iterator[tuple[Path, Parsed | Failure] | None]:
        """One result a path, in the order given, several files in flight; `None` every 100 ms of waiting for one.

        A file that kills or hangs its child costs itself only. Closing the iterator stops what is under way.
        """
        ...
