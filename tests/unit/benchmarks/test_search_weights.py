"""Weights of search are settled on all sets but one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from litterm.core.errors import UsageError
from litterm.core.tasks import run
from litterm.search.search_weights import DEFAULT
from litterm_benchmarks.search.search_weights import measure, sets_below

TOPICS = {
    "trees": ["Dependency parsing of sentences", "Grammar of phrases", "Parsers for trees"],
    "blood": ["Bleeding and clotting in haemophilia", "Anaemia of patients", "Iron in blood"],
    "wings": ["Lift of a wing", "Flow about a cone", "Boundary layers of wings"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, titles in TOPICS.items():
        (tmp_path / name).mkdir()
        rows = [{"id": f"local:{name}-{at}", "title": title, "abstract": ""} for at, title in enumerate(titles)]
        with gzip.open(tmp_path / name / "corpus.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        asked = [{"id": row["id"], "query": f"papers on {row['title']}", "gold": [row["id"]]} for row in rows]
        (tmp_path / name / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "questions.jsonl").write_text("{}")
    return tmp_path


def test_every_set_is_left_out_once_and_ties_keep_the_shipped_value(folder: Path) -> None:
    report = run(measure(sets_below(folder), "x", {"meaning": (0.5, DEFAULT.meaning)}))
    (row,) = report.rows
    assert report.n == 9
    assert {part.value for part in row.parts} == set(TOPICS)
    assert {metric.name: metric.mean for metric in row.metrics} == {
        "shipped": DEFAULT.meaning,
        "chosen on all": DEFAULT.meaning,
        "least chosen": DEFAULT.meaning,
        "most chosen": DEFAULT.meaning,
        "mean gain left out": 0.0,
    }


def test_a_value_that_serves_the_other_sets_is_tried_on_the_one_left_out(folder: Path) -> None:
    # Without words, titles and meaning nothing is told apart: the shipped weights must win.
    broken = -DEFAULT.words
    report = run(measure(sets_below(folder), "x", {"words": (broken, DEFAULT.words)}))
    (row,) = report.rows
    assert [part.metrics[0].mean for part in row.parts] == [DEFAULT.words] * 3


def test_one_set_cannot_be_left_out(folder: Path) -> None:
    sets = [each for each in sets_below(folder) if each.name == "blood"]
    with pytest.raises(UsageError, match="fewer than two"):
        run(measure(sets, "x"))
