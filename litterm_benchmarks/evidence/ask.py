"""Sentences that answer, over the first papers of a search: does the first one answer, and one of five.

Each set is ranked by weights whose fit has not seen it, and its sentences are measured within their papers by weights
that have not seen the question. Beside it stand BM25 over the same sentences, the best score that knows one paper at a
time, and the best sentence of the first paper found.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

from litterm.core.errors import UsageError
from litterm.core.tasks import run
from litterm.evidence.answers.answers import (
    MAX_SENTENCES_OF_PAPER,
    rank_sentences,
    said_probability,
    silence_of,
)
from litterm.evidence.answers.weights import AnswerWeights, FittedAnswerWeights, read_answer_weights
from litterm.model.events import Progress
from litterm_benchmarks.evidence.baselines import bm25_scores
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.question_sets import PAPERS_READ, AnsweredSet, SetQuestion, fitted_without, read_set
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.evidence.answers.features import ReadPaper

METHODS: Final = ("litterm", "one-paper", "first-paper", "bm25")
_DEPTHS: Final = (1, 5)
_OVER_BM25: Final = "over bm25 @"


@dataclass(slots=True)
class _Reached:
    """What was reached on one set, a number for each question."""

    name: str
    clusters: list[str] = field(default_factory=list)
    hits: defaultdict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    """By method and depth."""
    answers_told: list[float] = field(default_factory=list)
    silence_told: list[float] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)


def measure(paths: Sequence[Path], weights: FittedAnswerWeights | None = None) -> Task[BenchReport]:
    """hit@1 and hit@5 of each method on each set, paired differences, and how often silence and answers are right.

    Raises:
        BadInput: a file is in none of the forms, or the weights cannot be read.
        UsageError: no file is given.
    """
    if not paths:
        raise UsageError("bench ask takes files of questions")
    fitted, shipped = weights or read_answer_weights(), Extractors.shipped()
    reached: list[_Reached] = []
    notes: list[str] = []
    for path in paths:
        questions = read_set(path)
        unseen = fitted.without.get(questions.name)
        if unseen is None:
            notes.append(f"{questions.name}: not in the training data, ranked by the shipped weights")
        reached.append((yield from _measure_set(questions, unseen or fitted.shipped, shipped)))
    rows = tuple(_row(method, reached) for method in METHODS)
    return BenchReport(
        "ask", ", ".join(path.name for path in paths), sum(map(_size, reached)), rows, _notes(reached, notes)
    )


def _measure_set(questions: AnsweredSet, weights: AnswerWeights, shipped: Extractors) -> Task[_Reached]:
    reached = _Reached(questions.name)
    for number, question in enumerate(questions.questions):
        yield Progress(f"ask, {questions.name}", number, len(questions.questions))
        extractor = fitted_without(question, shipped)
        begun = time.process_time()
        _, papers = run(questions.read(question, extractor))
        ranked = rank_sentences(papers, weights)
        silence = silence_of(papers, said_probability(ranked, weights))
        reached.cpu_s.append(time.process_time() - begun)
        gold = _gold(question, papers)
        orders = {
            "litterm": _with_few_of_each([(item.paper, item.place) for item in ranked]),
            "one-paper": _order(_strengths(papers)),
            "first-paper": _order(_strengths(papers[:1])),
            "bm25": _order(_bm25(question.text, papers)),
        }
        for method, order in orders.items():
            for depth in _DEPTHS:
                reached.hits[method, depth].append(float(not gold.isdisjoint(order[:depth])))
        reached.clusters.append(question.cluster)
        reached.found.append(float(bool(gold)))
        if gold:
            reached.answers_told.append(float(not silence))
        _, others = run(questions.read(question, extractor, without=frozenset(question.gold)))
        said = said_probability(rank_sentences(others, weights), weights)
        reached.silence_told.append(float(bool(silence_of(others, said))))
    return reached


Place = tuple[int, int]
"""Number of a paper and place in its pool."""


def _gold(question: SetQuestion, papers: Sequence[ReadPaper]) -> frozenset[Place]:
    return frozenset(
        (number, place)
        for number, paper in enumerate(papers)
        for candidates in (paper.sentences.paper.candidates,)
        for place, sentence in enumerate(candidates.pool.sentences)
        if sentence.index in question.gold.get(candidates.document.paper_id, ())
    )


def _with_few_of_each(order: Sequence[Place]) -> list[Place]:
    """As it is shown: at most a few sentences of one paper."""
    of_paper: defaultdict[int, int] = defaultdict(int)
    kept: list[Place] = []
    for paper, place in order:
        of_paper[paper] += 1
        if of_paper[paper] <= MAX_SENTENCES_OF_PAPER:
            kept.append((paper, place))
    return kept


def _order(scores: Sequence[Sequence[float]]) -> list[Place]:
    places = [(number, place) for number, of_paper in enumerate(scores) for place in range(len(of_paper))]
    return sorted(places, key=lambda each: (-scores[each[0]][each[1]], each))


def _strengths(papers: Sequence[ReadPaper]) -> list[list[float]]:
    return [
        [paper.sentences.paper.strength_probability(place) for place in range(len(paper.sentences.scores))]
        for paper in papers
    ]


def _bm25(question: str, papers: Sequence[ReadPaper]) -> list[list[float]]:
    pools = [paper.sentences.paper.candidates.pool for paper in papers]
    scores = iter(bm25_scores(question, [sentence.text for pool in pools for sentence in pool.sentences]))
    return [[next(scores) for _ in pool.sentences] for pool in pools]


def _row(method: str, reached: Sequence[_Reached]) -> MethodRow:
    parts = tuple(SubsetScore("set", each.name, _size(each), _metrics(method, [each])) for each in reached)
    return MethodRow(method, _metrics(method, reached), parts)


def _metrics(method: str, reached: Sequence[_Reached]) -> tuple[Metric, ...]:
    clusters = [f"{each.name} {cluster}" for each in reached for cluster in each.clusters]

    def hits(name: str, depth: int) -> list[float]:
        return [hit for each in reached for hit in each.hits[name, depth]]

    metrics: list[Metric] = []
    for depth in _DEPTHS:
        base = hits("one-paper", depth) if method == "litterm" else ()
        metrics.append(percent(f"hit@{depth}", hits(method, depth), clusters, base=base))
    if method != "litterm":
        return tuple(metrics)
    for depth in _DEPTHS:
        gains = [own - other for own, other in zip(hits("litterm", depth), hits("bm25", depth), strict=True)]
        metrics.append(percent(f"{_OVER_BM25}{depth}", gains, clusters))
    told = [each for item in reached for each in item.answers_told]
    silent = [each for item in reached for each in item.silence_told]
    metrics += [percent("answers told", told), percent("silence told", silent)]
    metrics.append(Metric("cpu s", fmean(second for item in reached for second in item.cpu_s)))
    return tuple(metrics)


def _notes(reached: Sequence[_Reached], notes: Sequence[str]) -> tuple[str, ...]:
    by_hits = sorted(reached, key=lambda each: fmean(each.hits["litterm", 5]))
    worst, best = by_hits[0], by_hits[-1]
    within = ", ".join(f"{100 * fmean(each.found):.0f} % of {each.name}" for each in reached)
    return (
        *notes,
        f"worst set {worst.name}: hit@5 {100 * fmean(worst.hits['litterm', 5]):.1f}; best set {best.name}: "
        f"{100 * fmean(best.hits['litterm', 5]):.1f}; every set by weights fitted without it",
        f"a sentence that answers is in the first {PAPERS_READ} papers of {within}; those not found count as missed",
        "the gain of litterm over one-paper is paired, and so are the differences to bm25",
        "answers told: where a sentence that answers was read; silence told: where the papers that answer are left out",
    )


def _size(reached: _Reached) -> int:
    return len(reached.clusters)
