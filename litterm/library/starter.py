"""The starter library: the papers that come with litterm, as a library of one segment that is made once and only read.

Wheels contain it prebuilt. A checkout, or a package that lacks it, makes it in the cache when it is first searched.
"""

from __future__ import annotations

import atexit
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from litterm import data
from litterm.core.checksums import find_faults
from litterm.core.durable_files import new_key, remove_tree
from litterm.core.errors import LittermError
from litterm.core.version import __version__
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import shipped_name
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import as_segments, publication_stamp, read_manifest
from litterm.library.segments.schema import SCHEMA
from litterm.model.library import Parsed, RowRef
from litterm.text.tokens import TOKENIZER

if TYPE_CHECKING:
    from litterm.model.document import Document, Reference
    from litterm.model.paper import Paper, PaperId

SOURCES = Path(data.__file__).parent / "starter"
"""The folder with the papers and the tour as JSON Lines."""
PREBUILT = SOURCES / "library"
"""Where the build of a wheel puts the library, in a folder named by its version."""
_FORM = 2
"""Raise it with every change of this file that makes another library of the same papers."""
_MAX_BUILD_S = 600.0
"""A folder in the making that is older than this belongs to a process that was killed; it takes half a second."""
_log = logging.getLogger(__name__)


class StarterLibrary(DuckLibrary):
    """The starter library, opened: one segment that never changes, with its index."""

    @cached_property
    def index(self) -> IndexFolder:
        """The index of its segment."""
        return IndexFolder(remedy=f"remove {self.root}, and the next search makes it again")

    def all_papers(self) -> tuple[Paper, ...]:
        """All papers, in the order of their files."""
        snapshot = self.snapshot()
        rows = [RowRef(segment.key, row) for segment in snapshot.segments for row in range(segment.count)]
        return self.papers(snapshot, rows)

    def all_documents(self) -> tuple[tuple[Paper, Document], ...]:
        """All full texts and reference lists, each with its paper."""
        from litterm.library.segments.documents import read_documents

        papers = {paper.id: paper for paper in self.all_papers()}
        documents = [
            document
            for segment in self.snapshot().segments
            for _, document in sorted(read_documents(self.view, segment, range(segment.count)).items())
        ]
        return tuple((papers[document.paper_id], document) for document in documents)


def open_starter(cache_folder: Path) -> StarterLibrary | None:
    """The starter library, made in `cache_folder` unless it came prebuilt; `None` where it can be put nowhere."""
    version = _version()
    for root in (PREBUILT / version, cache_folder / "starter" / version):
        if _is_whole(root):
            return StarterLibrary(root)
    try:
        build_starter(root)
        return StarterLibrary(root)
    except (LittermError, OSError) as error:
        _log.info("the starter library cannot be kept in %s: %s", root, error)
    try:
        return _build_for_this_process(version)
    except (LittermError, OSError) as error:
        _log.warning("the starter library is left out: %s", error)
        return None


def build_prebuilt() -> None:
    """Makes the library beside its sources, for a wheel or a checkout, unless it is there.

    Raises:
        LibraryError, OSError: as `build_starter`.
    """
    root = PREBUILT / _version()
    if not _is_whole(root):
        build_starter(root)
    for path in PREBUILT.iterdir():
        if not path.name.startswith(root.name):
            # Made of other sources; a wheel would take it along.
            remove_tree(path)


def build_starter(root: Path) -> None:
    """Makes the library in the folder `root`: as a whole or not at all.

    Where another process has made it in the meantime, that one stays.

    Raises:
        LibraryError, OSError: it cannot be written.
    """
    growing, damaged = (root.with_name(f"{root.name}.{new_key()}") for _ in range(2))
    try:
        _fill(growing, tuple(read_papers(SOURCES)))
        try:
            growing.rename(root)
        except OSError:
            if _is_whole(root):
                return
            root.rename(damaged)
            growing.rename(root)
    finally:
        for folder in (growing, damaged, *_abandoned(root)):
            remove_tree(folder)


