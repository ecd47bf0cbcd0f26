from __future__ import annotations

import fcntl
import json
import multiprocessing
import random
import threading
from pathlib import Path

import pytest
from journal_process import append_many

from litterm.core.errors import DiskFull
from litterm.library import journal as journals
from litterm.library.journal import FileJournal


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
    with pytest.raises(DiskFull, match="No space left"):
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


def flip(path: Path, word: bytes) -> None:
    """Changes one letter of `word`, which stands in `path` once."""
    content = path.read_bytes()
    assert content.count(word) == 1
    path.write_bytes(content.replace(word, bytes([word[0] ^ 1]) + word[1:]))


def test_a_line_without_checksum_is_of_an_older_litterm_and_holds(tmp_path: Path) -> None:
    line = {"at": "2026-01-01T00:00:00Z", "kind": "old", "body": {"crc": "12345678"}}
    (tmp_path / "journal.jsonl").write_text(json.dumps(line) + "\n")
    journal = FileJournal(tmp_path)
    journal.append("new", {})
    assert kinds(journal) == ["old", "new"]
    assert journal.damaged_lines() == ()


@pytest.mark.parametrize("word", [b"excluded", b"desk", b"crc", b"body"])
def test_a_damaged_line_is_left_out_told_and_set_aside(tmp_path: Path, word: bytes) -> None:
    journal = FileJournal(tmp_path)
    for kind, body in (("one", {}), ("desk", {"say": "excluded"}), ("three", {})):
        FileJournal(tmp_path).append(kind, body)
    path, before = tmp_path / "journal.jsonl", journal.version()
    if word in (b"crc", b"body"):
        content = path.read_bytes().split(b"\n")
        content[1] = content[1].replace(word, b"x" + word[1:])
        path.write_bytes(b"\n".join(content))
    else:
        flip(path, word)
    assert kinds(journal) == ["one", "three"]
    (told,) = journal.damaged_lines()
    assert "say" in told
    journal.append("four", {})
    assert b"say" not in path.read_bytes()
    assert told in (tmp_path / "damaged.txt").read_text()
    assert kinds(FileJournal(tmp_path)) == ["one", "three", "four"]
    assert kinds(journal, before) == ["four"]
    assert FileJournal(tmp_path).damaged_lines() == (told,)


def test_any_flipped_bit_costs_one_line_and_is_told(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path)
    for number in range(5):
        journal.append(f"kind {number}", {"n": number})
    path = tmp_path / "journal.jsonl"
    content, dice = path.read_bytes(), random.Random(5)
    for _ in range(200):
        harmed = bytearray(content)
        at = dice.randrange(len(harmed))
        harmed[at] ^= 1 << dice.randrange(8)
        if harmed[at] == 0x0A or content[at] == 0x0A:
            continue
        path.write_bytes(harmed)
        fresh = FileJournal(tmp_path)
        assert len(kinds(fresh)) == 4
        assert len(fresh.damaged_lines()) == 1


def test_a_line_that_is_not_ended_may_be_on_its_way_and_is_not_told_as_damage(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path)
    journal.append("one", {})
    (file,) = tmp_path.glob("*.jsonl")
    with file.open("ab") as writing:
        writing.write(b'{"at": "2026')
    assert journal.damaged_lines() == ()
    with file.open("ab") as writing:
        writing.write(b'-01", what')
        writing.write(b"\n")
    assert journal.damaged_lines() == ('{"at": "2026-01", what',)
