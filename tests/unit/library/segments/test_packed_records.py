"""What a page of results shows is read from packed records, and is what the database has."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import by, from_format, paper, record, store

from litterm.core.checksums import checksums_below, read_damage
from litterm.library.index.reader import INDEX_FOLDER
from litterm.library.index.records import RECORDS_FILE
from litterm.library.segments.built_segment import DESCRIPTION
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import publish, read_manifest
from litterm.library.segments.repair.integrity import library_faults
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import (
    AnnotatedFile,
    Author,
    FileAnnotation,
    Paper,
    PaperId,
    Provenance,
    PublicationDetails,
)

NAMES = ("Li, Wei", "van den Berg, Jan", "Ångström, Åse", "Şahin", "王, 小明", 'O"Hara, "Scarlett"')


def drawn(number: int) -> Paper:
    """A paper with some of its fields, in several scripts."""
    chance = random.Random(number)
    words = ["zebra", "Übersetzung", "naïve", "αβγ", "漢字", "🦓", 'a "quoted" word', "back\\slash", "tab\there", "𝔸"]

    def some(text: str) -> str:
        return text if chance.random() < 0.5 else ""

    authors = by(*chance.sample(NAMES, chance.randint(0, 3)))
    imprint = PublicationDetails(
        booktitle=some("Proceedings of Zebras"),
        pages=some("1–9"),
        editors=(Author("Berg", "Jan", "van den", "Jr."), Author("The Zebra Group", is_literal=True))[: number % 3],
        note=some("in press"),
        isbn=some("978-3"),
        annotated_files=(AnnotatedFile((FileAnnotation(quote="„Streifen“", comment="gut"),), "/a.pdf"),)[: number % 2],
    )
    return Paper(
        PaperId(f"acl:R{number}"),
        " ".join(chance.choices(words, k=chance.randint(1, 8))) + f" {number}",
        abstract=" ".join(chance.choices(words, k=chance.choice((0, 5, 80)))),
        authors=authors,
        year=chance.choice((None, 0, 1999, 2024)),
        venue=some("ACL"),
        venue_keys=("acl",) if number % 4 else (),
        keywords=tuple(chance.sample(words, number % 3)),
        urls=("https://example.org",) if number % 5 else (),
        retraction=some("retracted: it was a horse"),
        imprint=imprint,
        has_more_authors=bool(number % 2),
    )


def all_rows(library: DuckLibrary) -> list[RowRef]:
    return [RowRef(each.key, row) for each in library.snapshot().segments for row in range(each.count)]


def read(root: Path) -> tuple[Paper, ...]:
    library = DuckLibrary(root)
    return library.papers(library.snapshot(), all_rows(library))


def read_from_database(root: Path) -> tuple[Paper, ...]:
    library = DuckLibrary(root, lambda _segment: None)
    return library.papers(library.snapshot(), all_rows(library))


def without_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_values: object, **_options: object) -> None:
        raise AssertionError("the database was opened")

    monkeypatch.setattr("litterm.library.segments.library_view.connect", refuse)


def records_file(root: Path) -> Path:
    (path,) = root.glob(f"segments/*/{INDEX_FOLDER}/{RECORDS_FILE}")
    return path


def flip(path: Path) -> None:
    """The first record, which no header tells of: the file is as long as before."""
    content = bytearray(path.read_bytes())
    content[4200:4300] = bytes(each ^ 0x5A for each in content[4200:4300])
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two imports, the second of which merges some papers of the first with other sources of them."""
    root = tmp_path_factory.mktemp("made")
    papers = [drawn(number) for number in range(60)]
    store(root, [Parsed(replace(each, provenance=from_format("bibtex"))) for each in papers])
    again = [replace(each, keywords=("merged",), provenance=Provenance("ris", "b.ris", "2026")) for each in papers[:9]]
    store(root, [*map(Parsed, again), record("P1", "On zebras")])
    return root


def test_rows_are_what_the_database_has(made: Path) -> None:
    papers = read(made)
    assert papers == read_from_database(made)
    assert sum(bool(each.sources) for each in papers) == 9


def test_results_and_titles_are_read_without_the_database(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = DuckLibrary(made).find_by_title(["On zebras"])[0]
    without_database(monkeypatch)
    library = DuckLibrary(made)
    assert len(library.papers(library.snapshot(), all_rows(library))) == 70
    assert tuple(each.id for each in library.titled("on Zebras")) == expected == ("acl:P1",)
    # Of a paper that a later record replaced, only the later one.
    title = drawn(3).title
    assert [each.keywords for each in library.titled(title)] == [tuple(dict.fromkeys((*drawn(3).keywords, "merged")))]
    assert library.titled("unheard of") == library.titled("?!") == ()


def test_a_merged_segment_has_the_records_of_its_parts(tmp_path: Path) -> None:
    for number in range(10):
        store(tmp_path, [Parsed(drawn(number)), record(f"Q{number}")])
    assert len(read_manifest(tmp_path).segments) < 10
    assert read(tmp_path) == read_from_database(tmp_path)
    assert all(DuckLibrary(tmp_path).view.records(each) for each in DuckLibrary(tmp_path).snapshot().segments)


@pytest.mark.parametrize("harm", [flip, cut, Path.unlink])
def test_of_damaged_records_the_database_has_the_papers(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    store(tmp_path, [Parsed(drawn(number)) for number in range(200)])
    before = read(tmp_path)
    harm(records_file(tmp_path))
    assert read(tmp_path) == before
    (segment,) = DuckLibrary(tmp_path).snapshot().segments
    assert set(read_damage(segment.folder)) == {f"{INDEX_FOLDER}/{RECORDS_FILE}"}
    assert [fault.kind for fault in library_faults(tmp_path)] == ["index"]
    store(tmp_path, [])
    assert read(tmp_path) == before
    assert not list(library_faults(tmp_path))
    assert DuckLibrary(tmp_path).view.records(DuckLibrary(tmp_path).snapshot().segments[0]) is not None


def test_a_library_of_an_older_litterm_is_read_and_packed_by_the_next_import(tmp_path: Path) -> None:
    store(tmp_path, [Parsed(drawn(number)) for number in range(5)])
    before = read(tmp_path)
    path = records_file(tmp_path)
    path.unlink()
    folder, manifest = path.parent.parent, read_manifest(tmp_path)
    (entry,) = manifest.segments
    older = replace(entry, files=checksums_below(folder, without=DESCRIPTION))
    publish(tmp_path, replace(manifest, generation=manifest.generation + 1, segments=(older,)))
    assert read(tmp_path) == before
    assert [each.id for each in DuckLibrary(tmp_path).titled(drawn(2).title)] == ["acl:R2"]
    assert not list(library_faults(tmp_path))
    store(tmp_path, [record("new")])
    assert len(read(tmp_path)) == 6
    library = DuckLibrary(tmp_path)
    assert all(library.view.records(each) is not None for each in library.snapshot().segments)


def test_the_first_question_to_the_database_attaches_all_segments(made: Path) -> None:
    library = DuckLibrary(made)
    snapshot = library.snapshot()
    assert library.view._attached == {}
    library.view.select(snapshot.segments[0], "SELECT 1 FROM {segment}.paper LIMIT 1")
    assert set(library.view._attached) == {each.key for each in snapshot.segments}


def test_a_paper_without_letters_in_its_title_is_found_by_none(tmp_path: Path) -> None:
    store(tmp_path, [Parsed(paper("X", "???"))])
    assert DuckLibrary(tmp_path).titled("???") == ()
