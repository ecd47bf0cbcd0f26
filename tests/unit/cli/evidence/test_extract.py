"""`litterm extract`: what it prints and writes, how it goes on, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from json_answers import answer

from litterm.cli.main import main

TRIAL = {
    "id": "pmid:1",
    "title": "Tulsi and glucose",
    "year": 2020,
    "abstract": "A total of 90 patients were enrolled. The daily dose was 300 mg.",
}
FORMULA = {"id": "pmid:2", "title": "=Tulsi again", "year": 2021, "abstract": "We enrolled 12 patients with Tulsi."}


@pytest.fixture
def ask(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, (TRIAL, FORMULA))))
    main(["add", str(tmp_path / "papers.jsonl")])
    capsys.readouterr()

    def run(*argv: str) -> tuple[int, str, str]:
        status = main(list(argv))
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


OVER = ("extract", "--columns", "sample size; dose", "--papers", "pmid:1", "pmid:2")


def test_each_value_is_printed_with_its_sentence_and_place(ask: Any) -> None:
    status, out, _ = ask(*OVER)
    assert status == 0
    assert "sample size: 90 patients · rules" in out
    assert '"A total of 90 patients were enrolled."' in out
    assert "dose: none found in the abstract" in out


def test_the_json_has_the_index_of_the_sentence(ask: Any) -> None:
    body = answer(ask(*OVER, "--json")[1])
    (value,) = body["rows"][0]["cells"][1]["values"]
    assert (value["value"], value["unit"], value["sentence"]) == ("300", "mg", "The daily dose was 300 mg.")
    assert body["rows"][1]["cells"][1]["empty"] == "none found"


def test_a_pilot_leaves_the_rest_to_resume(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litterm.cli.evidence.extract.PILOT_PAPERS", 1)
    _, out, told = ask(*OVER, "--pilot")
    assert out.count("not read yet") == 2
    assert "reads the rest" in told
    assert "not read yet" not in ask("extract", "--resume", "last")[1]


def test_a_cell_written_by_hand_is_printed_and_taken_back(ask: Any) -> None:
    cell = ("extract", "--edit", "pmid:1", "--columns", "sample size")
    assert ask(*cell, "--value", "88", "--unit", "people")[0] == 0
    assert "sample size: 88 people · by hand" in ask(*OVER)[1]
    assert ask(*cell, "--value", "")[0] == 0
    assert "sample size: not stated" in ask(*OVER)[1]
    assert ask(*cell)[0] == 0
    assert "sample size: 90 patients · rules" in ask(*OVER)[1]


def test_a_csv_is_safe_in_a_spreadsheet_and_has_value_and_unit_apart(ask: Any, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    assert ask(*OVER, "-o", str(target))[0] == 0
    with target.open(encoding="utf-8-sig", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["sample size"], first["sample size: unit"], first["dose: unit"]) == ("90", "patients", "mg")
    assert second["title"] == "'=Tulsi again"
    assert second["dose: state"] == "none found in the abstract"


def test_parquet_has_a_row_for_each_value(ask: Any, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    assert ask(*OVER, "-o", str(target))[0] == 0
    rows = duckdb.sql(f"SELECT paper, column_name, value, unit FROM '{target}' WHERE state = 'stated'").fetchall()
    assert rows == [
        ("pmid:1", "sample size", "90", "patients"),
        ("pmid:1", "dose", "300", "mg"),
        ("pmid:2", "sample size", "12", "patients"),
    ]


@pytest.mark.parametrize("suffix", ["md", "html"])
def test_reports_quote_the_sentence(ask: Any, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"out.{suffix}"
    assert ask(*OVER, "-o", str(target))[0] == 0
    assert "A total of 90 patients were enrolled." in target.read_text()


def test_a_paper_that_is_not_here_ends_with_1(ask: Any) -> None:
    status, out, _ = ask("extract", "--columns", "dose", "--papers", "pmid:404")
    assert (status, "dose: not in the library" in out) == (1, True)


def test_tables_are_listed_and_deleted(ask: Any) -> None:
    ask(*OVER)
    (listed,) = answer(ask("extract", "--list", "--json")[1])["tables"]
    assert (listed["columns"], listed["complete"]) == (["sample size", "dose"], True)
    assert ask("extract", "--delete", "last")[0] == 0
    assert answer(ask("extract", "--list", "--json")[1]) == {"count": 0, "tables": []}


@pytest.mark.parametrize(
    "argv",
    [
        ("extract", "--query", "tulsi"),
        ("extract", "--columns", "dose"),
        ("extract", "--columns", " ; ", "--query", "tulsi"),
        ("extract", "--columns", "dose", "--query", "tulsi", "--value", "3"),
        ("extract", "--columns", "dose; age", "--edit", "pmid:1"),
        ("extract", "--columns", "dose", "--query", "tulsi", "--format", "parquet"),
        ("extract", "--columns", "dose", "--collection", "nowhere"),
    ],
)
def test_what_cannot_be_meant_is_refused(ask: Any, argv: tuple[str, ...]) -> None:
    assert ask(*argv)[0] == 2
