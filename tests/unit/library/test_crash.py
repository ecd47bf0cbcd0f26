"""`kill -9` at any moment: the library opens, holds what was reported as stored, and an import goes on behind it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from killed_imports import BATCH, FILES, PAPERS_A_FILE, Warm, corpus
from libraries import Files, HereBuilder, record, store

from litterm.core.tasks import run
from litterm.library.import_files import add
from litterm.library.segments.library import DuckLibrary
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.library import ImportReport
from litterm.model.paper import PaperId

TOTAL = FILES * PAPERS_A_FILE
RECORDS = TOTAL + FILES - 1
KILLS = 12


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with Warm() as process:
        yield process


def imported(root: Path) -> ImportReport:
    reader = Files(corpus())  # type: ignore[arg-type]
    return run(add(LibraryWriter(root, HereBuilder()), reader, FailureList(StateDatabase(root)), [root]))


def papers_of(root: Path) -> int:
    """How many papers the library says it has, after looking at every one of them."""
    library = DuckLibrary(root)
    found = [each for each in library.find([f"P{n}" for n in range(TOTAL)]) if each]
    library.by_id([PaperId(ids[0]) for ids in found])
    assert len(found) == library.status().papers
    library.close()
    return len(found)


def papers_in(records: int) -> int:
    """How many papers the first `records` of the corpus are."""
    ids = [each.paper.id for file in corpus().values() for each in file]  # type: ignore[attr-defined]
    return len(set(ids[:records]))


def test_kills_during_an_import(warm: Warm, tmp_path: Path) -> None:
    whole = warm.run(tmp_path / "whole")
    assert (whole.signal, whole.error, whole.stored) == (0, "", RECORDS)
    assert papers_of(tmp_path / "whole") == TOTAL
    for die_at in sorted(random.Random(20).sample(range(1, whole.seams), KILLS)):
        root = tmp_path / str(die_at)
        ended = warm.run(root, die_at=die_at)
        assert ended.signal == signal.SIGKILL
        left = papers_of(root)
        published = [papers_in(records) for records in (*range(0, RECORDS, BATCH), RECORDS) if records >= ended.stored]
        assert left in published
        report = imported(root)
        # Exact: nothing that was published is taken for new, or even looked at, again.
        assert report.added == TOTAL - left
        assert papers_of(root) == TOTAL
        assert list((root / "tmp").iterdir()) == []


def test_an_import_killed_again_and_again_ends_the_same(warm: Warm, tmp_path: Path) -> None:
    counts, seams = [0], warm.run(tmp_path / "whole").seams
    tmp_path = tmp_path / "again"
    for die_at in (seams // 3, seams // 5, seams // 5):
        assert warm.run(tmp_path, die_at=die_at).signal == signal.SIGKILL
        counts.append(papers_of(tmp_path))
    assert counts == sorted(counts) and 0 < counts[-1] < TOTAL
    imported(tmp_path)
    assert papers_of(tmp_path) == TOTAL


def test_kills_inside_compaction(warm: Warm, tmp_path: Path) -> None:
    for number in range(8):
        store(tmp_path, [record(f"P{number}")])
    before = papers_of(tmp_path)
    for die_at in (20, 30, 40, 50, 60):
        warm.run(tmp_path, "compact", die_at=die_at)
        assert papers_of(tmp_path) == before
    assert warm.run(tmp_path, "compact").stored == 1
    library = DuckLibrary(tmp_path)
    assert (library.status().papers, len(library.snapshot().segments)) == (before + 1, 1)


@pytest.fixture(scope="module")
def largest_file(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> int:
    """Bytes of the largest file that an import writes."""
    root = tmp_path_factory.mktemp("whole")
    warm.run(root)
    return max(path.stat().st_size for path in root.rglob("*") if path.is_file())


@pytest.mark.parametrize("room", [0.005, 0.2, 0.999])
def test_a_full_disk_is_told_and_nothing_stored_is_lost(
    warm: Warm, tmp_path: Path, largest_file: int, room: float
) -> None:
    store(tmp_path, [record("P1"), record("P2")])
    ended = warm.run(tmp_path, largest_file=int(room * largest_file))
    assert ended.error == "DiskFull"
    assert papers_of(tmp_path) == 2
    imported(tmp_path)
    assert papers_of(tmp_path) == TOTAL


def test_a_reader_sees_counts_that_never_fall_over_fifty_publications(tmp_path: Path) -> None:
    store(tmp_path, [record("P0")])
    done = threading.Event()
    counts: list[int] = []

    def look() -> None:
        library = DuckLibrary(tmp_path)
        while not done.wait(0.01):
            snapshot = library.snapshot()
            live = sum(segment.count - len(segment.shadowed) for segment in snapshot.segments)
            assert library.by_id([PaperId("acl:P0")])[0].title
            counts.append(live)

    reader = threading.Thread(target=look)
    reader.start()
    writers = DuckLibrary(tmp_path)
    for number in range(1, 51):
        # Every paper also changes the first, so that rows are shadowed all the time.
        store(tmp_path, [record(f"P{number}"), record("P0", urls=(f"u{number}",))], library=writers)
    done.set()
    reader.join()
    assert counts == sorted(counts)
    assert len(set(counts)) > 20
    assert DuckLibrary(tmp_path).status().papers == 51


HOLDER = """
import sys
from pathlib import Path
from litterm.library.workers.segment_builder import ChildSegmentBuilder
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.library.writer.library_writer import LibraryWriter
from litterm.core.tasks import run
builder = ChildSegmentBuilder(small_rows=0)
writer = LibraryWriter(Path(sys.argv[1]), builder)
run(writer.begin())
for n in range(3000):
    writer.add_item(Parsed(Paper(PaperId(f"acl:H{n}"), f"Held {n}", "words " * 100)))
run(writer.flush())
print(builder.pid, flush=True)
sys.stdin.read()
"""


def test_a_killed_writer_leaves_no_lock_and_no_child(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None and holder.stdin is not None
    child = int(holder.stdout.readline())
    assert f"process {holder.pid}" in DuckLibrary(tmp_path).status().writer
    waiting = LibraryWriter(tmp_path, HereBuilder()).begin()
    assert "Waiting" in str(next(waiting))
    waiting.close()
    holder.kill()
    holder.wait()
    for pipe in (holder.stdin, holder.stdout):
        pipe.close()
    assert store(tmp_path, [record("P2")]).added == 1
    assert DuckLibrary(tmp_path).status().papers == 2
    deadline = time.monotonic() + 10
    while _alive(child) and time.monotonic() < deadline:
        os.sched_yield()
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2] if Path("/proc").is_dir() else True
