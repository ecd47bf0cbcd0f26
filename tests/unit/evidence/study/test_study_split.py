"""Study aspects split from a hypothesis and an abstract, without a model."""

from __future__ import annotations

import pytest

from litterm.evidence.study.split import added_words, clauses, distinct, entities, reports_result, split_offline
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.model.study_aspects import StudyAspect
from litterm.text.documents.builder import Block, build_document


def _paper(*abstract: str) -> Document:
    blocks = [Block("title", "Sleep and memory", level=0), *(Block("abstract", text) for text in abstract)]
    return build_document(PaperId("local:sleep"), blocks, origin="jsonl", parser="test")


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("Sleep improves memory in adults.", ["Sleep improves memory in adults"]),
        (
            "Short naps improved recall of nouns and reduced errors in adults.",
            ["Short naps improved recall of nouns", "Short naps reduced errors in adults"],
        ),
        ("Light and noise reduce the depth of sleep.", ["Light and noise reduce the depth of sleep"]),
        (
            "We found that naps improved recall by 12 %, whereas light at night reduced recall.",
            ["Naps improved recall by 12 %", "Light at night reduced recall"],
        ),
    ],
)
def test_a_sentence_is_split_into_clauses_with_their_subject(sentence: str, parts: list[str]) -> None:
    assert clauses(sentence) == parts


def test_things_are_named_by_several_words() -> None:
    named = entities("Critically ill neonates have higher DEHP exposure than neonates receiving routine care.")
    assert named == ["ill neonates", "DEHP exposure", "neonates receiving routine care"]


def test_the_hypothesis_comes_before_what_the_abstract_reports() -> None:
    paper = _paper(
        "Sleep is a state of rest. We tested 40 adults with a list of nouns. Recall was 12 % higher after a nap."
    )
    study = split_offline(paper, "Naps improve memory")
    assert [(aspect.text, aspect.origin, aspect.is_result) for aspect in study.aspects] == [
        ("Naps improve memory", "hypothesis", False),
        ("We tested 40 adults with a list of nouns", "abstract", False),
        ("Recall was 12 % higher after a nap", "abstract", True),
    ]
    assert study.notices == ("The study aspects were split offline from the hypothesis and the abstract.",)
    assert "no abstract" in split_offline(_paper(), "Naps improve memory").notices[0]


def test_an_aspect_that_repeats_another_one_is_left_out() -> None:
    first = StudyAspect("Naps improve recall of nouns", True, "hypothesis")
    again = StudyAspect("Recall of nouns improved", True, "abstract")
    other = StudyAspect("Light delays sleep", True, "abstract")
    assert distinct([first, again, other]) == [first, other]


def test_what_an_aspect_gives_away_is_named() -> None:
    sources = ["Naps improve recall in 40 adults."]
    assert added_words("The recall of adults improved", sources) == ()
    assert added_words("Recall improved by 12 points in 40 adults", sources) == ("12", "points")


@pytest.mark.parametrize(
    ("text", "is_result"),
    [("Recall was higher (p < .01)", True), ("We aimed to increase recall", False), ("40 adults were tested", False)],
)
def test_results_are_told_from_methods_by_their_wording(text: str, is_result: bool) -> None:
    assert reports_result(text) is is_result
