"""Libraries on disk for tests: records in, the real store, no children unless a test asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from litterm.core.tasks import run
from litterm.library.index.reader import INDEX_FOLDER, is_whole
from litterm.library.index.static_embeddings import shipped_name
from litterm.library.segments.built_segment import BuildJob, BuiltSegment
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import read_manifest
from litterm.library.workers.segments import build, compact
from litterm.library.writer.compaction import merge_segments, worth_compacting
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.events import Event
from litterm.model.library import FileEnd, FileSkipped, FileStart, ImportReport, Parsed, ReadEvent
from litterm.model.paper import Author, Paper, PaperId, Provenance


class Done:
    """A job that was done before it was asked about."""

    def __init__(self, built: BuiltSegment) -> None:
        self._built = built

    def done(self) -> bool:
        return True

    def result(self) -> BuiltSegment:
        return self._built

    def cancel(self) -> None:
        return None


class HereBuilder:
    """Builds and compacts in this process."""

    embedder = shipped_name()
    grouping = False

    def build(self, folder: Path, *, rows: int, average_length: float | None) -> BuildJob:
        return Done(build(folder, average_length))

    def merge_behind(self, root: Path) -> None:
        manifest = read_manifest(root)
        for group in worth_compacting(manifest, self.embedder)[:1]:
            merge_segments(root, manifest, group, compact)

    def is_merging(self, root: Path) -> bool:
        return False

    def has_index(self, folder: Path, *, vectors: bool) -> bool:
        return is_whole(folder / INDEX_FOLDER, vectors=vectors)

    def close(self) -> None:
        return None


class Files:
    """A `FileReader` over records given as files: name to papers."""

    def __init__(self, files: dict[str, Sequence[Parsed]]) -> None:
        self._files = files

    def read(self, path: Path, known: Callable[[str], bool]) -> Iterator[ReadEvent]:
        for name, records in self._files.items():
            sha256 = f"sha-{name}"
            if known(sha256):
                yield FileSkipped(name, sha256)
                continue
            yield FileStart(name, sha256, 1)
            yield from records
            yield FileEnd(name, sha256, len(records))


def paper(key: str, title: str = "", **fields: object) -> Paper:
    """A paper of the scheme `acl` unless `key` names one."""
    paper_id = PaperId(key if ":" in key else f"acl:{key}")
    return Paper(paper_id, title or f"On the subject of {key}", **fields)  # type: ignore[arg-type]


def record(key: str, title: str = "", **fields: object) -> Parsed:
    return Parsed(paper(key, title, **fields))


def by(*names: str) -> tuple[Author, ...]:
    """Authors from `Family, Given`."""
    return tuple(Author(*(part.strip() for part in name.split(","))) for name in names)


def from_format(name: str) -> Provenance:
    return Provenance(name, "somewhere", "2026-01-01T00:00:00Z")


def store(
    root: Path,
    records: Iterable[Parsed | FileStart | FileEnd],
    *,
    library: DuckLibrary | None = None,
    on_event: Callable[[Event], object] = lambda event: None,
) -> ImportReport:
    """One import of `records`."""
    writer = LibraryWriter(root, HereBuilder(), library=library)
    try:
        run(writer.begin(), on_event)
        for each in records:
            writer.add_item(each)
        return run(writer.finish(), on_event)
    finally:
        writer.close()


def versions_of(library: DuckLibrary, paper_id: PaperId) -> tuple[PaperId, ...]:
    """Other papers of the library that are the same work; raises `UnknownPaper` as the library does."""
    (paper,) = library.by_id([paper_id])
    pairs = [pair for pair in library.linked_pairs("version") if paper.id in pair]
    return tuple(sorted({other for pair in pairs for other in pair if other != paper.id}))
