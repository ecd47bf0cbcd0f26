"""`export --parquet`: the columns of CSV with their types, read back by DuckDB."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import duckdb
import pytest

from litterm.cli.main import main
from litterm.render.export.table import COLUMNS, SEPARATORS

ENTRIES = """@article{b, title = {Counting "boats", =SUM(1)}, author = {Able, Ann and Ćić, Żoë}, year = 2010,
 journal = {Boats}, keywords = {sea; owls}, doi = {10.1000/a_b}, abstract = {First.

Second}}
@misc{a, title = {Ropes}, author = {Baker, Bo}}
"""


def test_parquet_has_the_columns_of_csv_and_keeps_what_was_there(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.bib").write_text(ENTRIES, "utf-8")
    assert main(["add", str(tmp_path / "own.bib")]) == 0
    assert main(["mark", "b", "--star", "--tag", "x,y"]) == 0
    target = tmp_path / "out's.parquet"
    target.write_bytes(b"before")
    capsys.readouterr()
    assert main(["export", "b", "a", "--parquet", str(target)]) == 0
    assert capsys.readouterr().err == f"Wrote {target}. Previous version saved as out's.parquet~.\n"
    table = duckdb.from_parquet(str(target))
    assert tuple(table.columns) == COLUMNS
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in table.fetchall()]
    assert [row["key"] for row in rows] == ["b", "a"]
    assert rows[0]["authors"] == ["Ann Able", "Żoë Ćić"]
    assert (rows[0]["year"], rows[0]["starred"], rows[0]["tags"]) == (2010, True, ["x", "y"])
    assert (rows[1]["year"], rows[1]["starred"], rows[1]["tags"], rows[1]["doi"]) == (None, False, [], None)
    assert main(["export", "b", "a", "--csv"]) == 0
    for row, line in zip(rows, csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")), strict=True):
        for name in set(COLUMNS) - {"starred"}:
            value = row[name]
            text = SEPARATORS[name].join(value) if name in SEPARATORS else str(value or "")
            assert line[name].removeprefix("'") == text


def test_one_place_to_write_to(home: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "x")
    for options in (["--csv"], ["-o", place], ["--folder", place]):
        assert main(["export", "--all", "--parquet", place, *options]) == 2
