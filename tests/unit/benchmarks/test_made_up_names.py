"""Made-up names are planted in every library that is named, in all of them together and in small ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.core.errors import UsageError
from litterm.core.settings.model import from_home
from litterm.core.tasks import run
from litterm_benchmarks.search.made_up_names import measure

_TITLES = ("Trees of words", "Blood of patients", "Wings in a tunnel", "Rules of grammar", "Iron in food")


def corpus(path: Path, count: int) -> Path:
    rows = [
        {"id": f"local:{path.stem}{at}", "title": _TITLES[at % len(_TITLES)], "abstract": f"Study {at} of many."}
        for at in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_each_form_is_told_by_library_and_by_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litterm_benchmarks.search.made_up_names.MAX_NAMES", 6)
    monkeypatch.setattr("litterm_benchmarks.search.made_up_names._SMALL_LIBRARY_SIZES", {"1 paper": 1})
    files = [corpus(tmp_path / "one.jsonl", 10), corpus(tmp_path / "two.jsonl", 20)]
    report = run(measure(files, from_home(tmp_path / "home")))
    forms = [row.method for row in report.rows]
    assert forms[:5] == ["litterm", "name alone", "while typing", "excerpt", "cite"]
    for row in report.rows[:5]:
        told = {(part.field, part.value): part for part in row.parts}
        assert {value for field, value in told if field == "library"} == {
            "one.jsonl",
            "two.jsonl",
            "together",
            "1 paper",
        }
        assert {value for field, value in told if field == "in"} == {"title", "abstract", "full text"}
        assert (row.metrics[0].name, row.metrics[0].mean) == ("first", 100.0)


def test_papers_that_come_twice_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litterm_benchmarks.search.made_up_names.MAX_NAMES", 2)
    monkeypatch.setattr("litterm_benchmarks.search.made_up_names._SMALL_LIBRARY_SIZES", {})
    file = corpus(tmp_path / "twice.jsonl", 12)
    file.write_text(file.read_text("utf-8") * 2, encoding="utf-8")
    report = run(measure([file], from_home(tmp_path / "home")))
    assert report.notes == ("2 made-up names a library, fewer where it is small; papers: twice.jsonl 12",)
    assert {row.metrics[0].mean for row in report.rows[:5]} == {100.0}


def test_a_file_without_papers_is_refused(tmp_path: Path) -> None:
    empty = corpus(tmp_path / "none.jsonl", 0)
    with pytest.raises(UsageError, match=r"none\.jsonl holds no paper"):
        run(measure([empty], from_home(tmp_path / "home")))
