"""The library as a reader sees it: snapshots of immutable segments, whose rows become papers and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from litterm.core.errors import SegmentDamaged, SegmentGone, UnknownPaper
from litterm.library.lock import WRITE_LOCK_FILE, read_holder
from litterm.library.segments.library_view import LibraryView
from litterm.library.segments.lookup import (
    fetch_bylines,
    fetch_papers,
    fetch_texts,
    find_links,
    ids_by_citation_key,
    ids_by_key,
    ids_by_title,
    papers_by_key,
    papers_by_title,
    rows_by_author,
    rows_by_first_author,
)
from litterm.library.segments.papers import RecordColumns
from litterm.model.library import LibraryStatus, RowRef, Snapshot

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.library.index.records import PackedRecords
    from litterm.library.segments.lookup import LinkKind, Pair
    from litterm.library.segments.manifest import Manifest
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.failures import FailureList
    from litterm.model.document import Document
    from litterm.model.library import Segment
    from litterm.model.paper import Byline, Paper, PaperId

T = TypeVar("T")

_MAX_ATTEMPTS = 3
_DOUBTFUL_MESSAGE = "{count:,} pairs of records share a title and may be one paper: see `litterm duplicates`."


class DuckLibrary:
    """Implements `interfaces.Library` over the segments in `root`; safe from any thread, never waits for a writer."""

    def __init__(self, root: Path, open_records: Callable[[Segment], PackedRecords | None] | None = None) -> None:
        """`open_records` as of `LibraryView`."""
        self.root = root
        self.view = LibraryView(root, open_records)
        self._columns = RecordColumns()

    @cached_property
    def failures(self) -> FailureList:
        """The inputs that could not be imported."""
        from litterm.library.state.failures import FailureList

        return FailureList(self.state)

    @cached_property
    def state(self) -> StateDatabase:
        """The small state of the library, which is opened when it is used."""
        from litterm.library.state.connection import StateDatabase

        return StateDatabase(self.root)

    def snapshot(self) -> Snapshot:
        """The newest published state; one stat when nothing changed.

        Raises:
            LibraryTooNew: a newer litterm wrote it.
        """
        return self.view.snapshot()

    def papers(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Paper, ...]:
        """The papers at `rows`, in that order."""
        return fetch_papers(self.view, snapshot, rows)

    def bylines(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Byline, ...]:
        """Title, authors and year of the papers at `rows`, in that order."""
        return fetch_bylines(self.view, snapshot, rows)

    def texts(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[tuple[str, str], ...]:
        """Title and abstract at `rows`, in that order."""
        return fetch_texts(self.view, snapshot, rows)

    def author_rows(self, snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
        """Per name, the rows with an author whose name holds every word of it, accents and case folded."""
        return rows_by_author(self.view, snapshot, names)

    def first_author_rows(
        self, snapshot: Snapshot, pairs: Sequence[tuple[str, int]], years: Mapping[str, npt.NDArray[np.int16]]
    ) -> tuple[tuple[RowRef, ...], ...]:
        """Per family name and year, the rows of that year, give or take one, with such a first author.

        `years` are those of all rows, by segment.
        """
        return rows_by_first_author(self.view, snapshot, pairs, years)

    def keywords(self, segment: Segment) -> Mapping[int, tuple[str, ...]]:
        """The keywords of the papers of `segment` that have any, by row; read once."""
        return self._columns.keywords(self.view, segment)

    def added_times(self, segment: Segment) -> Sequence[int]:
        """When each paper of `segment` came into the library, in seconds since 1970, row by row; read once."""
        return self._columns.added_times(self.view, segment)

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is, with or without its scheme; empty if unknown."""
        return self.with_newest_snapshot(lambda snapshot: ids_by_key(self.view, snapshot, keys))

    def find_by_citation_key(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per citation key, the papers that a source gave it to, ascending; empty if unknown."""
        return self.with_newest_snapshot(lambda snapshot: ids_by_citation_key(self.view, snapshot, keys))

    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per title, the papers with an equal title key and equal numerals, ascending; empty if unknown."""
        return self.with_newest_snapshot(lambda snapshot: ids_by_title(self.view, snapshot, titles))

    def titled(self, title: str) -> tuple[Paper, ...]:
        """The papers that `find_by_title` finds for one title."""
        return self.with_newest_snapshot(lambda snapshot: papers_by_title(self.view, snapshot, title))

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids or aliases, in order.

        Raises:
            UnknownPaper: one of them is not in the library.
        """
        matches = self.with_newest_snapshot(lambda snapshot: papers_by_key(self.view, snapshot, ids))
        for paper_id, papers in zip(ids, matches, strict=True):
            if not papers:
                raise UnknownPaper(f"No paper {paper_id} in the library.{self._damage_notice()}")
        # An id may be another paper's alias: two versions of a work can share a DOI.
        return tuple(
            next((paper for paper in papers if paper.id == paper_id), papers[0])
            for paper_id, papers in zip(ids, matches, strict=True)
        )

    def linked_pairs(self, kind: LinkKind) -> tuple[Pair, ...]:
        """Pairs of papers that are versions of one work, or may be one and are kept apart until the user decides."""
        return self.with_newest_snapshot(lambda snapshot: find_links(self.view, snapshot, kind))

    def document(self, paper_id: PaperId) -> Document | None:
        """The best parsed full text (JATS before PDF, the newest of its kind), or `None`."""
        from litterm.library.segments.documents import documents_of

        documents = self.with_newest_snapshot(
            lambda snapshot: documents_of(self.view, snapshot, paper_id, max_documents=1)
        )
        return documents[0] if documents else None

    def documents(self, paper_id: PaperId) -> tuple[Document, ...]:
        """Every full text of the paper, the best first; one kind is there once, in its newest version."""
        # A search never needs it; importing it costs a one-shot command 3 ms.
        from litterm.library.segments.documents import documents_of

        return self.with_newest_snapshot(lambda snapshot: documents_of(self.view, snapshot, paper_id))

    def every_document(self, paper: Paper) -> tuple[Document, ...]:
        """All full texts that are stored for the paper, the oldest first, also those that a newer one has replaced."""
        from litterm.library.segments.documents import every_document_of

        return self.with_newest_snapshot(lambda snapshot: every_document_of(self.view, snapshot, paper))

    def status(self) -> LibraryStatus:
        """Counts, from the manifest alone, and who is writing."""
        manifest = self.view.manifest()
        damaged = self.view.known_damage(manifest)
        holder = read_holder(self.root / WRITE_LOCK_FILE)
        failures = self.failures.all()
        return LibraryStatus(
            generation=manifest.generation,
            papers=manifest.papers - sum(damage.papers for damage in damaged),
            documents=manifest.documents,
            by_source=manifest.by_source,
            segments=len(manifest.segments),
            bytes_on_disk=sum(entry.size for entry in manifest.segments),
            writer=str(holder or ""),
            failures=len(failures),
            in_part=sum(failure.missing == "fields" for failure in failures),
            notices=(*self._losses(manifest), *_notices(manifest.doubtful)),
        )

    def notices(self, decided: int) -> tuple[str, ...]:
        """The notices of the status, after the user decided on `decided` doubtful pairs."""
        manifest = self.view.manifest()
        return (*self._losses(manifest), *_notices(manifest.doubtful - decided))

    def damage_notice(self) -> str:
        """One sentence where a part of the library cannot be read, as far as reading has shown; else empty."""
        return (
            "A part of the library is damaged and left out: see `litterm doctor`."
            if self.view.damaged_segments()
            else ""
        )

    def close(self) -> None:
        """Lets go of every file; the next call opens them again."""
        self.view.close()

    def with_newest_snapshot(self, read: Callable[[Snapshot], T]) -> T:
        """Looks once more, at the newest snapshot, when compaction took a segment away or one cannot be read."""
        attempt = 1
        while True:
            try:
                return read(self.snapshot())
            except SegmentDamaged:
                # Each is met once: the next snapshot goes without it.
                continue
            except SegmentGone:
                if attempt == _MAX_ATTEMPTS:
                    raise
                attempt += 1

    def _losses(self, manifest: Manifest) -> tuple[str, ...]:
        """What cannot be read, set aside or not."""
        from litterm.library.segments.repair.damage import segments_set_aside

        left_out = (
            f"{damage} It is left out; `litterm add` sets it aside." for damage in self.view.known_damage(manifest)
        )
        return (*left_out, *(loss.sentence for loss in segments_set_aside(self.root)))

    def _damage_notice(self) -> str:
        notice = self.damage_notice()
        return notice and f" {notice}"


def _notices(doubtful: int) -> tuple[str, ...]:
    return (_DOUBTFUL_MESSAGE.format(count=doubtful),) if doubtful > 0 else ()
