"""What a bad disk, a broken copy or a crash leaves of a library: nothing more is lost, and what is lost has a name."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import from_format, record, store

from litterm.core.errors import UnknownPaper
from litterm.core.tasks import run
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import DATABASE, read_manifest, read_manifest_with_fault, segment_folder
from litterm.library.segments.repair.recovery import rebuild_manifest
from litterm.model.events import Event, Notice
from litterm.model.library import Segment
from litterm.model.paper import PaperId


def flip(path: Path, at: int | None = None) -> None:
    """Turns a few bits in the middle of `path`."""
    content = bytearray(path.read_bytes())
    at = len(content) // 2 if at is None else at
    for place in range(at, min(at + 8, len(content))):
        content[place] ^= 0x5A
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def gone(path: Path) -> None:
    path.unlink()


HARMS = [flip, cut, gone]


def three_imports(root: Path) -> None:
    """Papers, one of them changed by a later import and two made one by a third; a doubtful pair."""
    store(
        root,
        [record(f"P{n}", provenance=from_format("bibtex")) for n in range(3)]
        + [record("Q1", "Owls"), record("pmc:PMC1", "Owls")],
    )
    store(root, [record("P1", urls=("u",)), record("P9", "On the subject of P2")])
    store(root, [record("doi:10.1/x", "Owls", aliases=(PaperId("acl:Q1"), PaperId("pmc:PMC1")))])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of three imports, to be copied."""
    root = tmp_path_factory.mktemp("made")
    three_imports(root)
    return root


def copied(made: Path, root: Path) -> None:
    shutil.copytree(made, root, dirs_exist_ok=True)


def ids(root: Path) -> set[str]:
    library = DuckLibrary(root)
    try:
        snapshot = library.snapshot()
        rows = [(each, row) for each in snapshot.segments for row in range(each.count) if row not in each.shadowed]
        return {paper.id for each, row in rows for paper in library.papers(snapshot, [_ref(each, row)])}
    finally:
        library.close()


def _ref(segment: Segment, row: int) -> object:
    from litterm.model.library import RowRef

    return RowRef(segment.key, row)


def without_lists(root: Path) -> None:
    for path in [root / "CURRENT", *root.glob("manifest-*.json")]:
        path.unlink()


def notices_of(root: Path, *keys: str) -> list[str]:
    events: list[Event] = []
    store(root, [record(key) for key in keys], on_event=events.append)
    return [each.text for each in events if isinstance(each, Notice)]


