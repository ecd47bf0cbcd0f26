"""An index that was lost or damaged is made anew by the next import; the papers are not touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import paper, record, store

from litterm.core.errors import IndexDamaged, LibraryError
from litterm.core.tasks import Task, run
from litterm.library.index.array_file import PART_FILE
from litterm.library.index.full_text import FULL_TEXT_FILE
from litterm.library.index.reader import INDEX_FOLDER, IndexFolder, is_whole
from litterm.library.index.title_author_stats import FACTS_FILE
from litterm.library.index.vectors import GROUPS_FILE, VECTORS_FILE
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import publish, read_manifest
from litterm.model.events import Event, Notice, Progress
from litterm.model.library import Parsed
from litterm.search.searchable import LibraryState, SearchableLibrary
from litterm.text.documents.builder import Block, build_document

POSTINGS = ("data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy")


def with_text(key: str, title: str) -> Parsed:
    """A record with a full text."""
    found = paper(key, title, full_text=True)
    blocks = [Block("title", title), Block("body", sentences=("Zebras run far.", "Horses run further."))]
    return Parsed(found, build_document(found.id, blocks, origin="jats", parser="test"))


def lost(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:10])


def flipped(path: Path) -> None:
    """A few bits at the end, which no header tells of."""
    content = bytearray(path.read_bytes())
    content[-70:] = bytes(each ^ 0x5A for each in content[-70:])
    path.write_bytes(content)


# Groups of near vectors need the optional extra `ann`.
NEEDS_FAISS = pytest.param(GROUPS_FILE, marks=pytest.mark.extra)


@pytest.mark.parametrize(
    "name", [PART_FILE, VECTORS_FILE, FACTS_FILE, FULL_TEXT_FILE, NEEDS_FAISS, "params.index.json", *POSTINGS]
)
@pytest.mark.parametrize("harm", [lost, cut, flipped])
def test_the_next_import_makes_it_anew(
    tmp_path: Path, name: str, harm: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == GROUPS_FILE:
        monkeypatch.setattr("litterm.library.index.vectors.MIN_ROWS_FOR_ANN", 5)
    store(tmp_path, [with_text("P1", "On zebras"), *(record(f"Q{n}") for n in range(8))])
    store(tmp_path, [record("P2", "On horses")])
    harmed, whole = DuckLibrary(tmp_path).snapshot().segments
    harm(harmed.folder / INDEX_FOLDER / name)
    events: list[Event] = []
    store(tmp_path, [], on_event=events.append)
    told = [each.text for each in events if isinstance(each, Notice)]
    assert told == ["An index that was lost or damaged is rebuilt."]
    segments, reader = DuckLibrary(tmp_path).snapshot().segments, IndexFolder()
    assert whole.folder in {each.folder for each in segments}
    assert sorted(reader.part(each).ids([0]) for each in segments) == [("acl:P1",), ("acl:P2",)]
    assert all(reader.vectors(each) is not None for each in segments)


@pytest.mark.parametrize("name", [PART_FILE, VECTORS_FILE, FACTS_FILE, FULL_TEXT_FILE, *POSTINGS])
@pytest.mark.parametrize("harm", [lost, cut])
def test_damage_that_size_or_header_shows_is_told_when_it_is_opened(
    tmp_path: Path, name: str, harm: Callable[[Path], None]
) -> None:
    store(tmp_path, [with_text("P1", "On zebras")])
    (segment,) = DuckLibrary(tmp_path).snapshot().segments
    harm(segment.folder / INDEX_FOLDER / name)
    reader = IndexFolder()
    with pytest.raises(IndexDamaged, match=rf"{name} .*any `litterm add` rebuilds it"):
        for opened in (reader.part, reader.vectors, reader.title_index, reader.bodies):
            opened(segment)


@pytest.mark.parametrize("name", [PART_FILE, FACTS_FILE, *POSTINGS])
def test_numbers_that_lead_anywhere_are_told_as_damage(tmp_path: Path, name: str) -> None:
    store(tmp_path, [record("P1", "On zebras")])
    library = DuckLibrary(tmp_path)
    (segment,) = library.snapshot().segments
    ground = SearchableLibrary(library, IndexFolder())

    def misled(_now: LibraryState) -> Task[None]:
        yield Progress("searching")
        raise IndexError("index 9 is out of bounds")

    with pytest.raises(IndexError):
        run(ground.run_on_snapshot(misled))
    flipped(segment.folder / INDEX_FOLDER / name)
    with pytest.raises(IndexDamaged, match=rf"{name} does not have the checksum"):
        run(ground.run_on_snapshot(misled))


def test_an_index_of_an_older_litterm_gets_checksums(tmp_path: Path) -> None:
    store(tmp_path, [record("P1", "On zebras")])
    manifest = read_manifest(tmp_path)
    plain = tuple(replace(each, files=()) for each in manifest.segments)
    publish(tmp_path, replace(manifest, generation=2, segments=plain))
    store(tmp_path, [])
    assert read_manifest(tmp_path).segments == manifest.segments


def test_a_segment_that_never_had_vectors_has_lost_none(tmp_path: Path) -> None:
    store(tmp_path, [record("P1", "On zebras")])
    (segment,) = DuckLibrary(tmp_path).snapshot().segments
    (segment.folder / INDEX_FOLDER / VECTORS_FILE).unlink()
    assert is_whole(segment.folder / INDEX_FOLDER, vectors=False)
    assert not is_whole(segment.folder / INDEX_FOLDER, vectors=True)


def test_until_then_it_is_told_with_what_helps(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    (segment,) = DuckLibrary(tmp_path).snapshot().segments
    (segment.folder / INDEX_FOLDER / PART_FILE).unlink()
    with pytest.raises(LibraryError, match=r"is gone.* any `litterm add` rebuilds it"):
        IndexFolder().part(segment)
