from __future__ import annotations

import fcntl
import multiprocessing
import threading
from pathlib import Path

import pytest
from journal_process import append_many

from litterm.errors import DiskFull
from litterm.model.library import Failure
from litterm.store import journal as journals
from litterm.store.failures import FailureList, files_of
from litterm.store.journal import FileJournal
from litterm.store.session import JsonSession


def kinds(journal: FileJournal, since: object = None) -> list[str]:
    return [kind for _, kind, _ in journal.entries(since)]


def test_lines_come_back_in_order(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "journal")
    assert kinds(journal) == []
    journal.append("mark", {"quote": 'a "quoted"\nline \u2028 ü', "index": 3})
    journal.append("tag", {})
    (at, kind, body), (_, other, _) = journal.entries()
    assert (kind, body, other) == ("mark", {"quote": 'a "quoted"\nline \u2028 ü', "index": 3}, "tag")
    assert at.endswith("Z") and len(at) == 20


def test_only_what_was_appended_since(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path)
    journal.append("one", {})
    seen = journal.version()
    assert kinds(journal, seen) == []
    journal.append("two", {})
    assert kinds(journal, seen) == ["two"]
    assert journal.version() != seen


@pytest.mark.parametrize("length", [9, 200_000])
def test_a_line_that_was_being_written_when_the_version_was_taken_comes_whole_afterwards(
    tmp_path: Path, length: int
) -> None:
    journal = FileJournal(tmp_path)
    journal.append("one", {})
    before = (tmp_path / "journal.jsonl").stat().st_size
    journal.append("two", {"long": "x" * length})
    line = (tmp_path / "journal.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(line[: (before + len(line)) // 2])
    seen = journal.version()
    (tmp_path / "journal.jsonl").write_bytes(line)
    assert kinds(journal, seen) == ["two"]


@pytest.mark.parametrize("torn", [b'{"at": "2026', b"\xff\xfe", b"{}", b'["not", "ours"]', b'{"at": 1}'])
def test_a_torn_last_line_is_ignored_and_does_not_swallow_the_next(tmp_path: Path, torn: bytes) -> None:
    journal = FileJournal(tmp_path)
    journal.append("one", {})
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(torn)
    assert kinds(journal) == ["one"]
    journal.append("two", {})
    assert kinds(journal) == ["one", "two"]


def test_a_full_disk_loses_nothing_earlier_and_keeps_nothing_by_halves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = FileJournal(tmp_path)
    journal.append("one", {})
    real = journals.os.write
    calls: list[int] = []

    def half(descriptor: int, content: bytes) -> int:
        calls.append(descriptor)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(descriptor, content[: -len(content) // 4])

    monkeypatch.setattr(journals.os, "write", half)
    with pytest.raises(DiskFull, match="No room"):
        journal.append_all([("two", {}), ("half", {"long": "x" * 100})])
    monkeypatch.undo()
    assert kinds(journal) == ["one"]
    journal.append("three", {})
    assert kinds(journal) == ["one", "three"]


def test_nobody_writes_while_another_holds_the_file(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path)
    journal.append("one", {})
    writer = threading.Thread(target=journal.append, args=("two", {}))
    with (tmp_path / "journal.jsonl").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        writer.start()
        writer.join(0.1)
        assert kinds(journal) == ["one"]
    writer.join()
    assert kinds(journal) == ["one", "two"]


def test_two_processes_append_without_tearing_each_other(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    others = [spawn.Process(target=append_many, args=(tmp_path, name)) for name in ("a", "b")]
    for other in others:
        other.start()
    for other in others:
        other.join()
    found = [(kind, body["n"]) for _, kind, body in FileJournal(tmp_path).entries()]
    assert [n for kind, n in found if kind == "a"] == list(range(50))
    assert [n for kind, n in found if kind == "b"] == list(range(50))


def test_failures_stand_until_mended_or_dismissed(tmp_path: Path) -> None:
    failures = FailureList(tmp_path)
    told = [
        Failure("a.jsonl:3", "Not JSON."),
        Failure("a.jsonl:9", "No title."),
        Failure("b.tar!x.pdf", "Encrypted.", transient=True),
        Failure("b.tar", "Cut short."),
    ]
    kept = failures.record(told)
    assert failures.all() == kept
    assert all(each.at for each in kept)
    assert failures.mended(["a.jsonl"], still=["a.jsonl:9"]) == 1
    assert [each.origin for each in FailureList(tmp_path).all()] == ["a.jsonl:9", "b.tar!x.pdf", "b.tar"]
    assert failures.mended(["b.tar"]) == 2
    assert failures.mended([]) == failures.mended(["c"]) == 0
    assert failures.dismiss() == 1
    assert failures.all() == () == failures.record([])


def test_a_failure_that_happens_again_is_listed_once_with_its_newest_cause(tmp_path: Path) -> None:
    failures = FailureList(tmp_path)
    failures.record([Failure("a", "One cause."), Failure("b", "B.")])
    failures.record([Failure("a", "Another.")])
    assert [(each.origin, each.cause) for each in failures.all()] == [("b", "B."), ("a", "Another.")]


def test_the_files_an_origin_lies_in() -> None:
    assert files_of("a.tar!b.zip!c.jsonl:3") == {"a.tar!b.zip!c.jsonl:3", "a.tar!b.zip!c.jsonl", "a.tar!b.zip", "a.tar"}
    assert files_of("C:\\x") == {"C:\\x"}


def test_a_session_is_replaced_whole(tmp_path: Path) -> None:
    session = JsonSession(tmp_path / "deep" / "session.json")
    assert session.load() == {}
    session.save({"query": "é", "scroll": [["acl:P1", 3]]})
    assert JsonSession(tmp_path / "deep" / "session.json").load() == {"query": "é", "scroll": [["acl:P1", 3]]}
    (tmp_path / "deep" / "session.json").write_bytes(b"\xff{")
    assert session.load() == {}
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["session.json"]
