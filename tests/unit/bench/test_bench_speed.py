"""The bench of search speed runs on any library, however small."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from shelves import papers

from litterm.bench.imports import measure_imports, tree_memory_mb
from litterm.bench.report import as_lines
from litterm.bench.speed import measure, read_questions
from litterm.child.builder import Builder
from litterm.errors import BadInput, ChildFailed, UsageError
from litterm.model.library import Parsed
from litterm.settings import Settings, load
from litterm.store.writer import LibraryWriter
from litterm.tasks import run


@pytest.fixture
def settings(home: Path) -> Settings:
    return load({}, {"LITTERM_HOME": str(home)})


@pytest.fixture
def filled(settings: Settings) -> Settings:
    writer = LibraryWriter(settings.library, Builder())
    run(writer.begin())
    for paper in papers(30):
        writer.take(Parsed(paper))
    run(writer.finish())
    writer.close()
    return settings


def test_every_figure_is_there(filled: Settings, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps({"query": typed}) + "\n" for typed in ("neural parser", "tree data")))
    report = run(measure(filled, questions, starts=2))
    assert [row.method for row in report.rows] == [
        "litterm",
        "filtered by year:2015..",
        "20 records fetched",
        "first search after opening",
        "as you type, whole refresh",
        "bm25s alone",
        "litterm search --json",
        'python -c "import numpy, duckdb"',
    ]
    assert report.n == 2
    assert all(metric.mean > 0 for row in report.rows for metric in row.metrics)
    assert "30 papers" in as_lines(report)[-1]


def test_without_questions_titles_are_asked_for(filled: Settings) -> None:
    assert run(measure(filled, starts=1)).n == 30


def test_an_empty_library_has_no_speed(settings: Settings) -> None:
    with pytest.raises(UsageError, match="litterm add"):
        run(measure(settings))


def test_lines_without_a_query_are_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "no"}\n')
    with pytest.raises(BadInput, match="query"):
        read_questions(path)


def test_memory_of_a_process_tree_is_more_than_its_own(tmp_path: Path) -> None:
    own = tree_memory_mb(os.getpid())
    if own is None:
        pytest.skip("this system has no /proc/PID/smaps_rollup")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert (tree_memory_mb(os.getpid()) or 0) > (tree_memory_mb(child.pid) or 0) > 0
        child.kill()


def test_a_failing_import_is_no_figure(home: Path) -> None:
    with pytest.raises(ChildFailed, match="ended with"):
        run(measure_imports(home / "nowhere.tar.gz"))
