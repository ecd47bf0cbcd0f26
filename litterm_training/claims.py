"""Claims with rationales as matrices: one row per candidate, which rows are a rationale, what tells the verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from litterm.core.tasks import Task, run
from litterm.evidence.candidate_pool import CandidatePool, build_candidate_pool
from litterm.evidence.candidate_scores import SentenceCandidates, score_candidates
from litterm.evidence.diverse_top_k import SentenceSimilarity, select_diverse
from litterm.evidence.features import ClaimClosenessTable, claim_feature_values, measure_closeness
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import concept_scores, find_occurrences
from litterm.evidence.language.rhetorical_role import rhetorical_roles
from litterm.evidence.language.stance import (
    MAX_STANCE_RANK,
    MIN_STANCE_SENTENCES,
    STANCE_FEATURES,
    ClaimComparison,
    compare_with_claim,
    stance_values,
    telling_comparison,
)
from litterm.evidence.learned import SHARPNESS
from litterm.evidence.strength import logistic, logit, strength_values
from litterm.evidence.verdict import compute_verdict_features
from litterm.model.document import Document
from litterm_benchmarks.readers.claims import ClaimPair, as_document, groups_of
from litterm_training.logistic_regression import fit_logistic
from litterm_training.softmax import Matrix

STRENGTH_RIDGE = 10.0
STANCE_RIDGE = 1.0
_EVEN_SHARE = 0.5
"""Share of the mass that pairs with evidence have, whatever their number."""


@dataclass(frozen=True, slots=True)
class MeasuredClaim:
    """One pair, measured."""

    pair: ClaimPair
    group: str
    rows: Matrix
    """Of `CLAIM_FEATURE_NAMES`."""
    near: Matrix
    """Of `STRENGTH_TERMS`, as if the paper were as likely to speak to the claim as not."""
    features: Matrix
    gold: Matrix
    """1 for a sentence of a rationale."""
    numbers: tuple[int, ...]
    """The pair's sentence number of each row."""
    overlap: SentenceSimilarity
    compared: tuple[ClaimComparison, ...]
    """The wording of each row beside that of the claim."""

    @property
    def speaks(self) -> bool:
        """Whether the abstract holds evidence."""
        return self.pair.label != "NONE"


def claim_rows(document: Document, pool: CandidatePool, claim: str) -> tuple[Matrix, ClaimClosenessTable]:
    """Every candidate in the order of `CLAIM_FEATURE_NAMES`, and how near each is to the claim."""
    return run(_rows(document, pool, claim))


def measure_claims(pairs: Sequence[ClaimPair]) -> list[MeasuredClaim]:
    """All the pairs, measured."""
    return [_measure_claim(pair, group) for pair, group in zip(pairs, groups_of(pairs), strict=True)]


def fit_strength(claims: Sequence[MeasuredClaim], verdict_weights: Matrix) -> Matrix:
    """Weights of a candidate's closeness and a constant; the verdict's weights are `verdict_weights`."""
    rows = [claim.near.copy() for claim in claims]
    for claim, closeness in zip(claims, rows, strict=True):
        closeness[:, -1] = paper_logit(claim, verdict_weights)
    right = np.concatenate([claim.gold for claim in claims])
    return fit_logistic(np.concatenate(rows), right, np.ones(len(right)), ridge=STRENGTH_RIDGE)


def fit_stance(claims: Sequence[MeasuredClaim], by_claim: Matrix) -> Matrix:
    """Weights of the wording of each pair's best sentences, by the order `by_claim` gives, and a constant.

    What is told of a pair without evidence counts as wrong. Nothing but zeros, by which no stance is told, where no
    pair is known from its wording.
    """
    return fit_stance_of([(claim, telling_wording(claim, by_claim)) for claim in claims if has_context(claim.pair)])


def fit_stance_of(worded: Sequence[tuple[MeasuredClaim, ClaimComparison | None]]) -> Matrix:
    """As `fit_stance`, from pairs whose telling wording is known."""
    telling = [(claim, told) for claim, told in worded if told]
    if not telling:
        return np.zeros(len(STANCE_FEATURES) + 1)
    rows = np.array([stance_values(compared) for _, compared in telling])
    right = np.array([float(is_supporting(claim, compared)) for claim, compared in telling])
    return fit_logistic(rows, right, np.ones(len(right)), ridge=STANCE_RIDGE)


