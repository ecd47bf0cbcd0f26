from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import HereBuilder, by, record, store, versions_of

from litterm.core.errors import ChildFailed, DiskFull, LibraryError
from litterm.core.tasks import run
from litterm.library.index.bm25_weights import TYPICAL_LENGTH
from litterm.library.segments.built_segment import BuildJob, BuiltSegment
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import publish, read_manifest
from litterm.library.state.connection import StateDatabase
from litterm.library.state.imports import FileRead, ImportLog
from litterm.library.writer import library_writer as writing
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.document import Document, DocumentId
from litterm.model.events import Event, Notice, PapersStored
from litterm.model.library import Failure, FileEnd, FileStart, ImportReport, Parsed, RowRef
from litterm.model.paper import PaperId

P2, Q1 = PaperId("acl:P2"), PaperId("acl:Q1")
FILE = [FileStart("a.jsonl", "sha-a", 10), *(record(f"P{n}") for n in range(5)), FileEnd("a.jsonl", "sha-a", 5)]


class Slow(HereBuilder):
    """Says it is done at the third question, and then fails with `error` if there is one."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked, self.error, self.cancelled = 0, error, False
        self._built: BuiltSegment | None = None

    def build(self, folder: Path, *, rows: int, average_length: float | None) -> BuildJob:
        self._built = super().build(folder, rows=rows, average_length=average_length).result()
        self.asked = 0
        return self

    def done(self) -> bool:
        self.asked += 1
        return self.asked > 2

    def result(self) -> BuiltSegment:
        if self.error is not None:
            raise self.error
        assert self._built is not None
        return self._built

    def cancel(self) -> None:
        self.cancelled = True


def test_a_second_import_of_the_same_records_changes_nothing(tmp_path: Path) -> None:
    records = [record(f"P{n}", authors=by("Lee, Ann"), year=2000) for n in range(20)]
    assert store(tmp_path, records).added == 20
    before = read_manifest(tmp_path)
    again = store(tmp_path, records)
    assert (again.added, again.merged, again.unchanged) == (0, 0, 20)
    assert read_manifest(tmp_path) == before


def test_a_file_read_to_its_end_is_known_and_one_with_failures_is_not(tmp_path: Path) -> None:
    store(tmp_path, [*FILE, FileStart("b", "sha-b", 1), record("B1"), FileEnd("b", "sha-b", 1, failures=1)])
    writer = LibraryWriter(tmp_path, HereBuilder())
    run(writer.begin())
    assert (writer.is_known("sha-a"), writer.is_known("sha-b"), writer.is_known("sha-c")) == (True, False, False)
    writer.close()


def test_an_archive_is_known_only_when_its_own_end_was_reached(tmp_path: Path) -> None:
    store(tmp_path, [FileStart("a.tar", "sha-tar", 20), *FILE])
    writer = LibraryWriter(tmp_path, HereBuilder())
    run(writer.begin())
    assert (writer.is_known("sha-a"), writer.is_known("sha-tar")) == (True, False)
    writer.close()


def test_an_import_broken_off_goes_on_behind_the_last_publication(tmp_path: Path) -> None:
    broken = LibraryWriter(tmp_path, HereBuilder())
    run(broken.begin())
    for item in FILE[:4]:
        broken.add_item(item)
    run(broken.flush())
    assert broken.publish_if_due() == PapersStored(3)
    broken.add_item(FILE[4])
    broken.close()
    assert DuckLibrary(tmp_path).status().papers == 3
    report = store(tmp_path, FILE)
    assert (report.added, report.merged, report.unchanged) == (2, 0, 3)
    assert store(tmp_path, []).added == 0


def test_records_behind_a_failure_are_looked_at_again(tmp_path: Path) -> None:
    broken = LibraryWriter(tmp_path, HereBuilder())
    run(broken.begin())
    for item in (FILE[0], FILE[1], Failure("a.jsonl:2", "Timed out.", transient=True), FILE[3]):
        broken.add_item(item)
    run(broken.finish())
    broken.close()
    report = store(tmp_path, FILE)
    assert (report.added, report.unchanged) == (3, 2)


def test_a_batch_is_due_by_size_and_by_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    writer = LibraryWriter(tmp_path, HereBuilder(), clock=lambda: now[0])
    monkeypatch.setattr(writing, "BATCH_PAPERS", 3)
    run(writer.begin())
    now[0] = 60.0
    assert not writer.is_due()
    writer.add_item(record("P1"))
    assert writer.is_due()
    run(writer.flush())
    assert not writer.is_due()
    for number in range(3):
        assert not writer.is_due()
        writer.add_item(record(f"Q{number}"))
    assert writer.is_due()
    run(writer.flush())
    monkeypatch.setattr(writing, "BATCH_CHARACTERS", 10)
    text = Document(DocumentId("d"), PaperId("acl:R"), "0123456789", (), (), "jats")
    writer.add_item(replace(record("R"), document=text))
    assert writer.is_due()
    writer.close()


class Busy(HereBuilder):
    """Takes a minute by the clock for each segment, as a starved process does."""

    def __init__(self, now: list[float]) -> None:
        self._now = now

    def build(self, folder: Path, *, rows: int, average_length: float | None) -> BuildJob:
        self._now[0] += 60.0
        return super().build(folder, rows=rows, average_length=average_length)


def test_a_batch_takes_as_long_as_the_last_one_took_to_store(tmp_path: Path) -> None:
    now = [0.0]
    writer = LibraryWriter(tmp_path, Busy(now), clock=lambda: now[0])
    run(writer.begin())
    writer.add_item(record("P1"))
    now[0] = 10.0
    assert writer.is_due()
    run(writer.flush())
    # Read before anything else happens: it must not become a segment of one paper.
    writer.add_item(record("P2"))
    assert not writer.is_due()
    now[0] += 59.0
    assert not writer.is_due()
    now[0] += 1.0
    assert writer.is_due()
    writer.close()


def test_what_a_child_finished_is_published_while_reading_goes_on(tmp_path: Path) -> None:
    writer = LibraryWriter(tmp_path, Slow())
    run(writer.begin())
    writer.add_item(record("P1"))
    run(writer.flush())
    assert [writer.publish_if_due() for _ in range(3)] == [None, None, PapersStored(1)]
    assert DuckLibrary(tmp_path).status().papers == 1
    writer.close()


def test_a_batch_knows_the_one_before_while_a_child_is_at_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "utc_now", lambda: "2026-01-01T00:00:00Z")
    lee, second = by("Lee, Ann"), "On the subject of P2"
    batches = [
        [record("P1", "One title", authors=lee, year=2000), record("P2"), record("local:1", "Apples"), record("P9")],
        # Tells more of P1 and P9, is P2 under another id, a version of P1, and no apples.
        [
            record("P1", abstract="More."),
            record("P9", abstract="New."),
            record("doi:10.1/x", "On the subject of P2", aliases=(P2,)),
        ],
        [record("Q1", "One title", authors=lee, year=2000), record("local:1", "Pears")],
        [
            record("P1", year=2001),
            record("doi:10.1/x", second, abstract="Found."),
            record("P9", abstract="New."),
        ],
        [record("P9", "Renamed", abstract="New."), record("R1", "A title"), record("R2", "On the subject of P9")],
    ]
    at_once, overlapping = (tmp_path / name for name in ("at-once", "overlapping"))
    assert _stored(at_once, HereBuilder(), batches) == _stored(overlapping, Slow(), batches)
    assert _held(at_once) == _held(overlapping)
    assert sum(len(entry.shadowed) for entry in read_manifest(overlapping).segments) == 6


def _stored(root: Path, builder: HereBuilder, batches: list[list[Parsed]]) -> ImportReport:
    writer = LibraryWriter(root, builder)
    run(writer.begin())
    for batch in batches:
        for each in batch:
            writer.add_item(each)
        run(writer.flush())
    report = run(writer.finish())
    writer.close()
    return report


def _held(root: Path) -> list[object]:
    library = DuckLibrary(root)
    snapshot = library.snapshot()
    live = [
        [RowRef(segment.key, row) for row in range(segment.count) if row not in segment.shadowed]
        for segment in snapshot.segments
    ]
    manifest = read_manifest(root)
    counts = (manifest.papers, manifest.by_source, manifest.doubtful, [entry.shadowed for entry in manifest.segments])
    return [
        *(library.papers(snapshot, refs) for refs in live),
        counts,
        library.linked_pairs("doubtful"),
        versions_of(library, Q1),
    ]


def test_records_count_as_stored_when_they_are_published(tmp_path: Path) -> None:
    events: list[Event] = []
    store(tmp_path, FILE, on_event=events.append)
    assert [event for event in events if isinstance(event, PapersStored)] == [PapersStored(5)]


@pytest.mark.parametrize("error", [ChildFailed("It died."), DiskFull("No room.")])
def test_a_batch_that_fails_costs_itself_only(tmp_path: Path, error: Exception) -> None:
    store(tmp_path, FILE)
    writer = LibraryWriter(tmp_path, Slow(error))
    run(writer.begin())
    writer.add_item(record("Q1"))
    with pytest.raises(type(error)):
        run(writer.finish())
    writer.close()
    assert DuckLibrary(tmp_path).status().papers == 5
    assert list((tmp_path / "tmp").iterdir()) == []
    assert store(tmp_path, [record("Q1")]).added == 1


def test_closing_early_stops_the_child_and_gives_the_lock_back(tmp_path: Path) -> None:
    builder = Slow()
    writer = LibraryWriter(tmp_path, builder)
    run(writer.begin())
    writer.add_item(record("P1"))
    run(writer.flush())
    writer.close()
    assert builder.cancelled
    assert DuckLibrary(tmp_path).status().papers == 0
    assert store(tmp_path, [record("P1")]).added == 1


def test_a_second_writer_waits_and_says_for_whom(tmp_path: Path) -> None:
    first = LibraryWriter(tmp_path, HereBuilder())
    run(first.begin())
    waiting = LibraryWriter(tmp_path, HereBuilder()).begin()
    told = next(waiting)
    assert isinstance(told, Notice)
    assert told.text == "Waiting for another job of this litterm that is writing."
    assert next(waiting) != told
    first.close()
    assert DuckLibrary(tmp_path).status().writer == ""
    with pytest.raises(StopIteration):
        next(waiting)


def test_a_writer_begins_once(tmp_path: Path) -> None:
    writer = LibraryWriter(tmp_path, HereBuilder())
    run(writer.begin())
    with pytest.raises(LibraryError, match="already writing"):
        run(writer.begin())
    writer.close()
    writer.close()


def test_what_dead_writers_left_is_cleared_away(tmp_path: Path) -> None:
    store(tmp_path, FILE)
    for left in (tmp_path / "tmp" / "1-dead", tmp_path / "segments" / "0orphan"):
        (left / "index").mkdir(parents=True)
    store(tmp_path, [])
    assert list((tmp_path / "tmp").iterdir()) == []
    assert {each.name for each in (tmp_path / "segments").iterdir()} == {
        e.key for e in read_manifest(tmp_path).segments
    }


def test_every_library_counts_with_the_same_average_length_however_its_batches_are_cut(tmp_path: Path) -> None:
    store(tmp_path, [record("P1", abstract="one two three " * 50)])
    store(tmp_path, [record(f"Q{n}", "alpha beta gamma", abstract="delta " * (20 + n % 5)) for n in range(1000)])
    store(tmp_path, [record("R1", abstract="one two three " * 50)])
    assert {entry.average_length for entry in read_manifest(tmp_path).segments} == {TYPICAL_LENGTH}
    assert read_manifest(tmp_path).average_length == TYPICAL_LENGTH


def test_a_library_begun_with_another_average_length_keeps_it(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    begun = read_manifest(tmp_path)
    publish(tmp_path, replace(begun, generation=begun.generation + 1, average_length=7.0))
    store(tmp_path, [record(f"Q{n}") for n in range(3)])
    assert read_manifest(tmp_path).segments[-1].average_length == 7.0
    store(tmp_path, [record("R1")])
    assert (read_manifest(tmp_path).segments[-1].average_length, read_manifest(tmp_path).average_length) == (7.0, 7.0)


def test_merging_counts_papers_by_the_scheme_of_their_id(tmp_path: Path) -> None:
    store(tmp_path, [record("P1", "Owls"), record("pmc:PMC1", "Owls")])
    report = store(tmp_path, [record("doi:10.1/x", "Owls", aliases=(PaperId("acl:P1"), PaperId("pmc:PMC1")))])
    assert (report.added, report.merged) == (0, 1)
    status = DuckLibrary(tmp_path).status()
    assert (status.papers, status.by_source) == (1, (("acl", 1),))
    assert DuckLibrary(tmp_path).find(["PMC1", "10.1/x"]) == (("acl:P1",), ("acl:P1",))


@pytest.mark.parametrize("content", [None, "", "\x00\x00", "garbage"])
def test_a_library_whose_current_was_lost_is_still_there(tmp_path: Path, content: str | None) -> None:
    store(tmp_path, [record("P1")])
    store(tmp_path, [record("P2")])
    (tmp_path / "CURRENT").unlink() if content is None else (tmp_path / "CURRENT").write_text(content)
    assert [each.id for each in DuckLibrary(tmp_path).by_id([PaperId("acl:P1"), PaperId("acl:P2")])] == [
        "acl:P1",
        "acl:P2",
    ]
    store(tmp_path, [record("P3")])
    assert read_manifest(tmp_path).papers == 3
    assert (tmp_path / "CURRENT").read_text().split()[0] == str(read_manifest(tmp_path).generation)


def test_of_the_manifests_left_without_current_the_newest_by_number_counts(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    for generation in (9, 10):
        publish(tmp_path, replace(read_manifest(tmp_path), generation=generation))
    (tmp_path / "CURRENT").unlink()
    assert read_manifest(tmp_path).generation == 10


def test_a_file_noted_by_a_writer_that_died_before_it_published_is_read_again(tmp_path: Path) -> None:
    store(tmp_path, FILE)
    log = ImportLog(StateDatabase(tmp_path), read_manifest(tmp_path).imports)
    log.append([FileRead("sha-b", "b.jsonl", 1, True), FileRead("sha-a", "a.jsonl", 9, True)])
    writer = LibraryWriter(tmp_path, HereBuilder())
    run(writer.begin())
    assert (writer.is_known("sha-a"), writer.is_known("sha-b")) == (True, False)
    writer.close()
    with StateDatabase(tmp_path).read() as connection:
        assert connection.execute("SELECT sha256, papers FROM imported_file").fetchall() == [("sha-a", 5)]


def test_a_writer_that_died_is_not_named_as_the_one_at_work(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    signed = {"pid": gone.pid, "command": "litterm add", "since": "2026-01-01T00:00:00Z"}
    (tmp_path / "write.lock").write_text(json.dumps(signed))
    assert DuckLibrary(tmp_path).status().writer == ""
    (tmp_path / "write.lock").write_text(json.dumps({**signed, "pid": os.getpid()}))
    assert "litterm add" in DuckLibrary(tmp_path).status().writer


def test_a_lost_import_log_costs_another_reading_only(tmp_path: Path) -> None:
    store(tmp_path, FILE)
    for path in tmp_path.glob("state.db*"):
        path.unlink()
    again = store(tmp_path, FILE)
    assert (again.added, again.unchanged) == (0, 5)
    writer = LibraryWriter(tmp_path, HereBuilder())
    run(writer.begin())
    assert writer.is_known("sha-a")
    writer.close()


def test_what_was_known_already_counts_as_stored_and_nothing_at_all_is_not_told(tmp_path: Path) -> None:
    def told(*readings: object) -> list[Event]:
        writer, events = LibraryWriter(tmp_path, HereBuilder()), []
        run(writer.begin())
        for each in readings:
            writer.add_item(each)  # type: ignore[arg-type]
        run(writer.finish(), events.append)
        writer.close()
        return [event for event in events if isinstance(event, PapersStored)]

    assert [event.papers for event in told(record("P1"))] == [1]
    assert [event.papers for event in told(record("P1"))] == [1]
    assert told(FileStart("e.jsonl", "sha-e", 0), FileEnd("e.jsonl", "sha-e", 0)) == []


def test_two_files_of_the_same_bytes_are_one_entry_of_the_log(tmp_path: Path) -> None:
    log = ImportLog(StateDatabase(tmp_path), "")
    files = [FileRead("a", "one.ris", 3, complete=True), FileRead("a", "two.ris", 3, complete=True)]
    publication = log.append(files)
    assert ImportLog(StateDatabase(tmp_path), publication).is_known("a")
