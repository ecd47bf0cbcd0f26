"""Segments come to a node once, and only whole."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import fsspec
import pytest
from libraries import record, store

from litterm.cluster import connection
from litterm.cluster.connection import RayCluster
from litterm.cluster.shard.segment_cache import SegmentCache
from litterm.container.clustered import build_cluster_engine
from litterm.core.errors import ClusterError, IndexDamaged, Offline, SegmentGone, UsageError
from litterm.core.settings import from_home
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import DATABASE
from litterm.model.library import Segment


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


def test_without_ray_the_command_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r'pip install "litterm\[cluster\]"'):
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
