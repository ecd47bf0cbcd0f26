"""Claims: is the sentence that states the claim shown first, and is an abstract without evidence told from one with."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import content_stems
from litterm.evidence.language.stance import MIN_STANCE_PROBABILITY
from litterm.evidence.learned import NO_EVIDENCE_THRESHOLD, LinearExtractor
from litterm.evidence.strength import strongest
from litterm.model.events import Progress
from litterm.model.evidence import CLOSENESS, Evidence, LikelyStance, Strength
from litterm_benchmarks.evidence.baselines import bm25_scores
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.metrics import columns, percent
from litterm_benchmarks.readers.claims import LABELS, ClaimPair, Label, as_document, groups_of, read_claims
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore

STRATEGIES = ("litterm", "overlap", "bm25", "lead")
_SHOWN_SENTENCES = 3
"""Sentences among which a rationale is looked for."""
_EDGES = (0.0, 0.15, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Of the ranges of probability in the table of the verdict."""
_RESAMPLES = 200
"""Of groups of pairs, for the error of the area under the curve; a resample takes the product of all pairs."""
_LABEL_OF: Mapping[str, Label] = {"supports": "SUPPORT", "refutes": "CONTRADICT"}


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """One pair as one method answers it."""

    order: tuple[int, ...]
    """The sentences' numbers, the best first; nothing left out."""
    sure: float | None
    """Larger where the abstract is likelier to hold evidence; `None` where too few sentences are there to say."""
    shown: tuple[tuple[int, Strength], ...] = ()
    """What the product shows, which may be less, with its words."""
    likely: LikelyStance | None = None
    """The stance told of one of the sentences."""


def measure(path: Path, extractors: Extractors | None = None, *, strategies: Sequence[str] = ()) -> Task[BenchReport]:
    """Rationale first, among three and whole in three, and the area under the curve of the verdict, by label.

    `litterm` are the sentences of the default in its order; beside it stand the share of the claim's words, BM25 and
    the first sentences. Pairs that the weights were fitted on are scored by weights fitted without them.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: a strategy is not known.
    """
    unknown = [name for name in strategies if name not in STRATEGIES]
    if unknown:
        raise UsageError(f"no strategy {unknown[0]!r}; there are {', '.join(STRATEGIES)}")
    pairs = read_claims(path)
    shipped = extractors or Extractors.shipped()
    rows: list[MethodRow] = []
    notes = [_training_note(pairs, shipped)]
    for name in STRATEGIES:
        if strategies and name not in strategies:
            continue
        answers = yield from _answers(pairs, name, shipped)
        rows.append(_row(name, pairs, answers))
        if name == "litterm":
            notes += [
                *_shown_first(pairs, answers),
                *_reliability(pairs, answers),
                *_words(pairs, answers),
                *_stances(pairs, answers),
            ]
    return BenchReport("claims", path.name, len(pairs), tuple(rows), tuple(notes))


def _training_note(pairs: Sequence[ClaimPair], shipped: Extractors) -> str:
    seen = sum(shipped.trained.weights_without(pair.paper) is not None for pair in pairs)
    if not seen:
        return "no abstract of these is in the training data: the shipped weights"
    return f"{seen} of {len(pairs)} pairs are about training data: scored out of fold, by weights fitted without it"


def _answers(pairs: Sequence[ClaimPair], name: str, shipped: Extractors) -> Task[list[PairAnswer]]:
    answers: list[PairAnswer] = []
    for number, pair in enumerate(pairs):
        yield Progress(f"claims, {name}", number, len(pairs))
        if name == "litterm":
            answers.append((yield from answer_by_litterm(pair, shipped)))
        else:
            scores = _scores(pair, name)
            order = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
            answers.append(PairAnswer(tuple(order), max(scores)))
    return answers


def answer_by_litterm(pair: ClaimPair, shipped: Extractors) -> Task[PairAnswer]:
    """The pair as the product answers it, by weights that have not seen its record."""
    document, numbers = as_document(pair)
    extractor = LinearExtractor(shipped.trained.weights_without(pair.paper) or shipped.trained.shipped)

    def ask(k: int, *, everything: bool) -> Task[Evidence]:
        return extractor.extract(document, pair.claim, k=k, scope="all", everything=everything)

    every = yield from ask(len(pair.sentences), everything=True)
    shown = yield from ask(10, everything=False)
    return PairAnswer(
        tuple(numbers[item.sentence.index] for item in every.sentences),
        every.confidence,
        tuple((numbers[item.sentence.index], item.strength) for item in shown.sentences),
        next((item.likely_stance for item in shown.sentences if item.likely_stance), None),
    )


