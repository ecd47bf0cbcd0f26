"""The bench of search speed runs on any library, however small."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from memory_segments import papers

from litterm.core.errors import BadInput, ChildFailed, UsageError
from litterm.core.settings import Settings, load
from litterm.core.tasks import run
from litterm.library.segments.library import DuckLibrary
from litterm.library.workers.segment_builder import ChildSegmentBuilder
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.report import as_lines
from litterm_benchmarks.search.library_records import read_holdings
from litterm_benchmarks.speed import large_library
from litterm_benchmarks.speed.import_time import measure_imports, tree_memory_mb
from litterm_benchmarks.speed.large_library import synthetic_papers
from litterm_benchmarks.speed.other_engines import engine_rows
from litterm_benchmarks.speed.search_speed import measure, read_queries, read_questions, searcher_of


@pytest.fixture
def settings(home: Path) -> Settings:
    return load({}, {"LITTERM_HOME": str(home)})


@pytest.fixture
def filled(settings: Settings) -> Settings:
    writer = LibraryWriter(settings.library, ChildSegmentBuilder())
    run(writer.begin())
    for paper in papers(30):
        writer.add_item(Parsed(paper))
    run(writer.finish())
    writer.close()
    return settings


def test_every_figure_is_there(filled: Settings, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps({"query": typed}) + "\n" for typed in ("neural parser", "tree AND data")))
    before = sorted(filled.library.rglob("*"))
    report = run(measure(filled, questions, starts=1, panes=["query"]))
    assert sorted(filled.library.rglob("*")) == before
    methods = [row.method for row in report.rows if row.method != "tantivy"]
    assert methods == [
        "litterm",
        "filtered by year:2015..",
        "by words alone",
        "20 records fetched",
        "first search after opening",
        "as you type, whole refresh",
        "bm25s alone",
        "SQLite FTS5",
        "litterm search --json",
        'python -c "import numpy, duckdb"',
        "a key's handler, over the key table",
        "the same, drawing included",
        "workbench at rest",
        "after every key, twice",
    ]
    assert report.n == 2
    assert all(metric.mean >= 0 for row in report.rows for metric in row.metrics)
    by_name = {row.method: {metric.name: metric.mean for metric in row.metrics} for row in report.rows}
    assert by_name["bm25s alone"]["litterm takes x"] > 0
    assert by_name["a key's handler, over the key table"]["cpu p50 ms"] > 0
    assert by_name["litterm"]["p50 ms"] <= by_name["litterm"]["p95 ms"]
    assert "30 papers" in as_lines(report)[-1]


def test_an_engine_that_is_not_installed_has_no_row_and_a_note(
    filled: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tantivy", None)
    holdings = run(read_holdings(DuckLibrary(filled.library)))
    rows, notes = run(engine_rows(holdings, ["neural parser"], 5))
    assert [row.method for row in rows] == ["bm25s alone", "SQLite FTS5"]
    assert 'pip install "tantivy' in notes[0]


def test_synthetic_papers_are_many_different_and_always_the_same() -> None:
    authors = (Author("Quokka", "Ann"),)
    texts = [
        Paper(PaperId("doi:1"), "Neural parsing of trees", "a b c d e f g h i j", authors, 2001, venue="ACL"),
        Paper(PaperId("doi:2"), "Data"),
    ]
    made = [json.loads(line) for line in synthetic_papers(texts, 5)]
    assert [paper["id"] for paper in made] == [f"local:bench-{number}" for number in range(5)]
    assert len({paper["title"] for paper in made}) == 5
    assert [paper["year"] for paper in made] == [2001, None, 2001, None, 2001]
    assert made[0]["abstract"] != made[2]["abstract"]
    assert made[2]["authors"] == [{"family": "Quokka", "given": "Ann"}]
    assert made[2]["venue"] == "ACL"
    assert made == [json.loads(line) for line in synthetic_papers(texts, 5)]


def test_a_larger_library_is_made_imported_and_searched(filled: Settings) -> None:
    report = run(large_library.measure(filled, 60))
    assert report.rows[0].method == "litterm"
    assert [row.method for row in report.rows[-3:]] == [
        "import of 60 papers",
        "one paper added and found",
        "of that, finding it",
    ]
    assert "60 synthetic papers" in report.notes[0]


def test_of_a_huge_library_only_some_papers_are_made_and_the_others_are_copies(filled: Settings) -> None:
    report = run(large_library.measure(filled, 100, distinct=30))
    assert "100 synthetic papers" in report.notes[0]
    assert report.rows[-3].method == "import of 30 papers"
    figures = {row.method: {metric.name: metric.mean for metric in row.metrics} for row in report.rows}
    assert figures["memory of these searches"]["peak MB"] > 0


def test_copies_of_segments_are_searched_like_others(filled: Settings, tmp_path: Path) -> None:
    root = filled.library
    before = DuckLibrary(root).status()
    query = parse_query(read_queries(DuckLibrary(root), None)[0])
    found = run(searcher_of(DuckLibrary(root)).search(query, k=5)).found
    run(large_library.repeat_segments(root, 3 * before.papers))
    assert DuckLibrary(root).status().papers == 3 * before.papers
    assert run(searcher_of(DuckLibrary(root)).search(query, k=5)).found == 3 * found > 0


def test_without_questions_titles_are_asked_for(filled: Settings) -> None:
    assert len(read_queries(DuckLibrary(filled.library), None)) == 30


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
