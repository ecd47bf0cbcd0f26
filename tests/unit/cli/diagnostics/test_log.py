"""The log: shared, rotating, never in the way."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from litterm.cli.diagnostics.log import SharedFileHandler


def record(message: str) -> logging.LogRecord:
    return logging.LogRecord("litterm.test", logging.INFO, "x", 1, message, None, None)


def test_the_file_is_made_with_the_first_record_and_only_then(tmp_path: Path) -> None:
    handler = SharedFileHandler(tmp_path / "log" / "litterm.log")
    assert not (tmp_path / "log").exists()
    handler.emit(record("hello"))
    assert "INFO litterm.test hello" in (tmp_path / "log" / "litterm.log").read_text("utf-8")


def test_a_full_file_is_rotated_and_old_ones_are_dropped(tmp_path: Path) -> None:
    handler = SharedFileHandler(tmp_path / "litterm.log", largest_bytes=200, rotated_files=2)
    for number in range(40):
        handler.emit(record(f"message {number}"))
    names = sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".lock")
    assert names in (["litterm.log", "litterm.log.1", "litterm.log.2"], ["litterm.log.1", "litterm.log.2"])
    assert all(path.stat().st_size < 400 for path in tmp_path.iterdir())


def test_two_writers_lose_no_line_while_the_file_is_rotated(tmp_path: Path) -> None:
    def write(name: str) -> None:
        handler = SharedFileHandler(tmp_path / "litterm.log", largest_bytes=5_000, rotated_files=50)
        for number in range(200):
            handler.emit(record(f"{name} {number}."))

    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = "".join(path.read_text("utf-8") for path in tmp_path.glob("litterm.log*") if path.suffix != ".lock")
    assert [line for line in text.splitlines() if not line.endswith(".")] == []
    assert len(text.splitlines()) == 400


def test_a_folder_that_cannot_be_made_costs_nothing_but_the_log(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    SharedFileHandler(tmp_path / "file" / "litterm.log").emit(record("lost"))


def test_a_record_cannot_move_the_cursor_of_whoever_reads_the_log(tmp_path: Path) -> None:
    SharedFileHandler(tmp_path / "x.log").emit(record("a\x1b[2Jb"))
    assert "\x1b" not in (tmp_path / "x.log").read_text("utf-8")
