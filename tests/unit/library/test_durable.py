"""What is said to be stored has been handed to the disk: a loss of power takes nothing of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from libraries import Files, HereBuilder, record

from litterm.core.durable_files import replace_file
from litterm.core.tasks import run
from litterm.library.import_files import add
from litterm.library.journal import FileJournal
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
from litterm.library.writer.library_writer import LibraryWriter


class Disk:
    """What was handed to the disk: the size of each file, and the names in each folder, when it was."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._kept: dict[int, object] = {}
        self._sync = os.fsync
        monkeypatch.setattr(os, "fsync", self._take)

    def _take(self, descriptor: int) -> None:
        self._kept[os.fstat(descriptor).st_ino] = _state(descriptor)
        self._sync(descriptor)

    def has(self, path: Path) -> bool:
        """Whether the file or folder `path` is there as it is now."""
        descriptor = os.open(path, os.O_RDONLY)
        try:
            return self._kept.get(os.fstat(descriptor).st_ino) == _state(descriptor)
        finally:
            os.close(descriptor)


def _state(descriptor: int) -> object:
    found = os.fstat(descriptor)
    return {entry.name for entry in os.scandir(descriptor)} if stat.S_ISDIR(found.st_mode) else found.st_size


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_a_line_of_the_journal_is_safe_when_append_returns(disk: Disk, tmp_path: Path) -> None:
    journal = FileJournal(tmp_path / "journal")
    for number in range(2):
        journal.append("note", {"n": number})
        assert disk.has(tmp_path / "journal" / "journal.jsonl")
        assert disk.has(tmp_path / "journal")


def test_a_file_replaced_is_safe_and_so_is_its_name(disk: Disk, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for content in (b"one", b"another"):
        replace_file(path, content)
        assert disk.has(path)
        assert disk.has(tmp_path)


def test_a_publication_is_safe_with_every_file_and_name_of_its_segment(disk: Disk, tmp_path: Path) -> None:
    reader = Files({"a.jsonl": [record("P1"), record("P2")]})
    run(add(LibraryWriter(tmp_path, HereBuilder()), reader, FailureList(StateDatabase(tmp_path)), [tmp_path]))
    held = [tmp_path / "CURRENT", *tmp_path.glob("manifest-*.json")]
    held += [tmp_path / "segments", *(tmp_path / "segments").rglob("*")]
    assert len(held) > 6
    assert [path for path in held if not disk.has(path)] == []
    with StateDatabase(tmp_path).read() as connection:
        # SQLite does it itself, before a transaction ends: 2 is FULL.
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
