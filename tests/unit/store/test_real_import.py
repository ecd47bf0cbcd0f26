"""The whole ACL Anthology, and a second source of a tenth of it, through reader, children and store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from libraries import record

from litterm.child.builder import Builder
from litterm.engine.add import add
from litterm.formats.reader import FileReader
from litterm.index.reader import IndexFolder
from litterm.model.library import ImportReport
from litterm.model.paper import PaperId
from litterm.retrieve.lexical import LexicalSearcher
from litterm.store.library import DuckLibrary
from litterm.store.writer import BATCH_PAPERS, LibraryWriter
from litterm.tasks import run
from litterm.text.query import parse_query

ARCHIVE, RECENT = "acl-anthology-xml.tar.gz", "acl-recent.jsonl.gz"
PAPERS = 108_962


@dataclass(frozen=True, slots=True)
class Imported:
    """A library, and what the import of each file said."""

    library: DuckLibrary
    reports: dict[str, ImportReport]


def imported(library: DuckLibrary, path: Path) -> ImportReport:
    writer = LibraryWriter(library.root, Builder(), library=library)
    return run(add(writer, FileReader(), library.failures, [path]))


@pytest.fixture(scope="module")
def anthology(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    library = DuckLibrary(tmp_path_factory.mktemp("anthology"))
    reports = {name: imported(library, shared / "data" / name) for name in (ARCHIVE, RECENT)}
    yield Imported(library, reports)
    library.close()


def test_every_paper_of_the_anthology_once(anthology: Imported) -> None:
    report = anthology.reports[ARCHIVE]
    assert (report.added, report.merged, report.unchanged, report.failures) == (PAPERS, 0, 0, ())
    segments = anthology.library.snapshot().segments
    assert all(segment.count <= BATCH_PAPERS for segment in segments)


def test_the_second_source_merges_by_id_and_leaves_only_what_is_new(anthology: Imported) -> None:
    report = anthology.reports[RECENT]
    # 10,118 rows name their Anthology id; four more have title, year and first author of a paper there.
    assert (report.added, report.merged + report.unchanged) == (735, 10_122)
    status = anthology.library.status()
    assert status.papers == PAPERS + 735
    assert dict(status.by_source)["acl"] == PAPERS


def test_a_merged_paper_keeps_its_id_and_has_the_fields_of_both(anthology: Imported) -> None:
    (paper,) = anthology.library.by_id([PaperId("acl:2021.acl-long.1")])
    assert paper.id == "acl:2021.acl-long.1"
    assert paper.imprint.bibkey and paper.provenance.format == "anthology"
    assert len(paper.urls) > 1


def test_the_same_files_again_change_nothing(anthology: Imported, shared: Path) -> None:
    before = anthology.library.snapshot().generation
    for name in (ARCHIVE, RECENT):
        again = imported(anthology.library, shared / "data" / name)
        assert (again.added, again.merged, again.unchanged, again.skipped_files) == (0, 0, 0, 1)
    assert anthology.library.snapshot().generation == before


def test_one_paper_more_is_found_at_once(anthology: Imported) -> None:
    library = anthology.library
    writer = LibraryWriter(library.root, Builder(), library=library)
    run(writer.begin())
    writer.take(record("local:quokka", "Quokkas in the wild", abstract="A marsupial unknown to parsing."))
    assert run(writer.finish()).added == 1
    writer.close()
    found = run(LexicalSearcher(library, IndexFolder()).search(parse_query("quokka marsupial"), k=3))
    assert [each.paper.id for each in found.papers] == ["local:quokka"]
