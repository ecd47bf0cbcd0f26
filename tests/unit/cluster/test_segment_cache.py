"""Segments come to a node once, and only whole."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import fsspec
import pytest
from libraries import record, store

from litterm.cluster import connection
from litterm.cluster.connection import RayCluster
from litterm.cluster.engine import build_cluster_engine
from litterm.cluster.requests import ShardView
from litterm.cluster.shard.segment_cache import SegmentCache
from litterm.cluster.shard.shard import Shard, SnapshotNotHeld
from litterm.core.errors import ClusterError, IndexDamaged, Offline, SegmentGone, UsageError
from litterm.core.settings import from_home
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import DATABASE
from litterm.model.library import Segment
from litterm.search.signals.bm25 import Term


@pytest.fixture
def segment(tmp_path: Path) -> Segment:
    store(tmp_path / "library", [record("A", "A study of zebras"), record("B", "A study of okapis")])
    return DuckLibrary(tmp_path / "library").snapshot().segments[0]


def test_a_segment_is_fetched_from_an_object_store_once(segment: Segment, tmp_path: Path) -> None:
    objects = fsspec.filesystem("memory")
    objects.put(str(segment.folder), f"/bucket/segments/{segment.key}", recursive=True)
    cache = SegmentCache(tmp_path / "cache", "memory://bucket/segments")
    here = cache.fetch_index(segment)
    assert here.folder == tmp_path / "cache" / segment.key
    assert IndexFolder().part(here).ids([0, 1]) == ("acl:A", "acl:B")
    # Papers are fetched when one is asked for.
    assert not (here.folder / DATABASE).exists()
    assert (cache.fetch_database(segment).folder / DATABASE).read_bytes() == (segment.folder / DATABASE).read_bytes()
    objects.rm("/bucket", recursive=True)
    assert cache.fetch_index(segment) == here
    with pytest.raises(SegmentGone, match="is gone"):
        SegmentCache(tmp_path / "other", "memory://bucket/segments").fetch_index(segment)


def test_a_file_that_was_changed_on_its_way_is_refused(segment: Segment, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / segment.key
    for file in segment.files:
        (copy / file.name).parent.mkdir(parents=True, exist_ok=True)
        (copy / file.name).write_bytes((segment.folder / file.name).read_bytes())
    pack = copy / "index" / "part.pack"
    content = bytearray(pack.read_bytes())
    content[-100] ^= 1
    pack.write_bytes(content)
    cache = SegmentCache(tmp_path / "cache", (tmp_path / "copy").as_uri())
    with pytest.raises(IndexDamaged, match="does not have the checksum"):
        cache.fetch_index(segment)
    assert not (tmp_path / "cache" / segment.key / "index" / "part.pack").exists()


@pytest.fixture
def copied(segment: Segment, tmp_path: Path) -> Iterator[str]:
    """The URL of a copy of the segments, so that a node has files of its own."""
    objects = fsspec.filesystem("memory")
    objects.put(str(segment.folder), f"/shared/segments/{segment.key}", recursive=True)
    yield "memory://shared/segments"
    objects.rm("/shared", recursive=True)


def wait_for_verification() -> None:
    for thread in threading.enumerate():
        if thread.name == "cache verification":
            thread.join()


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-4] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["data.csc.index.npy", "indices.csc.index.npy"])
def test_what_a_node_has_kept_is_verified_by_each_actor(
    segment: Segment, copied: str, tmp_path: Path, name: str
) -> None:
    view, kept = ShardView("now", (segment,), (0,)), tmp_path / "cache" / segment.key / "index" / name
    Shard(tmp_path / "cache", copied).open(view)
    wait_for_verification()
    flip(kept)
    shard = Shard(tmp_path / "cache", copied)
    shard.open(view)
    wait_for_verification()
    assert not kept.exists()
    # The driver opens the view again, as after the start of an actor.
    with pytest.raises(SnapshotNotHeld):
        shard.answer("now", "node_id")
    shard.open(view)
    assert kept.read_bytes() == (segment.folder / "index" / name).read_bytes()
    wait_for_verification()
    assert shard.answer("now", "frequencies", [Term(("zebra",))]) == [1]


def test_a_file_that_another_process_has_replaced_is_opened_again(
    segment: Segment, copied: str, tmp_path: Path
) -> None:
    cache = SegmentCache(tmp_path / "cache", copied)
    cache.fetch_index(segment)
    assert cache.remove_damaged([segment]) == ()
    late = SegmentCache(tmp_path / "cache", copied)
    path = late.fetch_index(segment).folder / "index" / "part.pack"
    content = path.read_bytes()
    (tmp_path / "fresh").write_bytes(content)
    (tmp_path / "fresh").replace(path)
    assert late.remove_damaged([segment]) == (path,)
    assert path.read_bytes() == content
    assert late.remove_damaged([segment]) == ()


def test_a_kept_file_that_is_cut_off_is_fetched_again(segment: Segment, copied: str, tmp_path: Path) -> None:
    view, kept = ShardView("now", (segment,), (0,)), tmp_path / "cache" / segment.key / "index" / "part.pack"
    Shard(tmp_path / "cache", copied).open(view)
    kept.write_bytes(b"short")
    shard = Shard(tmp_path / "cache", copied)
    shard.open(view)
    assert shard.answer("now", "frequencies", [Term(("zebra",))]) == [1]
    assert kept.stat().st_size > 5


def test_numbers_that_lead_anywhere_make_the_kept_file_be_fetched_again(
    segment: Segment, copied: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, kept = ShardView("now", (segment,), (0,)), tmp_path / "cache" / segment.key / "index" / "part.pack"
    shard = Shard(tmp_path / "cache", copied)
    shard.open(view)
    wait_for_verification()

    def misled(*_arguments: object) -> None:
        raise IndexError("index 9 is out of bounds")

    monkeypatch.setattr(shard, "frequencies", misled)
    with pytest.raises(IndexError):
        shard.answer("now", "frequencies", [Term(("zebra",))])
    flip(kept)
    with pytest.raises(SnapshotNotHeld):
        shard.answer("now", "frequencies", [Term(("zebra",))])
    assert not kept.exists()


def test_the_remedy_for_a_cache_is_not_an_import(segment: Segment, tmp_path: Path) -> None:
    shard = Shard(tmp_path / "cache", segment.folder.parent.as_uri())
    here = shard._cache.fetch_index(segment)
    (here.folder / "index" / "part.pack").unlink()
    with pytest.raises(IndexDamaged, match=r"remove the segment's folder in .*cache on this node") as told:
        shard._index.part(here)
    assert "litterm add" not in str(told.value)


def test_without_ray_the_command_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r'install .*"ray'):
        RayCluster("auto").ray()


def test_without_the_client_of_ray_the_command_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "find_spec", lambda _name: None)
    with pytest.raises(ClusterError, match=r"ray://nowhere\.invalid:10001 .* pip install \"ray\[client\]\""):
        RayCluster("ray://nowhere.invalid:10001").ray()


def test_offline_a_cluster_elsewhere_is_refused(tmp_path: Path) -> None:
    settings = replace(from_home(tmp_path), offline=True)
    with pytest.raises(Offline, match=r"10\.0\.0\.1:6379 is on another machine"):
        build_cluster_engine(replace(settings, cluster="10.0.0.1:6379"))
    build_cluster_engine(replace(settings, cluster="127.0.0.1:6379"))


@pytest.mark.parametrize("address", ["localhost:abc", "localhost:99999", "[::1"])
def test_what_is_no_address_of_a_cluster_is_named(tmp_path: Path, address: str) -> None:
    with pytest.raises(UsageError, match="write auto, HOST:6379 or ray://HOST:10001"):
        build_cluster_engine(replace(from_home(tmp_path), cluster=address))
