"""The signs that tell whether a paper speaks to a hypothesis, each by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple

import pytest
from fakes_evidence import plain

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.evidence.features import ClaimCloseness, ClaimClosenessTable, measure_closeness
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import Concept, ConceptOccurrences, find_occurrences
from litterm.evidence.verdict import VERDICT_FEATURES, VerdictFeatures, compute_verdict_features, evidence_probability
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

SENTENCES = (
    "Alpha beta gamma delta stand here.",
    "Alpha beta gamma stand here too.",
    "Alpha beta stand here once more.",
    "Alpha alone stands in this one.",
)
NAMES = ("alpha", "beta", "gamma", "delta")
NOTHING = ClaimCloseness(0.0, 0.0, 0.0, 0.0, 0.0)


def concepts_of(*rarities: float) -> tuple[Concept, ...]:
    return tuple(Concept(name, name, weight, {name: 1.0}) for name, weight in zip(NAMES, rarities, strict=False))


def read(document: Document, held: ConceptOccurrences) -> VerdictFeatures:
    pool = run(build_candidate_pool(document))
    claim = " ".join(concept.word for concept in held.concepts)
    return compute_verdict_features(document, pool, held, run(measure_closeness(document, pool, held, claim)))


def signs(*rarities: float) -> VerdictFeatures:
    """Of a hypothesis of four words that four, three, two and one sentence hold; without title and abstract."""
    counts = tuple({number: 1.0 for number in range(4) if number + place < 4} for place in range(4))
    return read(plain(*SENTENCES), ConceptOccurrences(concepts_of(*rarities), counts, (4, 3, 2, 1)))


def signs_near(
    *levels: Mapping[int, float], title: Mapping[int, float] | None = None, each: tuple[ClaimCloseness, ...] = ()
) -> VerdictFeatures:
    """Where nothing is held but what these candidates hold in words that begin alike, of concepts worth 1, 1 and 2."""
    held = ConceptOccurrences(concepts_of(1.0, 1.0, 2.0), ({},) * len(SENTENCES), (0, 0, 0))
    near = ClaimClosenessTable(each or (NOTHING,) * len(levels), levels, title or {}, (1.0, 1.0, 2.0))
    document = plain(*SENTENCES)
    return compute_verdict_features(document, run(build_candidate_pool(document)), held, near)


def test_depth_is_of_the_half_of_the_concepts_that_fewest_sentences_hold() -> None:
    depth = signs(1.0, 1.0, 1.0, 1.0).depth
    assert depth == pytest.approx((math.log1p(100 * 1 / 4) + math.log1p(100 * 2 / 4)) / 2)


def test_every_share_is_of_all_concepts_by_their_rarity() -> None:
    found = signs(1.0, 1.0, 2.0, 4.0)
    assert found.coverage == found.exact == found.alike == 1.0
    # Of no title and no abstract: the mean over the fullest sentences.
    assert found.front == pytest.approx((8 + 4 + 2 + 1) / 4 / 8)
    assert found.together == found.met == 1.0
    # The three best of four.
    assert found.held == pytest.approx((8 + 4 + 2) / 3 / 8)
    assert found.often == pytest.approx((math.log(5) + math.log(4) + 2 * math.log(3) + 4 * math.log(2)) / 8)


def test_only_pairs_that_meet_in_a_sentence_count_as_together() -> None:
    held = ConceptOccurrences(concepts_of(1.0, 1.0, 1.0), ({0: 1.0, 1: 1.0}, {1: 1.0, 2: 1.0}), (1, 2, 1))
    assert read(plain(*SENTENCES[:2]), held).together == pytest.approx(2 / 3)


@pytest.mark.parametrize(("frequency", "together"), [(0, 0.0), (2, 1.0)])
def test_a_single_concept_is_together_where_it_is_at_all(frequency: int, together: float) -> None:
    counts = ({0: 1.0}, {0: 1.0}) if frequency else ({}, {})
    text = SENTENCES[:2] if frequency else ("Nothing of it stands here.", "Nor does it in this one.")
    found = read(plain(*text), ConceptOccurrences(concepts_of(1.0), counts, (frequency,)))
    assert (found.together, found.met, found.coverage) == (together, together, together)


def test_words_that_begin_alike_count_for_alike_and_often_by_what_they_are_worth() -> None:
    found = signs_near({0: 0.8}, {0: 0.6, 2: 0.5}, title={1: 0.8})
    assert found.alike == pytest.approx((0.8 + 0.8 + 2 * 0.5) / 4)
    assert found.often == pytest.approx((math.log1p(0.8 + 0.6) + 2 * math.log1p(0.5)) / 4)


def test_concepts_meet_by_their_best_sentence_and_through_the_title_for_less() -> None:
    found = signs_near({0: 0.5, 2: 1.0}, {0: 1.0, 2: 0.8}, title={1: 1.0})
    with_title = 0.7
    by_pair = {(0, 1): 1.0 * with_title, (0, 2): 2 * 0.8, (1, 2): 2 * 1.0 * with_title}
    assert found.met == pytest.approx(sum(by_pair.values()) / (1 + 2 + 2))


def test_closeness_is_that_of_the_three_best_sentences() -> None:
    each = tuple(
        ClaimCloseness(share=n / 10, in_context=n / 5, letters=0, all_letters=n / 20, precision=0) for n in (1, 4, 2, 3)
    )
    found = signs_near({}, {}, {}, {}, each=each)
    assert (found.held, found.close, found.spelled) == pytest.approx((0.3, 0.6, 0.15))


def test_a_claim_is_halved_and_the_half_that_the_paper_holds_less_of_counts() -> None:
    # Alpha and beta are said, of what is said about them one word of two; no sentence need hold both halves.
    concepts = tuple(Concept(name, name, weight, {name: 1.0}) for name, weight in zip(NAMES, (4, 4, 9, 1), strict=True))
    near = ClaimClosenessTable((NOTHING,) * 3, ({0: 1.0, 1: 1.0}, {0: 1.0, 3: 1.0}, {2: 0.5}), {}, (4.0, 4.0, 9.0, 1.0))
    document = plain(*SENTENCES)
    found = compute_verdict_features(
        document, run(build_candidate_pool(document)), ConceptOccurrences(concepts, ({},) * 4, (0,) * 4), near
    )
    assert found.halves == pytest.approx(0.5 * 3 / (3 + 1))


def test_the_word_in_the_middle_is_in_neither_half() -> None:
    assert signs_near({0: 1.0, 2: 1.0}).halves == 1.0
    assert signs_near({0: 1.0, 1: 1.0}).halves == 0.0


@pytest.mark.parametrize(
    ("claim", "share"),
    [("alpha", 1.0), ("alpha 61", 0.0), ("alpha 40", 1.0), ("IL-6 in 61 alpha", 0.5), ("IL-2 in 61 alpha", 0.0)],
)
def test_numbers_are_those_of_the_claim_that_the_paper_holds_wherever(claim: str, share: float) -> None:
    document = plain("Alpha stands here in 40% of all.", "Signals of IL6 are told here at last.")
    pool = run(build_candidate_pool(document))
    held = find_occurrences(read_hypothesis(claim), pool)
    assert (
        compute_verdict_features(document, pool, held, run(measure_closeness(document, pool, held, claim))).numbers
        == share
    )


def test_the_probability_is_the_logistic_of_the_weighted_signs_and_the_constant() -> None:
    values = tuple(0.1 * number for number in range(1, len(VERDICT_FEATURES) + 1))
    weights = tuple(float(number) for number in range(len(VERDICT_FEATURES), 0, -1))
    found = VerdictFeatures(*values)
    assert astuple(found) == values
    product = sum(0.1 * number * (len(VERDICT_FEATURES) + 1 - number) for number in range(1, len(VERDICT_FEATURES) + 1))
    assert evidence_probability(found, (*weights, -product)) == pytest.approx(0.5)
    assert evidence_probability(found, (*weights, -product - 1.5)) == pytest.approx(1 / (1 + math.exp(1.5)))


def test_the_front_of_a_paper_is_its_title_where_it_has_no_abstract() -> None:
    held = ConceptOccurrences(concepts_of(1.0, 3.0), ({}, {}), (0, 0))

    def front(*blocks: Block) -> float:
        document = build_document(PaperId("acl:T"), blocks, origin="jats", parser="x")
        pool = run(build_candidate_pool(document))
        counts = tuple({1: 1.0} for _ in pool.sentences)
        shown = ConceptOccurrences(held.concepts, counts, (0, len(counts)))
        return compute_verdict_features(
            document, pool, shown, run(measure_closeness(document, pool, shown, "alpha beta"))
        ).front

    body = Block("body", "Beta stands in the text.")
    assert front(Block("title", "On alpha"), body) == pytest.approx(0.25)
    assert front(Block("title", "On beta"), body) == pytest.approx(0.75)
    assert front(Block("title", "On gamma"), body) == 0.0
