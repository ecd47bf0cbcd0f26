"""What the user corrects, takes apart and takes back, in a real library."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from libraries import HereBuilder, by, store

from litterm.core.errors import UsageError
from litterm.core.tasks import run
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.repair.wrong_merges import find_wrong_merges
from litterm.library.writer.library_writer import LibraryWriter
from litterm.library.writer.revision import corrected, correction_undone, import_taken_back, separation
from litterm.model.document import Document
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId, Provenance, PublicationDetails
from litterm.text.documents.builder import Block, build_document

LEE = by("Lee, Ann")
SHARED = PaperId("doi:10.5555/owls")


def text(paper_id: PaperId, body: str) -> Document:
    blocks = [Block("title", "Owls"), Block("heading", "1 Night", level=1), Block("body", body)]
    return build_document(paper_id, blocks, origin="pdf", parser="1")


ARCHIVE = Paper(
    PaperId("acl:P1"),
    "Owls of the north",
    abstract="They hunt at night.",
    authors=LEE,
    year=2020,
    aliases=(SHARED,),
    provenance=Provenance("anthology", "archive.tar.gz!data/P1.xml"),
)
OWN = Paper(
    SHARED,
    "Owls of the North.",
    abstract="A word only here: strix.",
    authors=LEE,
    year=2019,
    imprint=PublicationDetails(bibkey="Lee:2019"),
    provenance=Provenance("bibtex", "/home/lee/refs.bib:12"),
)


@pytest.fixture
def library(tmp_path: Path) -> Generator[DuckLibrary, None, None]:
    store(tmp_path, [Parsed(ARCHIVE)])
    store(tmp_path, [Parsed(OWN, text(SHARED, "Owls hear well."))])
    opened = DuckLibrary(tmp_path)
    yield opened
    opened.close()


def revise(library: DuckLibrary, change: Any) -> None:
    writer = LibraryWriter(library.root, HereBuilder(), library=library)
    try:
        run(writer.begin())
        run(writer.revise(change))
    finally:
        writer.close()


def only(library: DuckLibrary, key: str) -> Paper:
    ((paper_id,),) = library.find([key])
    return library.by_id([paper_id])[0]


def test_a_merge_is_taken_apart_into_what_each_source_said(library: DuckLibrary) -> None:
    merged = only(library, "P1")
    assert [source.paper.provenance.format for source in merged.sources] == ["anthology", "bibtex"]
    taken: list[PaperId] = []
    revise(library, separation(merged.id, 2, taken))
    kept, apart = only(library, "P1"), library.by_id(taken)[0]
    assert (kept.title, kept.abstract, kept.year, kept.imprint.bibkey) == (ARCHIVE.title, ARCHIVE.abstract, 2020, "")
    assert (apart.title, apart.abstract, apart.year, apart.imprint.bibkey) == (
        OWN.title,
        OWN.abstract,
        2019,
        "Lee:2019",
    )
    # The text goes with the record that brought it.
    assert (kept.full_text, apart.full_text) == (False, True)
    assert library.document(kept.id) is None
    found = library.document(apart.id)
    assert found is not None and "Owls hear well." in found.text
    assert library.status().papers == 2


def test_what_was_taken_apart_stays_so_when_both_files_are_read_again(library: DuckLibrary) -> None:
    taken: list[PaperId] = []
    revise(library, separation(PaperId("acl:P1"), 2, taken))
    report = store(library.root, [Parsed(ARCHIVE), Parsed(OWN, text(SHARED, "Owls hear well."))])
    assert (report.added, report.merged, report.unchanged) == (0, 0, 2)
    assert library.by_id(taken)[0].title == OWN.title


def test_a_correction_is_searched_shown_and_undone(library: DuckLibrary) -> None:
    fix = Paper(PaperId("acl:P1"), "Owls of the far north", authors=by("Lee, Anna"), year=2018)
    revise(library, corrected(PaperId("acl:P1"), fix))
    shown = only(library, "P1")
    assert (shown.title, shown.authors, shown.year, shown.date) == (fix.title, fix.authors, 2018, "2018")
    assert shown.abstract == ARCHIVE.abstract
    assert shown.provenance.format == "anthology"
    # Another import changes nothing of it.
    store(library.root, [Parsed(ARCHIVE), Parsed(OWN)])
    assert only(library, "P1").title == fix.title
    revise(library, correction_undone(PaperId("acl:P1")))
    assert (only(library, "P1").title, only(library, "P1").year) == (ARCHIVE.title, 2020)
    with pytest.raises(UsageError, match="was not corrected"):
        revise(library, correction_undone(PaperId("acl:P1")))


def test_a_second_correction_keeps_the_first(library: DuckLibrary) -> None:
    revise(library, corrected(PaperId("acl:P1"), Paper(PaperId("acl:P1"), "", year=2018)))
    revise(library, corrected(PaperId("acl:P1"), Paper(PaperId("acl:P1"), "Owls at dusk")))
    assert (only(library, "P1").title, only(library, "P1").year) == ("Owls at dusk", 2018)


def test_an_import_is_taken_back(library: DuckLibrary) -> None:
    own_only = Paper(
        PaperId("local:larks"),
        "Larks",
        authors=LEE,
        year=2018,
        provenance=Provenance("bibtex", "/home/lee/refs.bib:30"),
    )
    other = Paper(PaperId("local:x"), "Wrens", provenance=Provenance("bibtex", "/home/lee/refs.bib.old:1"))
    store(library.root, [Parsed(own_only), Parsed(other)])
    only_here: list[PaperId] = []
    changed: list[PaperId] = []
    revise(library, import_taken_back(Path("/home/lee/refs.bib"), only_here, changed))
    assert (only_here, changed) == (["local:larks"], ["acl:P1"])
    kept = only(library, "P1")
    assert (kept.title, kept.imprint.bibkey, kept.sources, kept.full_text) == (ARCHIVE.title, "", (), False)
    assert library.document(kept.id) is None


def test_a_record_of_one_source_cannot_be_taken_apart(tmp_path: Path) -> None:
    store(tmp_path, [Parsed(ARCHIVE)])
    with pytest.raises(UsageError, match="single source"):
        revise(DuckLibrary(tmp_path), separation(PaperId("acl:P1"), 1, []))


@pytest.mark.parametrize("number", [1, 2])
def test_each_of_two_pdfs_takes_its_own_text(tmp_path: Path, number: int) -> None:
    first = Paper(SHARED, "Owls of the north", authors=LEE, year=2020, provenance=Provenance("pdf", "/home/lee/1.pdf"))
    second = Paper(SHARED, "Owls of the north", authors=LEE, year=2021, provenance=Provenance("pdf", "/home/lee/2.pdf"))
    store(tmp_path, [Parsed(first, text(SHARED, "They hear well."))])
    store(tmp_path, [Parsed(second, text(SHARED, "They see well."))])
    opened = DuckLibrary(tmp_path)
    taken: list[PaperId] = []
    revise(opened, separation(SHARED, number, taken))
    texts = {paper_id: opened.document(paper_id) for paper_id in (SHARED, taken[0])}
    kept, apart = texts[SHARED], texts[taken[0]]
    assert kept is not None and apart is not None
    assert ("They hear well." in apart.text, "They see well." in apart.text) == (number == 1, number == 2)
    assert ("They hear well." in kept.text, "They see well." in kept.text) == (number == 2, number == 1)
    assert all(paper.full_text for paper in opened.by_id([SHARED, taken[0]]))
    opened.close()


def test_a_text_that_was_taken_back_comes_with_its_file_again(library: DuckLibrary) -> None:
    revise(library, import_taken_back(Path("/home/lee/refs.bib"), [], []))
    assert library.document(PaperId("acl:P1")) is None
    store(library.root, [Parsed(OWN, text(SHARED, "Owls hear well."))])
    document = library.document(PaperId("acl:P1"))
    assert document is not None and "Owls hear well." in document.text
    assert only(library, "P1").full_text


def test_a_correction_is_no_source_to_take_apart(library: DuckLibrary) -> None:
    revise(library, corrected(PaperId("acl:P1"), Paper(PaperId("acl:P1"), "Owls at dusk")))
    with pytest.raises(UsageError, match="is your correction"):
        revise(library, separation(PaperId("acl:P1"), 3, []))
    revise(library, separation(PaperId("acl:P1"), 2, []))
    assert only(library, "P1").title == "Owls at dusk"
    with pytest.raises(UsageError, match="single source"):
        revise(library, separation(PaperId("acl:P1"), 1, []))


def test_two_files_that_an_earlier_version_put_into_one_record_are_found_and_taken_apart(tmp_path: Path) -> None:
    def printed(title: str, body: str) -> Document:
        blocks = [Block("title", title), Block("body", body)]
        return build_document(PaperId("arxiv:1905.55555"), blocks, origin="pdf", parser="1")

    record = Paper(PaperId("arxiv:1905.55555"), "Songs of larks", authors=LEE, provenance=Provenance("pdf", "a.pdf"))
    store(tmp_path, [Parsed(record, printed("Songs of larks", "Larks sing."))])
    # As the id of a work that the second file cites was taken for its own.
    store(tmp_path, [Parsed(record, printed("Winter boats", "Boats float."))])
    library = DuckLibrary(tmp_path)
    (wrong,) = find_wrong_merges(library)
    assert (wrong.paper_id, "--split" in wrong.next_step) == (record.id, True)
    taken: list[PaperId] = []
    revise(library, separation(record.id, 1, taken))
    kept, apart = library.by_id([record.id, *taken])
    assert (kept.title, apart.title, apart.id.partition(":")[0]) == ("Songs of larks", "Winter boats", "local")
    for paper, word in ((kept, "Larks sing."), (apart, "Boats float.")):
        document = library.document(paper.id)
        assert document is not None and word in document.text
    assert find_wrong_merges(library) == ()
    library.close()


def test_a_record_called_after_a_heading_is_found(tmp_path: Path) -> None:
    made = Paper(PaperId("local:1"), "1 Introduction", provenance=Provenance("pdf", "a.pdf"))
    store(tmp_path, [Parsed(made), Parsed(Paper(PaperId("local:2"), "Introduction to owls"))])
    library = DuckLibrary(tmp_path)
    assert [wrong.paper_id for wrong in find_wrong_merges(library)] == ["local:1"]
    library.close()