def has_context(pair: ClaimPair) -> bool:
    """Whether a stance may be told of the record at all: it has a title and enough sentences."""
    return bool(pair.title) and len(pair.sentences) >= MIN_STANCE_SENTENCES


def telling_wording(claim: MeasuredClaim, by_claim: Matrix) -> ClaimComparison | None:
    """The wording that tells the stance of a pair, if one of its best sentences does."""
    best = np.argsort(-(claim.rows @ by_claim), kind="stable")[:MAX_STANCE_RANK]
    told = telling_comparison(claim.compared[place] for place in best.tolist())
    return told[1] if told else None


def is_supporting(claim: MeasuredClaim, compared: ClaimComparison) -> bool:
    """Whether the pair supports its claim; of a pair without evidence the contrary of what is told."""
    return claim.pair.label == "SUPPORT" if claim.speaks else compared.side < 0


def paper_logit(claim: MeasuredClaim, verdict_weights: Matrix) -> float:
    """The last of `STRENGTH_TERMS` for a pair, as these weights of the verdict tell it."""
    return logit(probability_of(claim, verdict_weights))


def probability_of(claim: MeasuredClaim, verdict_weights: Matrix) -> float:
    """That the abstract speaks to the claim."""
    return logistic(float(np.append(claim.features, 1.0) @ verdict_weights))


def masses_of(claims: Collection[MeasuredClaim]) -> tuple[float, float]:
    """What a pair with evidence counts for the verdict, and one without: together as many as there are pairs."""
    speaking = sum(claim.speaks for claim in claims)
    return _EVEN_SHARE * len(claims) / max(1, speaking), _EVEN_SHARE * len(claims) / max(1, len(claims) - speaking)


def measure_pair(claim: MeasuredClaim, weights: Matrix) -> dict[str, float]:
    """What these weights reach on a pair with evidence: each in [0, 1]."""
    scores = (claim.rows @ weights).tolist()
    picked = run(select_diverse(scores, claim.overlap, k=3, sharpness=SHARPNESS))
    order = [claim.numbers[index] for index in picked]
    gold = claim.pair.gold
    return {
        "rationale@1": float(bool(order) and order[0] in gold),
        "rationale@3": float(not gold.isdisjoint(order)),
        "whole@3": float(any(rationale <= set(order) for rationale in claim.pair.rationales)),
    }


def _measure_claim(pair: ClaimPair, group: str) -> MeasuredClaim:
    document, numbers = as_document(pair)
    pool = run(build_candidate_pool(document))
    rows, measured_closeness = claim_rows(document, pool, pair.claim)
    occurrences = find_occurrences(read_hypothesis(pair.claim), pool)
    closeness = [
        strength_values(closeness, role, confidence=0.5)
        for closeness, role in zip(
            measured_closeness.rows,
            rhetorical_roles(pool.sentences, [section.title for section in document.sections]),
            strict=True,
        )
    ]
    sentence_numbers = tuple(numbers[sentence.index] for sentence in pool.sentences)
    return MeasuredClaim(
        pair,
        group,
        rows,
        np.array(closeness),
        np.array(astuple(compute_verdict_features(document, pool, occurrences, measured_closeness))),
        np.array([float(number in pair.gold) for number in sentence_numbers]),
        sentence_numbers,
        SentenceSimilarity(pool.vectors),
        tuple(
            compare_with_claim(pair.claim, occurrences.concepts, sentence.text, pair.title)
            for sentence in pool.sentences
        ),
    )


def _rows(document: Document, pool: CandidatePool, claim: str) -> Task[tuple[Matrix, ClaimClosenessTable]]:
    hypothesis = read_hypothesis(claim)
    occurrences = find_occurrences(hypothesis, pool)
    candidates = SentenceCandidates(document, pool, occurrences)
    closeness = yield from candidates.measure_closeness(concept_scores(occurrences, pool))
    features, _ = yield from score_candidates(candidates, closeness, lambda _place, _terms: 0.0, k=1)
    measured_closeness = yield from measure_closeness(document, pool, occurrences, hypothesis.text)
    measured = zip(
        features,
        measured_closeness.rows,
        rhetorical_roles(pool.sentences, [section.title for section in document.sections]),
        strict=True,
    )
    return np.array([claim_feature_values(*numbers) for numbers in measured]), measured_closeness
