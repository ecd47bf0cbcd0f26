"""The bench of answers: sentences found across papers, sets left out of the fit, silence where nothing answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.core.errors import BadInput, UsageError
from litterm.core.tasks import run
from litterm.evidence.answers.features import ANSWER_FEATURE_NAMES
from litterm.evidence.answers.weights import (
    CALIBRATION_NAMES,
    SAID_NAMES,
    AnswerWeights,
    FittedAnswerWeights,
    read_answer_weights,
)
from litterm_benchmarks.evidence.ask import METHODS, measure
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.question_sets import read_set
from litterm_benchmarks.report import BenchReport, as_lines
from litterm_training.answer_items import measure_questions
from litterm_training.answers import record
from litterm_training.evidence import dump_weights

NAMES = "zinc iron copper magnesium selenium iodine".split()
OTHERS = [
    "Half of the people were given a tablet every morning.",
    "The weather was fine on most of the days.",
    "Nothing else of interest was ever seen by anybody there.",
]


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """Six abstracts of one sentence that answers, and a claim for each."""
    rows = [
        {
            "id": f"claim {name}",
            "claim": f"{name.title()} shortens the duration of colds.",
            "paper": f"local:claims-{name}",
            "title": f"A trial of {name}",
            "sentences": [*OTHERS, f"We found that {name} shortened the duration of colds by two days."],
            "label": "SUPPORT",
            "rationales": [[3]],
        }
        for name in NAMES
    ]
    path = tmp_path / "claims.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def paragraphs(tmp_path: Path) -> Path:
    """Six papers, each with a question and the paragraph that answers it."""
    rows = [
        {
            "acl": f"acl:paragraphs-{name}",
            "title": f"Parsing with {name}",
            "questions": [
                {
                    "question": f"How is the {name} parser trained?",
                    "evidence": [f"The {name} parser is trained on news. It takes two hours.", "FLOAT: Table 1"],
                }
            ],
        }
        for name in NAMES
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def metrics(report: BenchReport, method: str, name: str = "") -> dict[str, float]:
    row = next(row for row in report.rows if row.method == method)
    found = next(part.metrics for part in row.parts if part.value == name) if name else row.metrics
    return {metric.name: metric.mean for metric in found}


def test_every_method_is_measured_on_each_set_and_on_all(claims: Path, paragraphs: Path) -> None:
    report = run(measure([claims, paragraphs]))
    assert [row.method for row in report.rows] == list(METHODS)
    assert (report.n, report.source) == (12, "claims.jsonl, questions.jsonl")
    for name in ("", "scifact", "qasper"):
        assert {"hit@1", "hit@5", "over bm25 @1", "silence told", "cpu s"} <= metrics(report, "litterm", name).keys()
        assert metrics(report, "bm25", name).keys() == {"hit@1", "hit@5"}
    assert metrics(report, "litterm", "scifact")["hit@5"] == 100
    assert any("worst set" in line for line in as_lines(report))


def test_a_set_is_ranked_by_weights_that_have_not_seen_it(claims: Path) -> None:
    backwards = AnswerWeights((-1.0,) * len(ANSWER_FEATURE_NAMES), (0.0, 0.0), (0.0,) * (len(SAID_NAMES) + 1))
    shipped = read_answer_weights().shipped
    left_out = run(measure([claims], FittedAnswerWeights(shipped, {"scifact": backwards})))
    assert metrics(left_out, "litterm")["hit@1"] == 0
    unknown = run(measure([claims], FittedAnswerWeights(shipped, {})))
    assert metrics(unknown, "litterm")["hit@1"] == 100
    assert any("ranked by the shipped weights" in line for line in as_lines(unknown))


def test_the_shipped_weights_have_a_fit_without_each_set_of_the_training_data() -> None:
    assert set(read_answer_weights().without) == {"scifact", "evidencebench", "qasper"}


def test_fitted_weights_are_read_as_they_were_written(claims: Path, paragraphs: Path, tmp_path: Path) -> None:
    shipped = Extractors.shipped()
    sets = {each.name: list(measure_questions(each, shipped)) for each in map(read_set, (claims, paragraphs))}
    assert all(question.is_answerable and not question.others.gold.any() for each in sets.values() for question in each)
    path = tmp_path / "answers.json"
    path.write_text(dump_weights(record(sets, [], "2026-01-01")))
    fitted = read_answer_weights(path)
    assert set(fitted.without) == set(sets)
    assert len(fitted.shipped.calibration) == len(CALIBRATION_NAMES) + 1
    assert run(measure([claims], fitted)).rows[0].metrics[0].mean == 100


def test_files_are_needed_in_one_of_the_forms(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="takes files"):
        run(measure([]))
    path = tmp_path / "other.jsonl"
    path.write_text('{"title": "no questions"}\n')
    with pytest.raises(BadInput, match=r"other\.jsonl"):
        run(measure([path]))
