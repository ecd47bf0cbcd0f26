"""The starter library on disk: made once, opened like any other, and made again where it is damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from litterm.library import starter
from litterm.library.segments.library import DuckLibrary
from litterm.library.starter import SOURCES, build_starter, open_starter
from litterm.model.library import RowRef
from litterm.model.paper import PaperId


@pytest.fixture(autouse=True)
def _not_prebuilt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(starter, "PREBUILT", tmp_path / "package")


def opened(cache: Path) -> DuckLibrary:
    library = open_starter(cache)
    assert library is not None
    return library


def ids_in_files() -> list[str]:
    lines = (line for path in sorted(SOURCES.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines())
    return [json.loads(line)["id"] for line in lines]


def test_one_segment_holds_the_papers_in_the_order_of_their_files(tmp_path: Path) -> None:
    library = opened(tmp_path)
    snapshot = library.snapshot()
    (segment,) = snapshot.segments
    papers = library.papers(snapshot, [RowRef(segment.key, row) for row in range(segment.count)])
    assert [paper.id for paper in papers] == ids_in_files()
    status = library.status()
    assert (status.papers, status.documents, status.by_source) == (len(papers), 3, (("starter", len(papers)),))
    tour = library.document(PaperId("starter:tour"))
    assert tour is not None and tour.references[0].target == "starter:vaswani2017"
    assert library.find(["arxiv:1706.03762", "tour"]) == (("starter:vaswani2017",), ("starter:tour",))
    # The same wherever it is made.
    assert papers[0].provenance.origin == "litterm/data/starter/documents.jsonl"


def test_it_is_made_once(tmp_path: Path) -> None:
    first = opened(tmp_path).root
    made = (first / "CURRENT").stat()
    assert opened(tmp_path).root == first
    assert (first / "CURRENT").stat() == made
    # Another process may have made it in the meantime.
    build_starter(first)
    assert (first / "CURRENT").stat() == made
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def test_two_processes_make_one_library(tmp_path: Path) -> None:
    root = tmp_path / "starter" / "version"
    command = [sys.executable, "-c", f"from pathlib import Path\nfrom {starter.__name__} import build_starter\n"]
    command[-1] += f"build_starter(Path({str(root)!r}))"
    makers = [subprocess.Popen(command) for _ in range(2)]
    assert [maker.wait(120) for maker in makers] == [0, 0]
    assert [path.name for path in root.parent.iterdir()] == ["version"]
    assert DuckLibrary(root).status().papers == len(ids_in_files())


def test_a_damaged_one_is_made_again(tmp_path: Path) -> None:
    root = opened(tmp_path).root
    (database,) = root.rglob("papers.duckdb")
    database.write_bytes(database.read_bytes()[:5000])
    abandoned = root.with_name(f"{root.name}.killed")
    abandoned.mkdir()
    os.utime(abandoned, (0, 0))
    library = opened(tmp_path)
    assert library.find(["starter:tour"]) == (("starter:tour",),)
    assert [path.name for path in root.parent.iterdir()] == [root.name]


def test_where_the_cache_cannot_be_written_it_lasts_as_long_as_the_process(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.write_text("a file where the folder should be")
    library = opened(cache)
    assert library.find(["starter:tour"]) == (("starter:tour",),)
    assert library.root.is_relative_to(tempfile.gettempdir())
