"""Does the verdict tell a paper's own hypothesis from others, and are its probabilities to be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.evidence.features import measure_closeness
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import find_occurrences
from litterm.evidence.learned import NO_EVIDENCE_THRESHOLD
from litterm.evidence.verdict import compute_verdict_features, evidence_probability
from litterm.model.events import Progress
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.hard_negatives import HardNegatives, PaperHypothesis, foils
from litterm_benchmarks.readers.evidencebench import Item, as_document
from litterm_benchmarks.report import MethodRow, Metric

_RANDOM_FOILS = 5
"""Hypotheses of other papers asked of each paper, beside the two nearest."""
_EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Of the ranges of probability in the reliability table."""
_KINDS = {
    "own": "its own",
    "random": "any other paper's",
    "near-hypothesis": "nearest to its own",
    "near-paper": "nearest to the paper",
}


@dataclass(frozen=True, slots=True)
class JudgedHypothesis:
    """One paper asked with one hypothesis."""

    kind: str
    """`own`, `random`, `near-hypothesis` or `near-paper`."""
    chance: float
    """That it is its own, as told; in [0, 1]."""
    mass: float
    """Half of an item's mass is on its own hypothesis, a quarter on random ones, an eighth on each near one."""


def measure(items: Sequence[Item], extractors: Extractors) -> Task[tuple[MethodRow, tuple[str, ...]]]:
    """A row of areas under the curve in percent, and the reliability table as lines."""
    wrong = foils([PaperHypothesis(item.paper_key, item.hypothesis, " ".join(item.sentences)) for item in items])
    answers: list[JudgedHypothesis] = []
    for number, (item, foil) in enumerate(zip(items, wrong, strict=True)):
        yield Progress("verdict", number, len(items))
        document, _ = as_document(item)
        pool = yield from build_candidate_pool(document)
        weights = extractors.weights(item).verdict_full_text
        for kind, index, mass in _hypotheses_of(number, foil):
            hypothesis = read_hypothesis(items[index].hypothesis)
            occurrences = find_occurrences(hypothesis, pool)
            near = yield from measure_closeness(document, pool, occurrences, hypothesis.text)
            chance = evidence_probability(compute_verdict_features(document, pool, occurrences, near), weights)
            answers.append(JudgedHypothesis(kind, chance, mass))
    own = [answer.chance for answer in answers if answer.kind == "own"]
    metrics = [
        Metric(f"auc {kind}", 100 * area(own, [answer.chance for answer in answers if answer.kind == kind]))
        for kind in ("random", "near-hypothesis", "near-paper")
    ]
    return MethodRow("verdict", tuple(metrics)), (*reliability(answers), *shares(answers))


def area(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Chance that a right one is told from a wrong one, ties half; in [0, 1]."""
    wins = sum((right_one > other) + 0.5 * (right_one == other) for right_one in right for other in wrong)
    return wins / (len(right) * len(wrong))


def reliability(answers: Sequence[JudgedHypothesis]) -> list[str]:
    """A line for each range of probability: what was told, and how it turned out."""
    lines = ["verdict, told against true, as many right hypotheses as wrong ones (half of those the nearest):"]
    for low, high in pairwise(_EDGES):
        within = [answer for answer in answers if low <= answer.chance < high or answer.chance == high == 1.0]
        mass = sum(answer.mass for answer in within)
        if mass:
            mean_probability = sum(answer.mass * answer.chance for answer in within) / mass
            true = sum(answer.mass for answer in within if answer.kind == "own") / mass
            share = mass / sum(answer.mass for answer in answers)
            lines.append(
                f"  {low:.1f} to {high:.1f}: told {mean_probability:.2f}, true {true:.2f}, {share:.0%} of cases"
            )
    return lines


def shares(answers: Sequence[JudgedHypothesis]) -> list[str]:
    """A line for each kind of hypothesis: how often the paper was said to speak to it."""
    lines: list[str] = []
    for kind, meaning in _KINDS.items():
        silent = [answer.chance < NO_EVIDENCE_THRESHOLD for answer in answers if answer.kind == kind]
        share = sum(silent) / len(silent)
        lines.append(f"  hypothesis {meaning}: spoken to {1 - share:.0%}, nothing {share:.0%}")
    return lines


def _hypotheses_of(number: int, foil: HardNegatives) -> Iterator[tuple[str, int, float]]:
    yield "own", number, 0.5
    yield "near-hypothesis", foil.near_hypothesis, 0.125
    yield "near-paper", foil.near_paper, 0.125
    others = foil.others[:_RANDOM_FOILS]
    yield from (("random", other, 0.25 / len(others)) for other in others)
