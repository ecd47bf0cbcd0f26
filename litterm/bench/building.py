"""A library for the length of a bench, from a corpus: records only, so that no score can come from a full text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from litterm.bench.subject import Subject, open_subject
from litterm.bench.tables import first_row, read_rows
from litterm.child.builder import Builder
from litterm.child.parser import ChildParser
from litterm.child.pdf_pool import PdfPool
from litterm.engine.add import add
from litterm.errors import BadInput
from litterm.formats.litsearch import CORPUS_COLUMNS, corpus_record
from litterm.formats.reader import FileReader
from litterm.model.library import FileEnd, FileStart, Parsed, Reading, RowRef
from litterm.model.paper import PaperId
from litterm.protocols import PaperReader
from litterm.settings import Settings
from litterm.settings.model import from_home
from litterm.store.library import DuckLibrary
from litterm.store.writer import LibraryWriter
from litterm.tasks import Task

T = TypeVar("T")

_CHUNK = 5_000


class Records:
    """A `PaperReader` that gives title, abstract and the like of what another reads, and never a full text."""

    def __init__(self, reader: PaperReader) -> None:
        self._reader = reader
        self.full_text: list[PaperId] = []
        """Whose full text was left out, so far."""

    def read(self, path: Path, known: Callable[[str], bool]) -> Iterator[Reading]:
        """As the other reader, without documents."""
        for each in self._reader.read(path, known):
            if isinstance(each, Parsed):
                if each.paper.full_text or (each.document is not None and each.document.origin != "abstract"):
                    self.full_text.append(each.paper.id)
                yield Parsed(replace(each.paper, full_text=False))
            else:
                yield each


class Given:
    """A `PaperReader` over papers that are at hand, or come as one goes."""

    def __init__(self, papers: Iterable[Parsed]) -> None:
        self._papers = papers

    def read(self, path: Path, _known: Callable[[str], bool]) -> Iterator[Reading]:
        """All of them, as from the one file `path`."""
        count = 0
        yield FileStart(str(path), "", 1)
        for each in self._papers:
            count += 1
            yield each
        yield FileEnd(str(path), "", count)


def over(
    reader: PaperReader,
    path: Path,
    settings: Settings,
    measure: Callable[[Subject], Task[T]],
    *,
    until: int | None = None,
) -> Task[T]:
    """What `measure` finds over a library of the records that `reader` reads in `path`; it is gone afterwards."""
    with TemporaryDirectory(prefix="litterm-bench-") as folder:
        home = from_home(Path(folder))
        here = replace(settings, library=home.library, cache=home.cache)
        library, records = DuckLibrary(here.library), Records(reader)
        yield from add(LibraryWriter(here.library, Builder(), library=library), records, library.failures, [path])
        subject = yield from open_subject(here, until=until, full_text=records.full_text)
        return (yield from measure(subject))


def reader_of(corpus: Path, settings: Settings) -> PaperReader:
    """What reads `corpus`: LitSearch's published corpus, or anything that `litterm add` takes."""
    if (corpus.is_dir() and any(corpus.glob("*.parquet"))) or _is_litsearch(corpus):
        return Given(read_rows(corpus, lambda row, _number: corpus_record(row), CORPUS_COLUMNS))
    return FileReader(PdfPool(settings.pdf), ChildParser)


def beside(path: Path) -> Path | None:
    """The corpus in the folder of LitSearch as published; `None` where `path` is no such folder."""
    corpus = path / "corpus_clean"
    return corpus if path.is_dir() and corpus.is_dir() else None


def copy_of(library: DuckLibrary) -> PaperReader:
    """What reads every record of `library`."""
    return Given(records_of(library))


def records_of(library: DuckLibrary) -> Iterator[Parsed]:
    """Every living record, without full texts."""
    snapshot = library.snapshot()
    for segment in snapshot.segments:
        alive = sorted(set(range(segment.count)).difference(segment.shadowed))
        for start in range(0, len(alive), _CHUNK):
            refs = [RowRef(segment.key, row) for row in alive[start : start + _CHUNK]]
            yield from map(Parsed, library.papers(snapshot, refs))


def _is_litsearch(corpus: Path) -> bool:
    if not corpus.is_file():
        return False
    try:
        return "corpusid" in first_row(corpus)
    except BadInput:
        return False
