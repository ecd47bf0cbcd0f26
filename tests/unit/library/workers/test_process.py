"""The conversation with a child, over a job that answers with what it is asked."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from litterm.core.errors import ChildFailed, DiskFull
from litterm.library.segments.segment import SegmentTables
from litterm.library.workers import segment_builder as builders
from litterm.library.workers.process import Child
from litterm.library.workers.segment_builder import ChildSegmentBuilder
from litterm.model.paper import Paper, PaperId


@pytest.fixture
def child() -> Iterator[Child]:
    child = Child("echo")
    yield child
    child.close()


def test_answers_come_in_the_order_of_the_questions(child: Child) -> None:
    for number in range(3):
        child.ask({"n": number, "text": 'ü "\n'})
    assert [child.wait(10)["n"] for _ in range(3)] == [0, 1, 2]
    assert child.poll() is None


def test_the_child_is_another_process(child: Child) -> None:
    child.ask({})
    assert child.wait(10)["pid"] == child.pid != os.getpid()


def test_a_process_with_a_thousand_files_open_has_children() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    kept_open = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    child = Child("echo")
    try:
        child.ask({"n": 7})
        assert child.wait(10)["n"] == 7
    finally:
        child.close()
        for descriptor in kept_open:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_polling_does_not_wait(child: Child) -> None:
    child.ask({})
    child.wait(10)
    child.ask({"pause_s": 5})
    started = time.monotonic()
    assert child.poll() is None
    assert time.monotonic() - started < 4


def test_a_child_out_of_time_is_ended(child: Child) -> None:
    child.ask({"pause_s": 60})
    with pytest.raises(ChildFailed, match="echo child took longer"):
        child.wait(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


def test_a_killed_child_is_told_with_its_signal(child: Child) -> None:
    child.ask({"pause_s": 60})
    os.kill(child.pid, 9)
    with pytest.raises(ChildFailed, match="signal 9"):
        child.wait(10)
    with pytest.raises(ChildFailed):
        child.ask({})


def test_an_error_of_ours_crosses_the_border(child: Child) -> None:
    child.ask({"raise": "DiskFull", "message": "No room."})
    with pytest.raises(DiskFull, match="No room"):
        child.wait(10)
    child.ask({"n": 1})
    assert child.wait(10)["n"] == 1


def test_a_bug_ends_the_child_and_its_last_words_are_told(child: Child) -> None:
    child.ask({"raise": "ZeroDivisionError", "message": "by nought"})
    with pytest.raises(ChildFailed, match=r"exit code 1.*ZeroDivisionError: by nought"):
        child.wait(10)


def test_what_a_job_prints_is_no_answer(child: Child) -> None:
    child.ask({"print": "noise"})
    assert child.wait(10)["print"] == "noise"


def test_a_child_ends_when_its_stdin_closes_even_at_work() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "litterm.library.workers", "echo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b'{"n": 1}\n{"pause_s": 60}\n')
    process.stdin.flush()
    assert b'"n": 1' in process.stdout.readline()
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["echo", "more"]])
def test_a_job_that_does_not_exist(arguments: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "litterm.library.workers", *arguments], capture_output=True, check=False, timeout=30
    )
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"usage" in ended.stderr


def spooled(folder: Path, rows: int) -> Path:
    folder.mkdir()
    spool = SegmentTables(folder)
    for number in range(rows):
        spool.add_paper(Paper(PaperId(f"acl:P{number}"), f"Title {number}"))
    spool.close()
    return folder


def test_big_segments_are_built_in_a_child_and_small_ones_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = ChildSegmentBuilder(small_rows=5)
    here = builder.build(spooled(tmp_path / "small", 5), rows=5, average_length=7.0)
    assert (here.done(), here.result().rows, here.result().average_length) == (True, 5, 7.0)
    assert builder.pid is None
    job = builder.build(spooled(tmp_path / "big", 6), rows=6, average_length=7.0)
    assert builder.pid is not None
    assert (job.result().rows, job.done(), job.result().tokenizer) == (6, True, here.result().tokenizer)
    assert {path.name for path in (tmp_path / "big").iterdir()} == {"papers.duckdb", "index", "segment.json"}
    assert not list((tmp_path / "big").glob("*.spool"))
    builder.close()
    builder.close()
    assert builders.SMALL_ROWS >= 1


def test_a_builder_whose_child_died_starts_another(tmp_path: Path) -> None:
    builder = ChildSegmentBuilder(small_rows=0)
    job = builder.build(spooled(tmp_path / "one", 3), rows=3, average_length=None)
    assert builder.pid is not None
    os.kill(builder.pid, 9)
    with pytest.raises(ChildFailed):
        job.result()
    assert builder.build(spooled(tmp_path / "two", 3), rows=3, average_length=None).result().rows == 3
    job = builder.build(spooled(tmp_path / "three", 3), rows=3, average_length=None)
    job.cancel()
    assert builder.build(spooled(tmp_path / "four", 3), rows=3, average_length=None).result().rows == 3
    builder.close()