def test_a_list_made_anew_from_the_segments_is_the_one_that_was_lost(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    before = read_manifest(tmp_path)
    fresh, damaged = run(rebuild_manifest(tmp_path, [each.key for each in before.segments]))
    assert damaged == []
    assert replace(fresh, generation=before.generation, imports=before.imports) == replace(
        before, segments=tuple(replace(each, size=fresh.segments[at].size) for at, each in enumerate(before.segments))
    )


def test_a_library_without_any_list_is_not_emptied_by_the_next_import(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    before = ids(tmp_path)
    without_lists(tmp_path)
    assert any("was rebuilt from the segments" in each for each in notices_of(tmp_path, "New"))
    assert ids(tmp_path) == before | {"acl:New"}
    assert read_manifest(tmp_path).papers == len(before) + 1


def test_a_library_without_any_list_is_read_as_before(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    before = ids(tmp_path)
    without_lists(tmp_path)
    assert ids(tmp_path) == before
    assert DuckLibrary(tmp_path).status().papers == len(before)


def test_segments_of_an_older_litterm_are_listed_again_too(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    before = ids(tmp_path)
    without_lists(tmp_path)
    for path in tmp_path.glob("segments/*/segment.json"):
        path.unlink()
    store(tmp_path, [record("New")])
    assert ids(tmp_path) == before | {"acl:New"}


def test_after_a_compaction_nothing_is_listed_twice(tmp_path: Path) -> None:
    for number in range(9):
        store(tmp_path, [record(f"P{number}"), record("P0", urls=(f"u{number}",))])
    assert read_manifest(tmp_path).retired
    before = ids(tmp_path)
    without_lists(tmp_path)
    store(tmp_path, [record("New")])
    assert ids(tmp_path) == before | {"acl:New"}
    assert read_manifest(tmp_path).papers == len(before) + 1


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_in_a_list_never_serves_an_older_library(made: Path, tmp_path: Path, seed: int) -> None:
    copied(made, tmp_path)
    before, dice = ids(tmp_path), random.Random(seed)
    path = tmp_path / dice.choice(["CURRENT", f"manifest-{read_manifest(tmp_path).generation}.json"])
    content = bytearray(path.read_bytes())
    content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    path.write_bytes(content)
    assert ids(tmp_path) == before
    store(tmp_path, [record("New")])
    assert ids(tmp_path) == before | {"acl:New"}
    assert read_manifest_with_fault(tmp_path)[1] == ""


def test_a_digit_changed_in_a_list_without_checksums_serves_nothing_older(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    before = ids(tmp_path)
    for path in tmp_path.glob("manifest-*.json"):
        told = json.loads(path.read_text())
        del told["crc"]
        path.write_text(json.dumps(told))
    (tmp_path / "CURRENT").write_text("2\n")
    assert ids(tmp_path) == before


def test_what_is_wrong_with_the_list_is_told(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    assert read_manifest_with_fault(tmp_path)[1] == ""
    (tmp_path / "CURRENT").unlink()
    assert "CURRENT" in read_manifest_with_fault(tmp_path)[1]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("old", [False, True])
def test_a_damaged_segment_costs_its_own_papers_only(tmp_path: Path, harm: Callable[[Path], None], old: bool) -> None:
    from litterm.library.segments.manifest import publish

    for name in ("one", "two", "three"):
        store(
            tmp_path,
            [
                record(f"{name}{n}", provenance=replace(from_format("x"), origin=f"/in/{name}.bib:{n}"))
                for n in range(3)
            ],
        )
    if old:
        manifest = read_manifest(tmp_path)
        plain = tuple(replace(each, files=()) for each in manifest.segments)
        publish(tmp_path, replace(manifest, generation=9, segments=plain))
    harmed = read_manifest(tmp_path).segments[1].key
    harm(segment_folder(tmp_path, harmed) / DATABASE)
    library = DuckLibrary(tmp_path)
    assert library.find([f"acl:{name}{n}" for name in ("one", "three") for n in range(3)]) == tuple(
        (PaperId(f"acl:{name}{n}"),) for name in ("one", "three") for n in range(3)
    )
    assert library.find(["two1"]) == ((),)
    with pytest.raises(UnknownPaper, match="doctor"):
        library.by_id([PaperId("acl:two1")])
    assert library.status().papers == 6
    library.close()
    told = " ".join(notices_of(tmp_path, "New"))
    assert "/in/two.bib (3)" in told and "moved to" in told
    assert (tmp_path / "damaged" / harmed).is_dir()
    assert len(ids(tmp_path)) == 7 and read_manifest(tmp_path).papers == 7
    (told,) = [each for each in DuckLibrary(tmp_path).status().notices if harmed in each]
    assert "/in/two.bib (3)" in told
    store(tmp_path, [record(f"two{n}") for n in range(3)])
    assert len(ids(tmp_path)) == 10


def test_a_segment_that_is_gone_costs_its_own_papers_only(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    shutil.rmtree(segment_folder(tmp_path, read_manifest(tmp_path).segments[1].key))
    assert "acl:P0" in ids(tmp_path)
    store(tmp_path, [record("New")])
    # What the lost segment had replaced holds again.
    assert ids(tmp_path) == {"acl:P0", "acl:P1", "acl:P2", "acl:Q1", "acl:New"}


def test_a_file_imported_before_the_damage_is_read_again(tmp_path: Path) -> None:
    from libraries import Files, HereBuilder

    from litterm.library.import_files import add
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.failures import FailureList
    from litterm.library.writer.library_writer import LibraryWriter

    def imported() -> int:
        reader = Files({"a.jsonl": [record("P1"), record("P2")]})
        return run(
            add(LibraryWriter(tmp_path, HereBuilder()), reader, FailureList(StateDatabase(tmp_path)), [tmp_path])
        ).added

    assert (imported(), imported()) == (2, 0)
    flip(segment_folder(tmp_path, read_manifest(tmp_path).segments[0].key) / DATABASE, 0)
    assert ids(tmp_path) == set(), "whoever reads meets the damage and marks it"
    assert imported() == 2


def test_a_library_of_one_damaged_segment_says_so(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    flip(segment_folder(tmp_path, read_manifest(tmp_path).segments[0].key) / DATABASE, 4)
    library = DuckLibrary(tmp_path)
    assert library.snapshot().segments == ()
    assert library.status().papers == 0
    assert "with 1 record is damaged" in library.status().notices[0]


def test_a_database_of_another_size_than_it_was_published_with_is_damaged(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    whole = ids(tmp_path)
    first, *_ = read_manifest_with_fault(tmp_path)[0].segments
    folder = segment_folder(tmp_path, first.key)
    with (folder / DATABASE).open("ab") as file:
        file.write(b"x")
    assert ids(tmp_path) < whole


def test_an_index_of_another_size_costs_no_paper(made: Path, tmp_path: Path) -> None:
    copied(made, tmp_path)
    whole = ids(tmp_path)
    for entry in read_manifest_with_fault(tmp_path)[0].segments:
        for file in segment_folder(tmp_path, entry.key).rglob("*.pack"):
            file.write_bytes(file.read_bytes() + b"x")
    assert ids(tmp_path) == whole
