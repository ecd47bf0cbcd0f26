"""A stance by wording: what agrees, what differs, and where nothing may be told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import Concept, find_occurrences
from litterm.evidence.language.stance import (
    MIN_CLAIM_SHARE,
    MIN_STANCE_PROBABILITY,
    ClaimComparison,
    are_contrary,
    compare_with_claim,
    likely_stance,
    telling_comparison,
    tells_stance,
)
from litterm.evidence.learned import LinearExtractor
from litterm.evidence.weights import Weights, read_weights
from litterm.model.evidence import Evidence, LikelyStance
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

CLAIM = "Zinc increases the duration of colds."


OTHERS = (
    "Half were given zinc in winter.",
    "The weather was fine on most of the days.",
    "Nothing else of interest was ever seen by anybody there.",
)


def beside(claim: str, sentence: str, title: str = "") -> ClaimComparison:
    document = build_document(PaperId("local:x"), [Block("body", sentences=(sentence,))], origin="jats", parser="test")
    return compare_with_claim(
        claim, find_occurrences(read_hypothesis(claim), run(build_candidate_pool(document))).concepts, sentence, title
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "We found that zinc raised the duration of colds by two days.",
        "The duration of colds was greater with zinc.",
        "Adults were recruited in winter, and zinc increased the duration of colds.",
        "Zinc increased the duration of colds, whereas iron reduced it.",
    ],
)
def test_what_goes_the_same_way_agrees(sentence: str) -> None:
    compared = beside(CLAIM, sentence)
    assert compared.side == 1
    assert compared.share > 0.99


@pytest.mark.parametrize(
    "sentence",
    ["We found that zinc reduced the duration of colds.", "Colds were of shorter and less duration with zinc."],
)
def test_what_goes_the_other_way_differs(sentence: str) -> None:
    assert beside(CLAIM, sentence).side == -1


@pytest.mark.parametrize(
    ("claim", "sentence", "side"),
    [
        ("Zinc has no effect on the duration of colds.", "Zinc increased the duration of colds.", -1),
        ("Zinc has no effect on the duration of colds.", "Zinc did not change the duration of colds.", 1),
        ("Zinc does not prolong colds.", "Zinc is not associated with colds.", 0),
        # What the claim says is denied of a part of it, perhaps.
        (CLAIM, "There was no difference in the duration of colds with zinc.", 0),
    ],
)
def test_a_denied_effect_is_a_direction_of_its_own(claim: str, sentence: str, side: int) -> None:
    assert beside(claim, sentence).side == side


def test_two_words_that_turn_a_statement_turn_nothing() -> None:
    assert beside("Zinc promotes colds.", "Without zinc colds are increased.").side == 0
    assert beside("Loss of zinc reduces colds.", "Depletion of zinc suppressed colds.").side == 1
    assert beside("Loss of zinc reduces colds.", "Zinc reduced colds.").side == 0


@pytest.mark.parametrize(
    "sentence",
    [
        "Zinc was given for the duration of colds.",
        "Zinc increased or reduced the duration of colds.",
        "Drug-resistant zinc was given for the duration of colds.",
        "",
        " ;: ",
    ],
)
def test_without_one_direction_there_is_no_side(sentence: str) -> None:
    assert beside(CLAIM, sentence).side == 0


def test_the_clause_that_holds_most_of_the_claim_is_compared_and_its_share_told() -> None:
    concepts = (Concept("zinc", "zinc", 3.0, {"zinc": 1.0}), Concept("cold", "colds", 1.0, {"cold": 1.0}))
    compared = compare_with_claim(
        "Zinc increases colds", concepts, "Colds were reduced by iron; zinc was increased in the blood."
    )
    assert compared == ClaimComparison(1, 0.75)


@pytest.mark.parametrize(
    ("side", "share", "telling"),
    [(1, MIN_CLAIM_SHARE, True), (-1, 1.0, True), (0, 1.0, False), (1, MIN_CLAIM_SHARE - 0.01, False)],
)
def test_only_a_side_on_most_of_the_claim_tells(side: int, share: float, telling: bool) -> None:
    assert tells_stance(ClaimComparison(side, share)) is telling


def test_a_stance_is_told_from_the_limit_on() -> None:
    # Log odds of 2 are .88, of 1 they are .73.
    assert likely_stance(ClaimComparison(1, 1.0), (1.0, 1.0, 0.0)) == LikelyStance(
        "supports", pytest.approx(0.8808, abs=1e-4)
    )
    assert likely_stance(ClaimComparison(-1, 1.0), (1.0, 1.0, 0.0)) == LikelyStance(
        "refutes", pytest.approx(0.8808, abs=1e-4)
    )
    assert likely_stance(ClaimComparison(-1, 1.0), (1.0, 1.0, 1.0)) is None
    assert likely_stance(ClaimComparison(1, 1.0), (0.0, 0.0, 0.0)) is None
    assert likely_stance(ClaimComparison(0, 1.0), (0.0, 0.0, 9.0)) is None
    assert MIN_STANCE_PROBABILITY == 0.8


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("Zinc increases the duration of colds in adults.", ("adults",)),
        ("Magnesium increases the duration of colds.", ("Magnesium",)),
        ("Zinc increases the duration of migraines.", ("migraines",)),
        ("Zinc increases the duration of colds by 7 days.", ("7",)),
        ("Zinc increases the duration of colds by seven days.", ("seven",)),
        ("Zinc increases the duration of colds by 2 days.", ()),
        ("Zinc increases the duration of colds by two days.", ()),
        ("Zinc raises the duration of a cold.", ()),
        ("Upon treatment zinc increases the duration of colds.", ()),
    ],
)
def test_a_word_or_number_that_the_sentence_lacks_is_missing(claim: str, missing: tuple[str, ...]) -> None:
    compared = beside(claim, "We found that zinc increased the duration of colds by two days.")
    assert compared.missing == missing
    assert tells_stance(compared) is not bool(missing)


def test_a_word_that_the_title_holds_is_not_missing() -> None:
    claim, sentence = "Zinc increases the duration of colds in adults.", "Zinc increased the duration of colds."
    assert beside(claim, sentence).missing == ("adults",)
    assert beside(claim, sentence, "Zinc for adults: a trial").missing == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "We investigated whether zinc increased the duration of colds.",
        "Our aim was to test zinc, which increases the duration of colds.",
        "That zinc increases the duration of colds remains controversial.",
    ],
)
def test_a_question_is_no_answer(sentence: str) -> None:
    assert beside(CLAIM, sentence).side == 0


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("It is not true that in winter zinc increases colds.", "In winter zinc increased colds."),
        ("Zinc does not not increase the duration of colds.", "Zinc increased the duration of colds."),
        ("Zinc prevents colds.", "Our data do not support that zinc increases colds."),
    ],
)
def test_a_denial_that_cannot_be_read_gives_no_side(claim: str, sentence: str) -> None:
    assert beside(claim, sentence).side == 0


def test_of_two_best_sentences_that_differ_none_is_told() -> None:
    agreeing, differing, silent = ClaimComparison(1, 1.0), ClaimComparison(-1, 1.0), ClaimComparison(0, 1.0)
    assert telling_comparison([silent, agreeing]) == (1, agreeing)
    assert telling_comparison([differing, silent]) == (0, differing)
    assert telling_comparison([differing, agreeing]) is None
    # Further down than the first it is mostly about something else.
    assert telling_comparison([silent, differing]) is None
    assert telling_comparison([agreeing, differing]) == (0, agreeing)
    assert telling_comparison([replace(agreeing, missing=("zinc",))]) is None


@pytest.mark.parametrize(
    ("other", "contrary"),
    [
        ("Zinc reduces the duration of colds.", True),
        ("Zinc does not increase the duration of colds.", True),
        ("Zinc has no effect on the duration of colds.", True),
        ("Zinc raises the duration of colds.", False),
        ("Iron reduces the number of headaches.", False),
        ("Magnesium in milk reduces the duration of colds.", False),
    ],
)
def test_contrary_claims_are_of_the_same_things(other: str, contrary: bool) -> None:
    assert are_contrary(CLAIM, other) is are_contrary(other, CLAIM) is contrary


def extract(*sentences: str, weights: Weights | None = None, title: str = "Zinc and the duration of colds") -> Evidence:
    blocks = (
        Block("title", title),
        Block("heading", "Abstract", section_kind="abstract"),
        Block("abstract", sentences=sentences),
    )
    document = build_document(PaperId("local:x"), blocks, origin="jsonl", parser="test")
    return run(LinearExtractor(weights or read_weights().shipped).extract(document, CLAIM, k=10, scope="all"))


@pytest.mark.parametrize(("verb", "stance"), [("increased", "supports"), ("reduced", "refutes")])
def test_one_sentence_alone_is_given_a_stance(verb: str, stance: str) -> None:
    told = f"We found that zinc {verb} the duration of colds by two days."
    evidence = extract(told, f"In children zinc also {verb} the duration of colds.", *OTHERS)
    first, *others = evidence.sentences
    assert first.likely_stance is not None
    assert first.likely_stance.stance == stance
    assert 0.8 <= first.likely_stance.probability < 1
    assert others
    assert {each.likely_stance for each in others} == {None}
    assert {each.stance for each in evidence.sentences} == {None}


def test_of_a_record_without_a_title_or_with_few_sentences_no_stance_is_told() -> None:
    told = "We found that zinc increased the duration of colds by two days."
    assert [each.likely_stance is None for each in extract(told, *OTHERS).sentences[:1]] == [False]
    assert {each.likely_stance for each in extract(told, *OTHERS, title="").sentences} == {None}
    assert {each.likely_stance for each in extract(told, *OTHERS[:2]).sentences} == {None}


@pytest.mark.parametrize(("verb", "stance"), [("increased", "supports"), ("reduced", "refutes")])
@pytest.mark.parametrize("title", ["A trial", ""])
def test_of_a_full_text_a_stance_is_told_with_a_title_or_without(verb: str, stance: str, title: str) -> None:
    told = f"We found that zinc {verb} the duration of colds by two days."
    filler = [f"Room {number} of the clinic was painted again in spring." for number in range(40)]
    first, *others = extract(told, *filler, title=title).sentences
    assert first.sentence.text == told
    assert first.likely_stance is not None
    assert first.likely_stance.stance == stance
    assert {each.likely_stance for each in others} <= {None}


def test_of_a_full_text_that_says_both_no_stance_is_told() -> None:
    told = ("Zinc increased the duration of colds by two days.", "Zinc reduced the duration of colds by two days.")
    filler = [f"Room {number} of the clinic was painted again in spring." for number in range(40)]
    assert {each.likely_stance for each in extract(*told, *filler).sentences} == {None}


def test_a_sentence_that_only_mentions_the_claim_has_no_stance() -> None:
    shipped = read_weights().shipped
    mentioning = replace(shipped, strength=(*[0.0] * (len(shipped.strength) - 1), -9.0))
    told = "We found that zinc increased the duration of colds by two days."
    assert extract(told, *OTHERS).sentences[0].likely_stance is not None
    first = extract(told, *OTHERS, weights=mentioning).sentences[0]
    assert (first.strength, first.likely_stance) == ("weak", None)


def test_the_shipped_weights_lean_to_the_side_that_wording_tells() -> None:
    by_side, by_share, _ = read_weights().shipped.stance
    assert min(by_side, by_share) > 0