def _scores(pair: ClaimPair, name: str) -> list[float]:
    if name == "bm25":
        return bm25_scores(pair.claim, pair.sentences)
    if name == "lead":
        return [-float(number) for number in range(len(pair.sentences))]
    claim_stems = frozenset(content_stems(pair.claim))
    return [len(claim_stems.intersection(content_stems(text))) / max(1, len(claim_stems)) for text in pair.sentences]


def _row(name: str, pairs: Sequence[ClaimPair], answers: Sequence[PairAnswer]) -> MethodRow:
    metrics = (*columns(_recall_values(pairs, answers)), _auc(pairs, answers))
    parts: list[SubsetScore] = []
    for label in LABELS[:2]:
        of_label = [(pair, answer) for pair, answer in zip(pairs, answers, strict=True) if pair.label == label]
        own = [pair for pair, _ in of_label]
        silent = [(pair, answer) for pair, answer in zip(pairs, answers, strict=True) if pair.label == "NONE"]
        labelled_or_silent = [*of_label, *silent]
        auc = _auc([pair for pair, _ in labelled_or_silent], [answer for _, answer in labelled_or_silent])
        figures = columns(_recall_values(own, [answer for _, answer in of_label]))
        parts.append(SubsetScore("label", label, len(own), (*figures, auc)))
    return MethodRow(name, metrics, tuple(part for part in parts if part.n))


def _recall_values(pairs: Sequence[ClaimPair], answers: Sequence[PairAnswer]) -> Mapping[str, Sequence[float]]:
    reached: defaultdict[str, list[float]] = defaultdict(list)
    for pair, answer in zip(pairs, answers, strict=True):
        if pair.rationales:
            first = frozenset(answer.order[:_SHOWN_SENTENCES])
            reached["rationale@1"].append(float(answer.order[:1] != () and answer.order[0] in pair.gold))
            reached[f"rationale@{_SHOWN_SENTENCES}"].append(float(not pair.gold.isdisjoint(first)))
            reached[f"whole@{_SHOWN_SENTENCES}"].append(float(any(rationale <= first for rationale in pair.rationales)))
    return reached


def _auc(all_pairs: Sequence[ClaimPair], all_answers: Sequence[PairAnswer]) -> Metric:
    """In percent, with the standard error over resampled groups of pairs that share a claim or a paper.

    Not a number where no pair with evidence stands against one without.
    """
    import numpy as np

    judged = [(pair, answer.sure) for pair, answer in zip(all_pairs, all_answers, strict=True)]
    pairs = [pair for pair, sure in judged if sure is not None]
    members: defaultdict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(groups_of(pairs)):
        members[group].append(number)
    groups = [np.array(numbers) for numbers in members.values()]
    speaking = np.array([pair.label != "NONE" for pair in pairs], dtype=bool)
    sure = np.array([sure for _, sure in judged if sure is not None], dtype=np.float64)
    # Every pair with evidence against every one without, once: a resample only weighs them again.
    ones, others = sure[speaking][:, None], sure[~speaking][None, :]
    won = (ones > others) + 0.5 * (ones == others)
    if not won.size:
        return Metric("auc", math.nan)
    dice = np.random.default_rng(0)
    drawn: list[float] = []
    for _ in range(_RESAMPLES):
        picked = np.concatenate([groups[index] for index in dice.integers(0, len(groups), len(groups))])
        times = np.bincount(picked, minlength=len(pairs)).astype(np.float64)
        left, right = times[speaking], times[~speaking]
        mass = left.sum() * right.sum()
        drawn += [float(left @ won @ right / mass)] if mass else []
    return Metric("auc", 100 * float(won.mean()), 100 * float(np.std(drawn)))


def _shown_first(pairs: Sequence[ClaimPair], answers: Sequence[PairAnswer]) -> Iterator[str]:
    """What is reached with what is shown: a pair told *nothing* has no first sentence."""
    with_rationale = [(pair, answer) for pair, answer in zip(pairs, answers, strict=True) if pair.rationales]
    if with_rationale:
        hits = [float(bool(answer.shown) and answer.shown[0][0] in pair.gold) for pair, answer in with_rationale]
        metric = percent("", hits)
        yield f"as shown, where nothing may be: rationale first {metric.mean:.1f}±{metric.se or 0:.1f}"


