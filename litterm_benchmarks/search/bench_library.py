"""A temporary library for a bench, made from a corpus: records only, so that no score can come from a full text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from litterm.core.errors import BadInput
from litterm.core.settings import Settings
from litterm.core.settings.model import from_home
from litterm.core.tasks import Task
from litterm.importers.reader import FileReader
from litterm.library.import_files import take_all
from litterm.library.segments.library import DuckLibrary
from litterm.library.workers.pdf_pool import PdfPool
from litterm.library.workers.record_parser import ChildParser
from litterm.library.workers.segment_builder import ChildSegmentBuilder
from litterm.library.writer.library_writer import LibraryWriter
from litterm.llm.factory import REPLIES
from litterm.model.library import FileEnd, FileStart, Parsed, ReadEvent, RowRef
from litterm.model.paper import PaperId
from litterm_benchmarks.data_rows import first_row, read_rows
from litterm_benchmarks.readers.litsearch import CORPUS_COLUMNS, corpus_record
from litterm_benchmarks.search.litterm_methods import Subject, open_subject

T = TypeVar("T")

_BATCH_SIZE = 5_000


class BibliographicReader:
    """Gives the records of another reader, without full texts."""

    def __init__(self, reader: FileReader | PaperListReader) -> None:
        self._reader = reader
        self.full_text: list[PaperId] = []
        """Whose full text was left out, so far."""

    def read(self, path: Path, known: Callable[[str], bool]) -> Iterator[ReadEvent]:
        """As the other reader, without documents."""
        for result in self._reader.read(path, known):
            if isinstance(result, Parsed):
                if result.paper.full_text or (result.document is not None and result.document.origin != "abstract"):
                    self.full_text.append(result.paper.id)
                yield Parsed(replace(result.paper, full_text=False))
            else:
                yield result


class PaperListReader:
    """Reads papers from memory, as `FileReader` does from files."""

    def __init__(self, papers: Iterable[Parsed]) -> None:
        self._papers = papers

    def read(self, path: Path, _known: Callable[[str], bool]) -> Iterator[ReadEvent]:
        """All papers, as from the one file `path`."""
        count = 0
        yield FileStart(str(path), "", 1)
        for paper in self._papers:
            count += 1
            yield paper
        yield FileEnd(str(path), "", count)


def with_library(
    reader: FileReader | PaperListReader,
    path: Path,
    settings: Settings,
    measure: Callable[[Subject], Task[T]],
    *,
    until: int | None = None,
) -> Task[T]:
    """Runs `measure` over a temporary library of the records that `reader` reads in `path`."""
    with TemporaryDirectory(prefix="litterm-bench-") as folder:
        home = from_home(Path(folder))
        # The nodes of a cluster fetch segments from this folder, too, and not from where those of the user lie.
        local = replace(settings, library=home.library, cache=home.cache, segments="")
        _share_replies(settings.cache, home.cache)
        library, records = DuckLibrary(local.library), BibliographicReader(reader)
        writer = LibraryWriter(local.library, ChildSegmentBuilder(), library=library)
        yield from take_all(writer, library.failures, records.read(path, writer.is_known))
        subject = yield from open_subject(local, until=until, full_text=records.full_text)
        return (yield from measure(subject))


def _share_replies(own: Path, temporary: Path) -> None:
    """Has a temporary cache keep a model's replies where the user's are, so that a second run asks nothing again."""
    with suppress(OSError):
        for folder in (own / REPLIES, temporary):
            folder.mkdir(parents=True, exist_ok=True)
        (temporary / REPLIES).symlink_to(own / REPLIES, target_is_directory=True)


def reader_of(corpus: Path, settings: Settings) -> FileReader | PaperListReader:
    """The reader of `corpus`: the published corpus of LitSearch, or anything that `litterm add` takes."""
    if (corpus.is_dir() and any(corpus.glob("*.parquet"))) or _is_litsearch(corpus):
        return PaperListReader(read_rows(corpus, lambda row, _number: corpus_record(row), CORPUS_COLUMNS))
    return FileReader(PdfPool(settings.pdf), ChildParser)


def corpus_beside(path: Path) -> Path | None:
    """The corpus in the published folder of LitSearch; `None` where `path` is not such a folder."""
    corpus = path / "corpus_clean"
    return corpus if path.is_dir() and corpus.is_dir() else None


def reader_of_library(library: DuckLibrary) -> PaperListReader:
    """A reader of all records of `library`."""
    return PaperListReader(records_of(library))


def records_of(library: DuckLibrary) -> Iterator[Parsed]:
    """Every living record, without full texts."""
    snapshot = library.snapshot()
    for segment in snapshot.segments:
        alive = sorted(set(range(segment.count)).difference(segment.shadowed))
        for start in range(0, len(alive), _BATCH_SIZE):
            refs = [RowRef(segment.key, row) for row in alive[start : start + _BATCH_SIZE]]
            yield from map(Parsed, library.papers(snapshot, refs))


def _is_litsearch(corpus: Path) -> bool:
    if not corpus.is_file():
        return False
    try:
        return "corpusid" in first_row(corpus)
    except BadInput:
        return False
