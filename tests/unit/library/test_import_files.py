from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import Files, HereBuilder, record

from litterm.core.errors import DiskFull
from litterm.core.tasks import run
from litterm.library.import_files import add, failed_file
from litterm.library.segments import papers
from litterm.library.segments.built_segment import BuildJob
from litterm.library.segments.library import DuckLibrary
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
from litterm.library.writer import library_writer as writing
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.events import Event, PapersStored, Progress
from litterm.model.library import (
    Failure,
    FileEnd,
    FileProgress,
    FileStart,
    ImportReport,
    ReadEvent,
)
from litterm.model.paper import PaperId
from litterm.render import lines


class Given:
    """Reads what it was given, and remembers what it was asked and whether it was closed."""

    def __init__(self, *items: ReadEvent) -> None:
        self._items = items
        self.paths: list[Path] = []
        self.closed = 0

    def read(self, path: Path, known: Callable[[str], bool]) -> Iterator[ReadEvent]:
        self.paths.append(path)
        try:
            yield from self._items
        finally:
            self.closed += 1


def imported(
    root: Path,
    reader: Given | Files,
    *,
    retry: bool = False,
    on_event: Callable[[Event], object] = lambda event: None,
) -> ImportReport:
    return run(
        add(LibraryWriter(root, HereBuilder()), reader, FailureList(StateDatabase(root)), [root], retry=retry), on_event
    )


TWO_FILES = Files({"a": [record("P1"), record("P2")], "b": [record("P2"), record("P3")]})


def test_an_import_reports_what_it_did(tmp_path: Path) -> None:
    report = imported(tmp_path, TWO_FILES)
    assert (report.added, report.unchanged, report.skipped_files, report.failures) == (3, 1, 0, ())
    assert report.first_ids == ("acl:P1", "acl:P2", "acl:P3")
    assert report.elapsed_s > 0
    assert DuckLibrary(tmp_path).status().papers == 3


def test_known_files_are_skipped_unless_asked_for_again(tmp_path: Path) -> None:
    imported(tmp_path, TWO_FILES)
    again = imported(tmp_path, TWO_FILES)
    assert (again.added, again.unchanged, again.skipped_files) == (0, 0, 2)
    retried = imported(tmp_path, TWO_FILES, retry=True)
    assert (retried.added, retried.unchanged, retried.skipped_files) == (0, 4, 0)


def test_failures_are_kept_until_their_file_is_read_without_them(tmp_path: Path) -> None:
    start, bad = FileStart("f.jsonl", "sha", 9), Failure("f.jsonl:2", "Not JSON.")
    report = imported(tmp_path, Given(start, record("P1"), bad, FileEnd("f.jsonl", "sha", 1, failures=1)))
    assert report.added == 1
    assert [(each.origin, bool(each.at)) for each in report.failures] == [("f.jsonl:2", True)]
    book = FailureList(StateDatabase(tmp_path))
    assert book.all() == report.failures
    imported(tmp_path, Given(start, record("P1"), record("P2"), FileEnd("f.jsonl", "sha", 2)))
    assert book.all() == ()


class FullDisk(HereBuilder):
    """Cannot make a segment."""

    def build(self, folder: Path, *, rows: int, average_length: float | None) -> BuildJob:
        raise DiskFull("No room.")


def test_a_failure_stands_until_the_papers_of_its_file_are_stored(tmp_path: Path) -> None:
    start, bad = FileStart("f.jsonl", "sha", 9), Failure("f.jsonl:2", "Not JSON.")
    imported(tmp_path, Given(start, record("P1"), bad, FileEnd("f.jsonl", "sha", 1, failures=1)))
    book, mended = FailureList(StateDatabase(tmp_path)), Given(start, record("P2"), FileEnd("f.jsonl", "sha", 1))
    with pytest.raises(DiskFull):
        run(add(LibraryWriter(tmp_path, FullDisk()), mended, book, [tmp_path]))
    assert [each.origin for each in book.all()] == ["f.jsonl:2"]
    imported(tmp_path, mended)
    assert book.all() == ()


