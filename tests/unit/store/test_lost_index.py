"""An index that was lost or damaged is made anew by the next import; the papers are not touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from libraries import record, store

from litterm.errors import LibraryError
from litterm.index.pack import PACK
from litterm.index.reader import INDEX_FOLDER, IndexFolder, is_whole
from litterm.index.vectors import VECTORS
from litterm.model.events import Event, Notice
from litterm.store.library import DuckLibrary


def lost(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:10])


@pytest.mark.parametrize("name", [PACK, VECTORS, "data.csc.index.npy"])
@pytest.mark.parametrize("harm", [lost, cut])
def test_the_next_import_makes_it_anew(tmp_path: Path, name: str, harm: Callable[[Path], None]) -> None:
    store(tmp_path, [record("P1", "On zebras")])
    store(tmp_path, [record("P2", "On horses")])
    harmed, whole = DuckLibrary(tmp_path).snapshot().segments
    harm(harmed.folder / INDEX_FOLDER / name)
    events: list[Event] = []
    store(tmp_path, [], on_event=events.append)
    told = [each.text for each in events if isinstance(each, Notice)]
    assert told == ["An index that was lost or damaged is made anew."]
    segments, reader = DuckLibrary(tmp_path).snapshot().segments, IndexFolder()
    assert whole.folder in {each.folder for each in segments}
    assert sorted(reader.part(each).ids([0]) for each in segments) == [("acl:P1",), ("acl:P2",)]
    assert all(reader.vectors(each) is not None for each in segments)


def test_a_segment_that_never_had_vectors_has_lost_none(tmp_path: Path) -> None:
    store(tmp_path, [record("P1", "On zebras")])
    (segment,) = DuckLibrary(tmp_path).snapshot().segments
    (segment.folder / INDEX_FOLDER / VECTORS).unlink()
    assert is_whole(segment.folder / INDEX_FOLDER, vectors=False)
    assert not is_whole(segment.folder / INDEX_FOLDER, vectors=True)


def test_until_then_it_is_told_with_what_helps(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    (segment,) = DuckLibrary(tmp_path).snapshot().segments
    (segment.folder / INDEX_FOLDER / PACK).unlink()
    with pytest.raises(LibraryError, match=r"is gone: .* any `litterm add` makes it anew"):
        IndexFolder().part(segment)
