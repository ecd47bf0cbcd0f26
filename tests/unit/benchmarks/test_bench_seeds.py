"""The five papers' tables with ours: which sets are found, and which published figures stand beside which data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from litterm_benchmarks.report import BenchReport, ComparisonTable, MethodRow, Metric, SubsetScore, as_json, as_lines
from litterm_benchmarks.seeds.published import ACL_RLG, CITEME, DORIS_MAE, LITSEARCH, TABLES
from litterm_benchmarks.seeds.sets import SETS, find_sets
from litterm_benchmarks.seeds.tables import compare, only_published


def row(table: ComparisonTable, name: str) -> dict[str, float]:
    return next({column: cell.mean for column, cell in row.cells.items()} for row in table.rows if row.name == name)


def report(*methods: MethodRow, n: int = 3) -> BenchReport:
    return BenchReport("b", "file", n, methods)


def test_sets_are_found_by_the_beginning_of_a_name_whatever_its_capitals(tmp_path: Path) -> None:
    (tmp_path / "LitSearch" / "query").mkdir(parents=True)
    (tmp_path / "evidencebench_test.json").write_text("{}")
    (tmp_path / "DORIS_MAE").mkdir()
    (tmp_path / "acl-rlg").mkdir()
    (tmp_path / "acl-rlg" / "lists.jsonl").write_text("")
    (tmp_path / "other.json").write_text("{}")
    assert find_sets(tmp_path) == {
        "litsearch": (tmp_path / "LitSearch",),
        "evidencebench": (tmp_path / "evidencebench_test.json",),
        "acl-rlg": [tmp_path / "acl-rlg" / "lists.jsonl"],
    }
    assert list(SETS) == list(TABLES)


def test_published_figures_stand_only_beside_their_own_data() -> None:
    ours = MethodRow("litterm", (Metric("recall@5", 30.0, 1.0), Metric("map", 50.0, 2.0)))
    same = compare(DORIS_MAE, report(ours), is_published=True)
    assert row(same, "MAP") == {**row(same, "MAP"), "E5-L-v2": 40.5, "litterm": 50}
    other = compare(DORIS_MAE, report(ours), is_published=False)
    assert (other.published, row(other, "MAP")) == ((), {"litterm": 50})
    assert other.notes[0] == "published figures are left out: they are of 100 queries"


def test_what_was_not_measured_is_a_dash_with_its_reason() -> None:
    table = compare(CITEME, report(MethodRow("litterm", (Metric("accuracy", 20.0),))), is_published=False)
    reasons = {row.name: row.why for row in table.rows}
    assert reasons["seconds"] == "these data have none"
    assert reasons["accuracy"] == ""
    assert any(note.startswith("agent: - (asks a model") for note in table.notes)
    absent = only_published(LITSEARCH, "sets holds no litsearch")
    assert row(absent, "broad: R@20")["GritLM"] == 70.8
    lines = as_lines(replace(report(), tables=(absent,)))
    assert lines[-1] == "litterm: - (sets holds no litsearch)"
    assert any(line.split() == ["broad:", "R@20", "39.9", "59.9", "64.8", "70.8", "75.3", "|", "-"] for line in lines)


def test_parts_are_lines_and_runs_of_the_authors_on_the_same_data_are_published() -> None:
    part = SubsetScore("annotator", "A1", 1, (Metric("recall@20", 9.0),))
    found = report(
        MethodRow("litterm", (Metric("recall@20", 10.0),), (part,)),
        MethodRow("published: BM25 of the authors", (Metric("recall@20", 7.6),)),
        MethodRow("most-cited: not measured here", ()),
    )
    table = compare(ACL_RLG, found, is_published=False)
    assert table.published == ("BM25 of the authors",)
    assert row(table, "in the Anthology: R@20") == {"BM25 of the authors": 7.6, "search": 10}
    assert row(table, "R@20, annotator A1") == {"search": 9}
    assert "most cited: - (not measured here)" in table.notes
    assert as_json(replace(found, tables=(table,)))["tables"]