def test_failures_seen_before_an_end_by_force_are_kept(tmp_path: Path) -> None:
    reader = Given(Failure("x.pdf", "Encrypted."), record("P1"), *(FileProgress("x", n, 9) for n in range(9)))
    task = add(LibraryWriter(tmp_path, HereBuilder()), reader, FailureList(StateDatabase(tmp_path)), [tmp_path])
    next(task)
    task.close()
    assert reader.closed == 1
    assert [each.origin for each in FailureList(StateDatabase(tmp_path)).all()] == ["x.pdf"]
    assert DuckLibrary(tmp_path).status().writer == ""


def test_progress_counts_papers_and_reckons_the_total_from_the_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("litterm.library.import_files._HEARTBEAT_S", 0.0)
    events: list[Event] = []
    items = [FileProgress("a", 0, 100), record("P1"), record("P2"), FileProgress("a", 50, 100), record("P3")]
    imported(tmp_path, Given(*items), on_event=events.append)
    told = [event for event in events if isinstance(event, Progress) and event.what == "importing papers"]
    assert [(each.done, each.total) for each in told[:4]] == [(1, 0), (2, 0), (2, 4), (3, 6)]
    assert events[-1] == PapersStored(3)


def test_a_batch_is_cut_in_the_middle_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "BATCH_PAPERS", 2)
    events: list[Event] = []
    imported(tmp_path, Files({"a": [record(f"P{n}") for n in range(5)]}), on_event=events.append)
    assert [event.papers for event in events if isinstance(event, PapersStored)] == [2, 4, 5]
    assert len(DuckLibrary(tmp_path).snapshot().segments) == 3


def test_what_was_published_survives_what_went_wrong_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(HereBuilder):
        built = 0

        def build(self, folder, *, rows, average_length):  # type: ignore[no-untyped-def]
            self.built += 1
            if self.built == 2:
                raise DiskFull("No room.")
            return super().build(folder, rows=rows, average_length=average_length)

    monkeypatch.setattr(writing, "BATCH_PAPERS", 2)
    reader = Files({"a": [record(f"P{n}") for n in range(5)]})
    with pytest.raises(DiskFull):
        run(add(LibraryWriter(tmp_path, Full()), reader, FailureList(StateDatabase(tmp_path)), [tmp_path]))
    assert DuckLibrary(tmp_path).status().papers == 2
    assert imported(tmp_path, reader).added == 3


def test_the_file_a_failure_lies_in(tmp_path: Path) -> None:
    strange = tmp_path / "a!b:3"
    strange.touch()
    assert failed_file(str(strange)) == strange
    assert failed_file(f"{tmp_path}/no.tar!m.xml") == tmp_path / "no.tar"
    assert failed_file("https://x.org/a") is None


def test_ids_of_earlier_versions_with_a_class_are_found_and_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = record("arxiv:math.AG/9901001", "Sheaves of the plain", year=1999)
    with monkeypatch.context() as earlier:
        # As an earlier version stored it.
        earlier.setattr(papers, "bare_key", lambda paper_id: paper_id.partition(":")[2].casefold())
        imported(tmp_path, Files({"a": [old]}))
    fresh = record("arxiv:math/9901001", "Sheaves of the plain", year=1999)
    report = imported(tmp_path, Files({"b": [fresh]}))
    assert (report.added, report.merged) == (0, 1)
    library = DuckLibrary(tmp_path)
    for spelling in ("arxiv:math.AG/9901001", "arxiv:math/9901001", "math/9901001"):
        assert library.find([spelling]) == ((old.paper.id,),)


def test_what_was_guessed_is_in_the_report(tmp_path: Path) -> None:
    guessed = replace(record("P1"), remark="Read as Windows-1252.")
    report = imported(tmp_path, Files({"a": [guessed, record("P2")]}))
    assert report.remarks == (f"{guessed.paper.provenance.origin}: Read as Windows-1252.",)
    assert lines.import_report(report, lines.LineOptions())[-1].endswith("Read as Windows-1252.")


def test_what_title_and_id_tell_is_filled_in_for_every_reader(tmp_path: Path) -> None:
    marked = record("P1", "WITHDRAWN: Ferns of the coast", year=2015)
    undated = record("P2", "Tides of the coast", year=None, aliases=(PaperId("arxiv:0706.1234"),))
    imported(tmp_path, Files({"a": [marked, undated]}))
    found = DuckLibrary(tmp_path).by_id([marked.paper.id, undated.paper.id])
    assert [(paper.retraction, paper.year) for paper in found] == [("removed", 2015), ("", 2007)]
