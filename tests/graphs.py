"""Citation graphs over real libraries, for tests: papers whose texts cite each other."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import pytest
from libraries import by, paper, store

from litterm.citations.citations import Citations
from litterm.citations.service_lists import ServiceLists
from litterm.citations.store import CitationStore
from litterm.core.tasks import run
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.citing_texts import CitingTexts
from litterm.library.segments.library import DuckLibrary
from litterm.library.title_lookup import LibraryWorks
from litterm.model.citations.graph import ReferenceListHead
from litterm.model.document import Document, Reference
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
    return Citations(
        CitationStore(root),
        CitingTexts(library),
        ServiceLists(root),
        library,
        lambda: LibraryWorks(library, index),
        background=background,
    )


def stored(root: Path, records: Sequence[Parsed]) -> Citations:
    """The graph of a library with these records, not yet brought up to date."""
    store(root, records)
    return citations(root)


def read(citations: Citations) -> list[str]:
    """Which lists an update resolves."""
    papers: list[str] = []

    class Noting(CitingTexts):
        def documents(self, heads: Sequence[ReferenceListHead]) -> tuple[Document | None, ...]:
            papers.extend(head.paper for head in heads)
            return super().documents(heads)

    citations.texts = Noting(cast("DuckLibrary", citations.library))
    run(citations.update())
    return papers


def run_read_only(root: Path, code: str) -> str:
    """What `code` prints in a process in which the library in `root` is mounted read-only; `library` is its graph."""
    start = """
        import sys
        from pathlib import Path
        from graphs import citations
        from litterm.core.tasks import run
        library = citations(Path(sys.argv[1]))
    """
    mount = f'mount --bind "{root}" "{root}" && mount -o remount,bind,ro "{root}" && exec "$@"'
    prefix = ["unshare", "-m", "sh", "-c", mount, "sh"]
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("needs mount namespaces")
    program = textwrap.dedent(start) + textwrap.dedent(code)
    command = [*prefix, sys.executable, "-c", program, str(root)]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout
