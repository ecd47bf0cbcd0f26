"""The verdict's weights: right hypotheses against wrong ones, half of which are the nearest to be found."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import CandidatePool, build_candidate_pool
from litterm.model.document import Document
from litterm_benchmarks.evidence.hard_negatives import HardNegatives, PaperHypothesis, foils
from litterm_training.claims import MeasuredClaim, masses_of
from litterm_training.evidence_items import RankedItem, verdict_features
from litterm_training.logistic_regression import fit_logistic
from litterm_training.softmax import Matrix

RIDGE = 3.0
_RANDOM_FOILS = 20
"""Hypotheses of other papers for each paper, beside the two nearest; together they weigh half of the wrong ones."""


@dataclass(frozen=True, slots=True)
class HypothesisPair:
    """A paper against a hypothesis."""

    paper: str
    """Key of the item whose paper it is."""
    claim: str
    """Key of the item whose hypothesis it is."""
    features: Matrix
    mass: float
    """What it counts: an item's right hypothesis as much as all its wrong ones."""
    right: bool
    """Whether the paper speaks to it: it is the paper's own."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Whole papers, and their abstracts alone."""

    of_full_texts: tuple[HypothesisPair, ...]
    of_abstracts: tuple[HypothesisPair, ...]


def pair_up(lists: Sequence[RankedItem]) -> Pairs:
    """Every paper with its own hypothesis, the two nearest wrong ones and a number of any others."""
    hypotheses = [
        PaperHypothesis(ranked.item.paper_key, ranked.item.hypothesis, " ".join(ranked.item.sentences))
        for ranked in lists
    ]
    wrong = foils(hypotheses)
    of_full_texts = tuple(
        pair for index in range(len(lists)) for pair in _pairs(lists, index, wrong[index], abstract=False)
    )
    of_abstracts = tuple(
        pair for index in range(len(lists)) for pair in _pairs(lists, index, wrong[index], abstract=True)
    )
    return Pairs(of_full_texts, of_abstracts)


def fit_verdict(
    pairs: Sequence[HypothesisPair], within: Collection[str], claims: Sequence[MeasuredClaim] = ()
) -> Matrix:
    """Weights of the features and a constant, from pairs with paper and hypothesis both of `within`, and `claims`."""
    used = [pair for pair in pairs if pair.paper in within and pair.claim in within]
    speaking, silent = masses_of(claims)
    used += [
        HypothesisPair("", "", claim.features, speaking if claim.speaks else silent, claim.speaks) for claim in claims
    ]
    rows = np.array([pair.features for pair in used])
    right = np.array([float(pair.right) for pair in used])
    mass = np.array([pair.mass for pair in used])
    columns = list(range(rows.shape[1]))
    while True:
        weights = fit_logistic(rows[:, columns], right, mass, ridge=RIDGE)
        # Every sign speaks for the paper; one that comes out against it only corrects another.
        columns_kept = [column for column, weight in zip(columns, weights, strict=False) if weight >= 0]
        if columns_kept == columns:
            break
        columns = columns_kept
    fitted = np.zeros(rows.shape[1] + 1)
    fitted[[*columns, -1]] = weights
    return fitted


def area(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Chance that a right one is told from a wrong one, ties half; in [0, 1]."""
    right_scores, wrong_scores = np.array(right)[:, None], np.array(wrong)[None, :]
    return float(((right_scores > wrong_scores) + 0.5 * (right_scores == wrong_scores)).mean())


def abstract_of(document: Document) -> Document:
    """The document with nothing but its abstract."""
    return replace(document, sentences=tuple(row for row in document.sentences if row.kind == "abstract"))


def _pairs(
    lists: Sequence[RankedItem], index: int, wrong: HardNegatives, *, abstract: bool
) -> Iterator[HypothesisPair]:
    ranked = lists[index]
    document, pool = ranked.document, ranked.pool
    if abstract:
        document = _renumber(abstract_of(document))
        pool = run(build_candidate_pool(document))
        if not pool.sentences:
            return
    masses = {index: 0.5}
    other_documents = wrong.others[:_RANDOM_FOILS]
    for foil, mass in (
        (wrong.near_hypothesis, 0.125),
        (wrong.near_paper, 0.125),
        *((o, 0.25 / len(other_documents)) for o in other_documents),
    ):
        masses[foil] = masses.get(foil, 0.0) + mass
    for foil, mass in masses.items():
        row = _row(document, pool, lists[foil].item.hypothesis)
        yield HypothesisPair(ranked.item.key, lists[foil].item.key, row, mass, foil == index)


def _renumber(document: Document) -> Document:
    return replace(document, sentences=tuple(replace(row, index=index) for index, row in enumerate(document.sentences)))


def _row(document: Document, pool: CandidatePool, hypothesis: str) -> Matrix:
    return np.array(astuple(verdict_features(document, pool, hypothesis)))
