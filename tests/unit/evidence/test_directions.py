"""The stance of a full text by directions: what agrees, what differs, and where nothing may be told."""

from __future__ import annotations

import pytest

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import find_occurrences
from litterm.evidence.language.directions import (
    DIRECTION_FEATURES,
    ClaimDirections,
    DirectionComparison,
    direction_values,
    likely_direction,
)
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

CLAIM = "Zinc shortens colds and lowers the risk of fever."


def beside(claim: str, sentence: str, title: str = "") -> DirectionComparison:
    document = build_document(PaperId("local:x"), [Block("body", sentences=(sentence,))], origin="jats", parser="test")
    concepts = find_occurrences(read_hypothesis(claim), run(build_candidate_pool(document))).concepts
    return ClaimDirections(claim, concepts).compare(sentence, title)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Zinc reduces the duration of colds.", "With zinc the duration of colds was significantly lower."),
        ("Zinc increases the duration of colds.", "The duration of colds rose from 4.1 to 6.3 days with zinc."),
        ("Zinc has no effect on colds.", "Zinc did not affect colds."),
        ("Zinc does not reduce fever.", "There was no difference in fever with zinc (p = 0.41)."),
        ("Zinc lowers fever.", "Zinc lowered fever, whereas iron raised it."),
        ("Zinc is more effective than iron against colds.", "Zinc was more effective than iron against colds."),
        ("Dropout improves parsing of German.", "On German, parsing was better with dropout."),
        ("Zinc harms sleep.", "More surprisingly, zinc as a powder (along with iron, which helps) harms sleep."),
    ],
)
def test_what_goes_the_same_way_agrees(claim: str, sentence: str) -> None:
    assert beside(claim, sentence).side == 1


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Zinc increases the duration of colds.", "With zinc the duration of colds was significantly lower."),
        ("Zinc reduces the duration of colds.", "The duration of colds rose from 4.1 to 6.3 days with zinc."),
        ("Zinc has no effect on colds.", "Zinc led to a dramatic reduction of colds."),
        ("Zinc reduces fever.", "There was no reduction of fever with zinc."),
        ("Zinc raises fever.", "Zinc lowered fever, whereas iron raised it."),
        ("Dropout improves parsing of German.", "On German, dropout worsened parsing."),
    ],
)
def test_what_goes_the_other_way_differs(claim: str, sentence: str) -> None:
    assert beside(claim, sentence).side == -1


@pytest.mark.parametrize(
    "sentence",
    [
        "We examined whether zinc reduces the duration of colds.",
        "Does zinc reduce the duration of colds?",
        "Previous work has shown that zinc reduces the duration of colds.",
        "Patients were randomised to zinc to reduce the duration of colds.",
        "Zinc was given for the duration of colds.",
        "Zinc reduces the duration of coughs.",
        "It is not so that zinc, as many believe today, reduces the duration of colds.",
        "Zinc reduced the duration of colds " + "and this table has many words " * 12,
    ],
)
def test_nothing_is_told_of_aims_methods_other_works_and_what_is_not_understood(sentence: str) -> None:
    assert beside("Zinc reduces the duration of colds.", sentence).side == 0


def test_a_comparison_names_both_and_in_the_same_order() -> None:
    claim = "Zinc is more effective than iron against colds."
    assert beside(claim, "Zinc is effective against colds.").side == 0
    assert beside(claim, "Iron is more effective than zinc against colds.").side == 0


def test_each_direction_of_the_sentence_stands_for_one_of_the_claim() -> None:
    claim = "Loss of zinc activates the immune pathway."
    assert beside(claim, "Loss of zinc activated the immune pathway.").side == 1
    assert beside(claim, "Loss of zinc deactivated the immune pathway.").side == -1


def test_the_stance_is_told_from_a_probability_of_four_fifths() -> None:
    compared = DirectionComparison(1, 1.0, 0.0, share=1.0, directions=1)
    weights = [0.0] * (len(DIRECTION_FEATURES) + 1)
    assert likely_direction(compared, weights) is None
    likely = likely_direction(compared, [*weights[:-1], 2.0])
    assert likely is not None
    assert (likely.stance, round(likely.probability, 2)) == ("supports", 0.88)
    assert likely_direction(DirectionComparison(0, 1.0, 0.0, share=1.0), [*weights[:-1], 9.0]) is None
    assert len(direction_values(compared)) == len(DIRECTION_FEATURES)
