"""Citation graphs over real libraries, for tests: papers whose texts cite each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from libraries import by, paper, store

from litterm.citations.citations import Citations
from litterm.citations.reference_lists import StoredLists
from litterm.citations.storage.graph_files import GraphFiles
from litterm.core.tasks import run
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.library.title_lookup import LibraryWorks
from litterm.model.document import Reference
from litterm.model.library import Parsed
from litterm.text.documents.builder import Block, References, build_document

YEARS = {"A": 2001, "B": 2005, "C": 2010, "D": 2012}
TITLES = {
    "A": "Alignment of parallel sentences by their length",
    "B": "Phrase tables learned from word alignments",
    "C": "Neural decoding without any phrase table",
    "D": "A survey of statistical machine translation",
}


def entry(index: int, key: str) -> Reference:
    """How the work `key` stands in a reference list."""
    return Reference(index, f"{key}. Writer. {YEARS[key]}. {TITLES[key]}. In Proceedings.", label=str(index + 1))


def citing(key: str, sentences: Sequence[str], *cited: str, title: str = "", year: int | None = None) -> Parsed:
    """A paper with a full text whose reference list is `cited`, numbered from 1."""
    one = written(key, title=title, year=year).paper
    listed = References(tuple(entry(index, other) for index, other in enumerate(cited)), known=True)
    blocks = [Block("body", sentence) for sentence in sentences]
    return Parsed(one, build_document(one.id, blocks, origin="jats", parser="t", references=listed))


def written(key: str, *, title: str = "", year: int | None = None) -> Parsed:
    """A paper without a text."""
    told = year or YEARS.get(key)
    return Parsed(paper(key, title or TITLES.get(key, ""), authors=by(f"Writer, {key}"), year=told))


def small_library() -> list[Parsed]:
    """A is cited by B once and by C twice, B by C; D cites A and a work that is not there."""
    return [
        written("A"),
        citing("B", ["We start from sentence pairs [1].", "Nothing is cited here."], "A"),
        citing("C", ["Sentences were aligned by length [1].", "Phrases came later [2].", "As before [1]."], "A", "B"),
    ]


def citations(
    root: Path, library: DuckLibrary | None = None, background: Callable[[], object] | None = None
) -> Citations:
    """The graph of the library in `root`, as the engine opens it but for the starter library."""
    library = library or DuckLibrary(root)
    index = IndexFolder()
    folder = root / "citations"
    return Citations(
        GraphFiles(folder),
        StoredLists(library, folder),
        library,
        lambda: LibraryWorks(library, index),
        background=background,
    )


def stored(root: Path, records: Sequence[Parsed]) -> Citations:
    """The graph of a library with these records, not yet brought up to date."""
    store(root, records)
    return citations(root)


def read(found: Citations) -> list[str]:
    """Which lists an update resolves."""
    asked: list[str] = []
    inner = found.stored_lists.documents

    class Watched:
        heads, version, load_service_list = (
            found.stored_lists.heads,
            found.stored_lists.version,
            found.stored_lists.load_service_list,
        )
        store_list = found.stored_lists.store_list
        service_heads, changes_since = found.stored_lists.service_heads, found.stored_lists.changes_since
        changed_rows = found.stored_lists.changed_rows

        def documents(self, heads):  # type: ignore[no-untyped-def]
            asked.extend(head.paper for head in heads)
            return inner(heads)

    found.stored_lists = Watched()
    run(found.update())
    return asked
