"""`python -m litterm_training.answers SET...`: the weights that rank sentences of several papers for a question.

Fits them on all sets of questions, and for each set on the others, so that what is said about a set can be said by
weights that have not seen it. Needs numpy only; measuring three sets takes about ten minutes.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from litterm.evidence.answers.answers import RankedSentence, said_values
from litterm.evidence.answers.features import ANSWER_FEATURE_NAMES
from litterm.evidence.answers.weights import (
    ANSWER_WEIGHTS_FILE,
    CALIBRATION_NAMES,
    FORMAT_VERSION,
    RANKED_FEATURES,
    SAID_NAMES,
)
from litterm.library.index.static_embeddings import shipped_name
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.question_sets import read_set
from litterm_training.answer_items import MeasuredQuestion, measure_questions
from litterm_training.evidence import dump_weights
from litterm_training.logistic_regression import fit_logistic
from litterm_training.softmax import Matrix, fit_listwise

RANK_RIDGE = 5.0
CALIBRATION_RIDGE, SAID_RIDGE = 1.0, 1.0
_SET_MASS = 100.0
"""What each set counts, whatever the number of its questions."""
_CALIBRATED = 30
"""Sentences of a question, the best ones, by which probabilities are fitted."""
_DIGITS = 4
_COLUMN = {name: number for number, name in enumerate(ANSWER_FEATURE_NAMES)}

Fit = Mapping[str, Matrix]


def fit(questions: Sequence[MeasuredQuestion]) -> Fit:
    """All the weights."""
    rank = fit_rank(questions)
    calibration = _fit_calibration(questions, rank)
    return {"rank": rank, "calibration": calibration, "said": _fit_said(questions, rank, calibration)}


def fit_rank(questions: Sequence[MeasuredQuestion]) -> Matrix:
    """Weights of the order: each list all the sentences read for a question."""
    answerable = [question for question in questions if question.is_answerable]
    columns = [_COLUMN[name] for name in RANKED_FEATURES]
    counts = Counter(question.set for question in answerable)
    masses = [_SET_MASS / counts[question.set] for question in answerable]
    fitted = fit_listwise(
        [question.rows[:, columns] for question in answerable],
        [question.gold for question in answerable],
        ridge=RANK_RIDGE,
        masses=masses,
    )
    weights = np.zeros(len(ANSWER_FEATURE_NAMES))
    weights[columns] = fitted
    return weights


def _fit_calibration(questions: Sequence[MeasuredQuestion], rank: Matrix) -> Matrix:
    rows: list[Matrix] = []
    right: list[Matrix] = []
    masses: list[Matrix] = []
    counts = Counter(question.set for question in questions)
    for question in questions:
        lists = ((question.rows, question.gold), (question.other_rows, np.zeros(len(question.other_rows))))
        for features, gold in lists:
            if not len(features):
                continue
            scores = features @ rank
            best = np.argsort(-scores, kind="stable")[:_CALIBRATED]
            rows.append(_calibrating(features[best], scores[best]))
            right.append(gold[best])
            masses.append(np.full(len(best), _SET_MASS / counts[question.set] / len(best)))
    return fit_logistic(np.concatenate(rows), np.concatenate(right), np.concatenate(masses), ridge=CALIBRATION_RIDGE)


def _calibrating(features: Matrix, scores: Matrix) -> Matrix:
    others = [features[:, _COLUMN[name]] for name in CALIBRATION_NAMES[1:]]
    return np.column_stack([scores, *others])


def said_row(features: Matrix, paper_of: Sequence[int], rank: Matrix, calibration: Matrix) -> tuple[float, ...]:
    """The numbers in the order of `SAID_NAMES` of one list of sentences."""
    scores = features @ rank
    best = np.argsort(-scores, kind="stable")[:10]
    logits = np.column_stack([_calibrating(features[best], scores[best]), np.ones(len(best))]) @ calibration
    return said_values(
        [
            RankedSentence(
                int(paper_of[row]),
                int(row),
                float(scores[row]),
                float(1 / (1 + np.exp(-logit))),
                float(features[row, _COLUMN["paper_share"]]),
                float(features[row, _COLUMN["confidence"]]),
            )
            for row, logit in zip(best, logits, strict=True)
        ]
    )


def _fit_said(questions: Sequence[MeasuredQuestion], rank: Matrix, calibration: Matrix) -> Matrix:
    rows: list[tuple[float, ...]] = []
    right: list[float] = []
    masses: list[float] = []
    counts = Counter(question.set for question in questions)
    for question in questions:
        for features, paper_of, answers in (
            (question.rows, question.paper_of, question.is_answerable),
            (question.other_rows, question.other_paper_of, False),
        ):
            rows.append(said_row(features, paper_of.tolist(), rank, calibration))
            right.append(float(answers))
            masses.append(_SET_MASS / counts[question.set])
    return fit_logistic(np.array(rows), np.array(right), np.array(masses), ridge=SAID_RIDGE)


def scores_of(questions: Sequence[MeasuredQuestion], fitted: Fit) -> dict[str, float]:
    """Percent of questions with a sentence that answers first, and among five; and how often saying so is right."""
    reached: defaultdict[str, list[float]] = defaultdict(list)
    for question in questions:
        order = np.argsort(-(question.rows @ fitted["rank"]), kind="stable")
        reached["hit@1"].append(float(question.gold[order[:1]].any()))
        reached["hit@5"].append(float(question.gold[order[:5]].any()))
        for features, paper_of, name in (
            (question.rows, question.paper_of, "answers told"),
            (question.other_rows, question.other_paper_of, "silence told"),
        ):
            values = np.append(said_row(features, paper_of.tolist(), fitted["rank"], fitted["calibration"]), 1.0)
            says = float(values @ fitted["said"]) >= 0
            reached[name].append(float(says == (name == "answers told")))
    return {name: round(100 * fmean(values), 1) for name, values in reached.items()}


def record(
    sets: Mapping[str, Sequence[MeasuredQuestion]], sources: Sequence[Mapping[str, object]], today: str
) -> dict[str, object]:
    """The whole file; `sources` name the data."""
    everything = [question for questions in sets.values() for question in questions]
    without = {
        name: fit([question for other, questions in sets.items() if other != name for question in questions])
        for name in sets
    }
    return {
        "form": FORMAT_VERSION,
        "made": today,
        "by": "python -m litterm_training.answers",
        "data": list(sources),
        "embedder": shipped_name(),
        "method": f"listwise softmax over the sentences of all papers read, ridge {RANK_RIDGE:g}, every set counting "
        "the same; probabilities by logistic regression; each set left out in turn",
        "scores": {name: scores_of(questions, without[name]) for name, questions in sets.items()},
        "scores_of": "percent, by the weights fitted without the set",
        "terms": list(ANSWER_FEATURE_NAMES),
        "calibration_terms": list(CALIBRATION_NAMES),
        "said_terms": list(SAID_NAMES),
        "weights": _plain(fit(everything)),
        "without": [{"set": name, "weights": _plain(fitted)} for name, fitted in without.items()],
    }


def main(argv: list[str] | None = None) -> None:
    """Reads the sets, measures, fits, writes the weights."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.answers", description=__doc__)
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=ANSWER_WEIGHTS_FILE)
    typed = parser.parse_args(argv)
    shipped = Extractors.shipped()
    sets: dict[str, list[MeasuredQuestion]] = {}
    sources: list[dict[str, object]] = []
    for path in typed.file:
        questions = read_set(path)
        sets[questions.name] = list(measure_questions(questions, shipped))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        sources.append({"name": path.name, "sha256": digest, "questions": len(questions.questions)})
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    typed.out.write_text(dump_weights(record(sets, sources, today)), encoding="utf-8")


def _plain(fitted: Fit) -> dict[str, list[float]]:
    return {name: [round(float(weight), _DIGITS) for weight in weights] for name, weights in fitted.items()}


if __name__ == "__main__":
    main()