def _reliability(pairs: Sequence[ClaimPair], answers: Sequence[PairAnswer]) -> Iterator[str]:
    judged = [
        (answer.sure, pair.label != "NONE")
        for pair, answer in zip(pairs, answers, strict=True)
        if answer.sure is not None
    ]
    speaking = sum(speaks for _, speaks in judged)
    if len(judged) < len(pairs):
        yield f"no verdict on {len(pairs) - len(judged)} of {len(pairs)} pairs: they have too few sentences"
    if not 0 < speaking < len(judged):
        return
    yield f"verdict, told against true, as many pairs with evidence as without (nothing below {NO_EVIDENCE_THRESHOLD}):"
    verdicts = [(sure, speaks, 0.5 / (speaking if speaks else len(judged) - speaking)) for sure, speaks in judged]
    for low, high in pairwise(_EDGES):
        within = [verdict for verdict in verdicts if low <= verdict[0] < high or verdict[0] == high == 1.0]
        mass = sum(weight for _, _, weight in within)
        if mass:
            mean_probability = sum(sure * weight for sure, _, weight in within) / mass
            true = sum(weight for _, speaks, weight in within if speaks) / mass
            yield f"  {low:g} to {high:g}: told {mean_probability:.2f}, true {true:.2f}, {mass:.0%} of cases"


def _words(pairs: Sequence[ClaimPair], answers: Sequence[PairAnswer]) -> Iterator[str]:
    """Each word of strength: how often it is told of a sentence shown, and how often that one is a rationale."""
    yield "words told of the sentences shown, and of the best of each pair:"
    for strength, word in CLOSENESS.items():
        answered = list(zip(pairs, answers, strict=True))
        every = [number in pair.gold for pair, answer in answered for number, own in answer.shown if own == strength]
        best = [pair.label != "NONE" for pair, answer in answered if _best(answer) == strength]
        if every:
            share = f", best of {len(best)} pairs, {sum(best) / len(best):.0%} with evidence" if best else ""
            labels = ", ".join(f"{label} {true:.0%} of {count}" for label, true, count in _by_label(answered, strength))
            yield f"  {word}: {len(every)} sentences, {sum(every) / len(every):.0%} in a rationale ({labels}){share}"


def _by_label(
    answered: Sequence[tuple[ClaimPair, PairAnswer]], strength: Strength
) -> Iterator[tuple[Label, float, int]]:
    """Of the sentences told this word in pairs with a label: the share in a rationale, and how many they are."""
    for label in LABELS:
        of_label = [(pair, answer) for pair, answer in answered if pair.label == label]
        hits = [number in pair.gold for pair, answer in of_label for number, own in answer.shown if own == strength]
        if hits:
            yield label, sum(hits) / len(hits), len(hits)


def _best(answer: PairAnswer) -> Strength | None:
    return strongest(strength for _, strength in answer.shown)


def _stances(pairs: Sequence[ClaimPair], answers: Sequence[PairAnswer]) -> Iterator[str]:
    """How often a stance is told where there is one, how often it is right, and how often where there is none."""
    stances = [(pair.label, answer.likely) for pair, answer in zip(pairs, answers, strict=True) if answer.likely]
    speaking = sum(pair.label != "NONE" for pair in pairs)
    right = [_LABEL_OF[likely.stance] == label for label, likely in stances if label != "NONE"]
    if not right:
        return
    share, metric = len(right) / speaking, percent("", [float(guess) for guess in right])
    yield (
        f"stance told without a model (from a probability of {MIN_STANCE_PROBABILITY}): "
        f"of {share:.0%} of {speaking} pairs with evidence, right for {metric.mean:.1f}±{metric.se or 0:.1f}"
    )
    for stance, label in _LABEL_OF.items():
        own = [
            (guess.probability, truth == label)
            for truth, guess in stances
            if guess.stance == stance and truth != "NONE"
        ]
        if own:
            mean_probability, true = sum(sure for sure, _ in own) / len(own), sum(hit for _, hit in own) / len(own)
            yield f"  {stance}: {len(own)} times, told {mean_probability:.2f}, true {true:.2f}"
    silent = sum(label == "NONE" for label, _ in stances)
    yield f"  of {len(pairs) - speaking} pairs without evidence: told of {silent}"
