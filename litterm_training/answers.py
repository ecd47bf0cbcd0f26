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

from litterm.evidence.answers.answers import MIN_SAID_PROBABILITY, RankedSentence, said_values
from litterm.evidence.answers.features import ANSWER_FEATURE_NAMES, AnswerFeatures, ComparedSentence
from litterm.evidence.answers.weights import (
    ANSWER_WEIGHTS_FILE,
    CALIBRATION_NAMES,
    FORMAT_VERSION,
    SAID_NAMES,
)
from litterm.evidence.strength import logistic
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.question_sets import read_set
from litterm_training.answer_items import MeasuredQuestion, SentenceRows, measure_questions
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

Fit = Mapping[str, Matrix]


def fit(questions: Sequence[MeasuredQuestion]) -> Fit:
    """All the weights."""
    rank = _fit_rank(questions)
    calibration = _fit_calibration(questions, rank)
    return {"rank": rank, "calibration": calibration, "said": _fit_said(questions, rank, calibration)}


def _fit_rank(questions: Sequence[MeasuredQuestion]) -> Matrix:
    """Weights of the order: each list all the sentences read for a question."""
    answerable = [question for question in questions if question.is_answerable]
    return fit_listwise(
        [question.sentences.rows[:, : len(ANSWER_FEATURE_NAMES)] for question in answerable],
        [question.sentences.gold for question in answerable],
        ridge=RANK_RIDGE,
        masses=_masses(answerable),
    )


def _masses(questions: Sequence[MeasuredQuestion]) -> list[float]:
    counts = Counter(question.set for question in questions)
    return [_SET_MASS / counts[question.set] for question in questions]


def _fit_calibration(questions: Sequence[MeasuredQuestion], rank: Matrix) -> Matrix:
    rows: list[Matrix] = []
    right: list[Matrix] = []
    masses: list[Matrix] = []
    for question, mass in zip(questions, _masses(questions), strict=True):
        for sentences in (question.sentences, question.others):
            best = ranked(sentences, rank)[:_CALIBRATED]
            rows.append(np.array([[item.score] for item in best]))
            right.append(sentences.gold[[item.place for item in best]])
            masses.append(np.full(len(best), mass / max(1, len(best))))
    filled = [number for number, row in enumerate(rows) if len(row)]
    return fit_logistic(
        np.concatenate([rows[number] for number in filled]),
        np.concatenate([right[number] for number in filled]),
        np.concatenate([masses[number] for number in filled]),
        ridge=CALIBRATION_RIDGE,
    )


def ranked(sentences: SentenceRows, rank: Matrix, calibration: Matrix | None = None) -> list[RankedSentence]:
    """The best sentences; the place of each is its row."""
    scores = sentences.rows[:, : len(ANSWER_FEATURE_NAMES)] @ rank
    best: list[RankedSentence] = []
    for row in np.argsort(-scores, kind="stable")[:_CALIBRATED].tolist():
        *features, question_share, paper_share = sentences.rows[row].tolist()
        compared = ComparedSentence(AnswerFeatures(*features), question_share, paper_share)
        score = float(scores[row])
        probability = 0.0
        if calibration is not None:
            probability = logistic(float(np.array((score, 1.0)) @ calibration))
        best.append(RankedSentence(int(sentences.paper_of[row]), row, score, probability, compared))
    return best


def _fit_said(questions: Sequence[MeasuredQuestion], rank: Matrix, calibration: Matrix) -> Matrix:
    rows: list[tuple[float, ...]] = []
    right: list[float] = []
    masses: list[float] = []
    for question, mass in zip(questions, _masses(questions), strict=True):
        for sentences, answers in ((question.sentences, question.is_answerable), (question.others, False)):
            rows.append(said_values(ranked(sentences, rank, calibration)))
            right.append(float(answers))
            masses.append(mass)
    return fit_logistic(np.array(rows), np.array(right), np.array(masses), ridge=SAID_RIDGE)


def scores_of(questions: Sequence[MeasuredQuestion], fitted: Fit) -> dict[str, float]:
    """Percent of questions with a sentence that answers first, and among five; and how often saying so is right."""
    reached: defaultdict[str, list[float]] = defaultdict(list)
    for question in questions:
        for sentences, name in ((question.sentences, "answers told"), (question.others, "silence told")):
            best = ranked(sentences, fitted["rank"], fitted["calibration"])
            says = logistic(float(np.array((*said_values(best), 1.0)) @ fitted["said"])) >= MIN_SAID_PROBABILITY
            if name == "silence told":
                reached[name].append(float(not says))
                continue
            hits = [bool(sentences.gold[item.place]) for item in best]
            reached["hit@1"].append(float(any(hits[:1])))
            reached["hit@5"].append(float(any(hits[:5])))
            if question.is_answerable:
                reached[name].append(float(says))
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
        "method": f"listwise softmax over the sentences of all papers read, ridge {RANK_RIDGE:g}, every set counting "
        "the same; probabilities by logistic regression; each set left out in turn",
        "scores": {name: scores_of(questions, without[name]) for name, questions in sets.items()},
        "scores_of": "percent, by the weights fitted without the set; all sentences of a paper may be among the five",
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
