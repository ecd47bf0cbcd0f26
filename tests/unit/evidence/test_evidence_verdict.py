"""The signs that tell whether a paper speaks to a hypothesis, each by itself."""

from __future__ import annotations

import math

import pytest
from fakes_evidence import plain

from litterm.evidence.concepts import Concept, Holdings
from litterm.evidence.pool import read_pool
from litterm.evidence.verdict import Signs, probability, read_signs
from litterm.tasks import run

SENTENCES = (
    "Alpha beta gamma delta stand here.",
    "Alpha beta gamma stand here too.",
    "Alpha beta stand here once more.",
    "Alpha alone stands in this one.",
)


def signs(*rarities: float) -> Signs:
    """Of a hypothesis of four words that four, three, two and one sentence hold; without title and abstract."""
    names = ("alpha", "beta", "gamma", "delta")
    concepts = tuple(Concept(name, name, weight, {name: 1.0}) for name, weight in zip(names, rarities, strict=True))
    counts = tuple({number: 1.0 for number in range(4) if number + place < 4} for place in range(4))
    document = plain(*SENTENCES)
    return read_signs(document, run(read_pool(document)), Holdings(concepts, counts, (4, 3, 2, 1)))


def test_depth_is_of_the_half_of_the_concepts_that_fewest_sentences_hold() -> None:
    depth = signs(1.0, 1.0, 1.0, 1.0).depth
    assert depth == pytest.approx((math.log1p(100 * 1 / 4) + math.log1p(100 * 2 / 4)) / 2)


def test_every_share_is_of_all_concepts_by_their_rarity() -> None:
    found = signs(1.0, 1.0, 2.0, 4.0)
    assert found.coverage == 1.0
    # Of no title and no abstract: the mean over the fullest sentences.
    assert found.front == pytest.approx((8 + 4 + 2 + 1) / 4 / 8)
    assert found.together == 1.0


def test_only_pairs_that_meet_in_a_sentence_count_as_together() -> None:
    concepts = tuple(Concept(name, name, 1.0, {name: 1.0}) for name in ("alpha", "beta", "gamma"))
    document = plain(*SENTENCES[:2])
    held = Holdings(concepts, ({0: 1.0, 1: 1.0}, {1: 1.0, 2: 1.0}), (1, 2, 1))
    assert read_signs(document, run(read_pool(document)), held).together == pytest.approx(2 / 3)


@pytest.mark.parametrize(("frequency", "together"), [(0, 0.0), (2, 1.0)])
def test_a_single_concept_is_together_where_it_is_at_all(frequency: int, together: float) -> None:
    document = plain(*SENTENCES[:2])
    counts = ({0: 1.0}, {0: 1.0}) if frequency else ({}, {})
    held = Holdings((Concept("alpha", "alpha", 1.0, {"alpha": 1.0}),), counts, (frequency,))
    assert read_signs(document, run(read_pool(document)), held).together == together


def test_the_probability_is_the_logistic_of_the_weighted_signs_and_the_constant() -> None:
    weights = (1.0, 2.0, 3.0, 4.0, 5.0, -1.5)
    found = probability(Signs(0.1, 0.2, 0.3, 0.1, 0.2), weights)
    assert found == pytest.approx(1 / (1 + math.exp(-(0.1 + 0.4 + 0.9 + 0.4 + 1.0 - 1.5))))
