"""The sentences that carry study aspects, and the fewest that carry all."""

from __future__ import annotations

from litterm.core.tasks import run
from litterm.evidence.learned import open_extractor
from litterm.evidence.study.alignment import align_offline, split_and_align
from litterm.evidence.study.set_cover import smallest_cover
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.paper import PaperId
from litterm.model.study_aspects import StudyAspect, StudyAspects, StudyCoverage
from litterm.text.documents.builder import Block, build_document

_PAPER = build_document(
    PaperId("local:sleep"),
    [
        Block("title", "Sleep and memory", level=0),
        Block("heading", "Methods", level=1, section_kind="methods"),
        Block("body", "We tested 40 healthy adults with a list of nouns. Half of them took a nap of 30 minutes."),
        Block("heading", "Results", level=1, section_kind="results"),
        Block("body", "Recall of nouns was 12 % higher after a nap. Errors fell by half among those who slept."),
        Block("body", "Reaction times did not differ between both groups of adults. The weather was fine that week."),
    ],
    origin="jsonl",
    parser="test",
)


def _evidence(document: Document, hypothesis: str) -> Evidence:
    return run(open_extractor().extract(document, hypothesis, k=5, scope="all"))


def _coverage(*aspects: str) -> StudyCoverage:
    study = StudyAspects("Naps improve memory", tuple(StudyAspect(text, True, "hand") for text in aspects), "hand")
    return run(align_offline(_PAPER, study, _evidence(_PAPER, study.hypothesis)))


def _texts(coverage: StudyCoverage, place: int) -> list[str]:
    return [_PAPER.sentences[index].text for index in coverage.aligned[place].sentences]


def test_an_aspect_is_carried_by_the_sentences_that_hold_its_words_and_numbers() -> None:
    coverage = _coverage("recall of nouns rose by 12 % after a nap", "recall of nouns rose by 15 % after a nap")
    assert _texts(coverage, 0) == ["Recall of nouns was 12 % higher after a nap."]
    assert _texts(coverage, 1) == []
    assert [aspect.text for aspect in coverage.uncovered] == ["recall of nouns rose by 15 % after a nap"]


def test_what_is_uncovered_may_stand_in_figures_or_tables() -> None:
    coverage = _coverage("40 healthy adults were tested", "dreams of dragons predict lottery wins")
    assert coverage.covered_share == 0.5
    assert coverage.notices == ("50 % of the study aspects are covered; the rest may stand in figures or tables.",)
    assert _coverage("40 healthy adults were tested").notices == ()


def test_the_cover_holds_a_sentence_for_every_covered_aspect() -> None:
    coverage = _coverage(
        "40 healthy adults were tested",
        "recall of nouns after a nap",
        "reaction times of both groups",
        "a list of nouns",
    )
    chosen = {item.sentence.index for item in coverage.cover}
    assert all(chosen & set(item.sentences) for item in coverage.aligned)
    assert len(chosen) == 3
    assert [item.rank for item in coverage.cover] == [1, 2, 3]


def test_a_clause_that_no_sentence_carries_is_followed_by_the_things_it_names() -> None:
    hypothesis = "Caffeine withdrawal symptoms predict healthy adults"
    coverage = run(split_and_align(_PAPER, hypothesis, _evidence(_PAPER, hypothesis)))
    assert [item.aspect.text for item in coverage.aligned] == [
        hypothesis,
        "Caffeine withdrawal symptoms",
        "Healthy adults",
    ]
    assert [bool(item.sentences) for item in coverage.aligned] == [False, False, True]


def test_greedy_cover_takes_what_covers_most_then_what_is_worth_more_then_what_is_earlier() -> None:
    assert smallest_cover([{1, 5}, {2, 5}, {3, 5}], {}) == (5,)
    assert smallest_cover([{1, 2}, {7, 9}], {2: 0.5}) == (2, 7)
    assert smallest_cover([set(), {4}], {}) == (4,)
    assert smallest_cover([], {}) == ()