def _fill(root: Path, records: Sequence[Parsed]) -> None:
    """Makes a library of `records` in the folder `root`: one segment, published like any other."""
    # Imported when needed, which is once for each version.
    from litterm.core.durable_files import sync_tree
    from litterm.library.index.build import build_part
    from litterm.library.index.records import RecordPacker
    from litterm.library.index.static_embeddings import open_static
    from litterm.library.segments.built_segment import BuiltSegment, add_description
    from litterm.library.segments.manifest import Manifest, new_folder, promote, publish, with_segment
    from litterm.library.segments.segment import INDEX_FOLDER, SegmentTables, load_spool, spooled_rows

    folder = new_folder(root)
    tables = SegmentTables(folder)
    for record in records:
        tables.add_paper(record.paper)
        if record.document is not None:
            tables.add_document(record.document)
    tables.close()
    packer = RecordPacker()
    # With the average length of these papers, not with that of an archive. Without their full texts, which are about
    # litterm: a search in full texts would find them for many a word that no other paper here has.
    with spooled_rows(folder, packer) as rows:
        stats = build_part(rows, folder / INDEX_FOLDER, average_length=None, model=open_static(), records=packer.arrays)
    contents = load_spool(folder)
    made_by = (stats.tokenizer, stats.embedder, stats.grouped)
    built = BuiltSegment(contents.rows, contents.documents, stats.average_length, *made_by)
    built = add_description(folder, built, contents.origins)
    sync_tree(folder)
    manifest = Manifest(
        generation=1,
        papers=built.rows,
        documents=sum(record.paper.full_text for record in records),
        by_source=(("starter", built.rows),),
    )
    key = promote(root, folder)
    publish(root, with_segment(manifest, root, key, built))


def _abandoned(root: Path) -> Iterator[Path]:
    """Folders beside `root` that a killed process left behind."""
    for path in root.parent.glob(f"{root.name}.*"):
        # Another process may be removing it, too.
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _MAX_BUILD_S:
                yield path


def read_papers(folder: Path) -> Iterator[Parsed]:
    """Every paper of the files in `folder`.

    A reference given as the id of another of them gets its title, authors and year.
    """
    from litterm.importers.byte_sources import file_content
    from litterm.importers.jsonl.reader import read_jsonl
    from litterm.text.documents.hyphens import HyphenStatistics

    # Without the reader of any files, which imports every format and surveys their hyphens: there are none to fix.
    files = [file_content(path, path.stat().st_size) for path in _files_in(folder)]
    parsed = [record for file in files for record in read_jsonl(file, HyphenStatistics()) if isinstance(record, Parsed)]
    papers = {record.paper.id: record.paper for record in parsed}
    for record in parsed:
        document = record.document and _resolve_references(record.document, papers)
        is_full = document is not None and document.origin != "abstract"
        # The same on every computer.
        file_name = Path(record.paper.provenance.origin).name
        came_from = replace(record.paper.provenance, origin=f"litterm/data/starter/{file_name}")
        yield replace(record, paper=replace(record.paper, full_text=is_full, provenance=came_from), document=document)


def _build_for_this_process(version: str) -> StarterLibrary:
    """The library in a temporary folder, which is gone when the process ends; where the cache cannot be written."""
    from litterm.core.temporary_files import scratch_folder

    root = _until_exit.enter_context(scratch_folder()) / version
    build_starter(root)
    return StarterLibrary(root)


_until_exit = ExitStack()
atexit.register(_until_exit.close)


@cache
def _version() -> str:
    """Differs where litterm would make another library: of other papers, or with another index."""
    digest = sha256(f"{_FORM} {__version__} {SCHEMA} {TOKENIZER} {shipped_name()}".encode())
    for file in _files_in(SOURCES):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _is_whole(root: Path) -> bool:
    """Whether the library in `root` is there, with files of the right sizes and beginnings."""
    if publication_stamp(root) is None:
        return False
    try:
        segments = as_segments(root, read_manifest(root))
    except LittermError:
        return False
    return bool(segments) and not any(find_faults(segment.folder, segment.files) for segment in segments)


def _files_in(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob("*.jsonl")))


def _resolve_references(document: Document, papers: Mapping[PaperId, Paper]) -> Document:
    return replace(document, references=tuple(_reference_to_paper(entry, papers) for entry in document.references))


def _reference_to_paper(entry: Reference, papers: Mapping[PaperId, Paper]) -> Reference:
    from litterm.importers.article_fields import citation_label, reference_from_fields

    paper = next((papers[paper_id] for paper_id in entry.ids if paper_id in papers), None)
    if paper is None:
        return entry
    families = tuple(author.surname for author in paper.authors)
    composed = reference_from_fields(entry.index, paper.title, families, paper.year, entry.ids, paper.venue)
    return replace(composed, label=citation_label(families, paper.year), target=paper.id)
