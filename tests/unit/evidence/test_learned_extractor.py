"""The fitted extractor: two readings, a verdict, a floor, and every shape of document."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from documents import page
from fakes_evidence import ABSTRACT, HYPOTHESIS, METHODS, RESULTS, SHAPES, long_document, paper, plain
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.core.errors import BadInput
from litterm.core.tasks import run
from litterm.evidence.candidate_pool import BATCH_SIZE
from litterm.evidence.features import CLAIM_FEATURE_NAMES, FEATURE_NAMES
from litterm.evidence.language.concepts import FREQUENCY_FILE as BACKGROUND
from litterm.evidence.learned import (
    MIN_HYPOTHESIS_SHARE,
    NO_EVIDENCE_THRESHOLD,
    LinearExtractor,
    open_extractor,
    verdict_of_paper,
)
from litterm.evidence.strength import strength_rank
from litterm.evidence.verdict import VERDICT_FEATURES, VerdictFeatures, evidence_probability
from litterm.evidence.weights import WEIGHTS_FILE, read_weights
from litterm.interfaces import EvidenceExtractor
from litterm.model.document import Document
from litterm.model.events import Event, EvidenceFound, Progress
from litterm.model.evidence import Evidence, EvidenceScope
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import abstract_document, build_document

SHIPPED: EvidenceExtractor = open_extractor()
ELSEWHERE = "Zebras migrate northwards in autumn"


def extract(
    document: Document,
    hypothesis: str = HYPOTHESIS,
    *,
    k: int = 10,
    scope: EvidenceScope = "all",
    everything: bool = False,
) -> Evidence:
    return run(SHIPPED.extract(document, hypothesis, k=k, scope=scope, everything=everything))


def texts(evidence: Evidence) -> list[str]:
    return [found.sentence.text for found in evidence.sentences]


def test_the_sentence_that_states_the_hypothesis_comes_first() -> None:
    evidence = extract(paper(), k=3)
    assert texts(evidence)[0] == ABSTRACT[1]
    assert set(evidence.sentences[0].terms) >= {"Dropout", "lowers", "error", "corpora"}
    assert [found.rank for found in evidence.sentences] == [1, 2, 3]
    assert (evidence.by, evidence.notices) == ("linear", ())


def test_a_paper_on_the_hypothesis_gets_a_strong_verdict_and_one_on_something_else_nothing() -> None:
    assert extract(paper()).verdict == "strong"
    assert extract(paper(), f"{HYPOTHESIS[:-1]} by 4173 units in 23x as many of 2873.").verdict == "strong"
    elsewhere = extract(paper(), ELSEWHERE)
    assert (elsewhere.verdict, elsewhere.sentences) == ("nothing", ())
    assert elsewhere.confidence is not None
    assert elsewhere.confidence < 0.1


def test_where_nothing_speaks_the_key_findings_are_still_there() -> None:
    assert len(extract(paper(), ELSEWHERE, k=5).key_findings) == 5


def test_everything_gives_as_many_as_asked_for() -> None:
    evidence = extract(paper(), ELSEWHERE, k=5, everything=True)
    assert len(evidence.sentences) == 5
    assert evidence.verdict == "nothing"


def test_what_holds_too_little_of_the_hypothesis_is_no_evidence() -> None:
    shown, every = extract(paper(), k=100), extract(paper(), k=100, everything=True)
    assert 0 < len(shown.sentences) < len(every.sentences) == 13
    kept = [text for text in texts(every) if text in texts(shown)]
    assert texts(shown) == kept
    assert "We thank the system administrators for their patience with us." not in kept
    assert [found.rank for found in shown.sentences] == list(range(1, len(kept) + 1))
    assert 0 < MIN_HYPOTHESIS_SHARE < 1


def test_nothing_is_shown_on_the_way_that_is_no_evidence_in_the_end() -> None:
    events: list[Event] = []
    run(SHIPPED.extract(paper(), ELSEWHERE, k=5, scope="all"), events.append)
    assert not [event for event in events if isinstance(event, EvidenceFound)]
    run(SHIPPED.extract(paper(), HYPOTHESIS, k=5, scope="all"), events.append)
    sections = [event.section for event in events if isinstance(event, EvidenceFound)]
    assert sections[:1] == ["Abstract"]
    assert "Acknowledgements" not in sections


def test_key_findings_listen_less_than_evidence() -> None:
    document, other = paper(), "Training took longer when units were dropped."
    changed = [extract(document, hypothesis, k=6, everything=True) for hypothesis in (HYPOTHESIS, other)]
    findings = [{found.sentence.index for found in evidence.key_findings} for evidence in changed]
    evidence = [{found.sentence.index for found in one.sentences} for one in changed]
    assert len(findings[0] & findings[1]) >= len(evidence[0] & evidence[1])
    assert RESULTS[-1] in texts(changed[1])[:2]


@pytest.mark.parametrize(
    ("document", "judge"), [(plain(*RESULTS, *METHODS), "verdict_abstract"), (long_document(60), "verdict_full_text")]
)
def test_an_abstract_or_a_fragment_is_judged_by_weights_of_its_own(document: Document, judge: str) -> None:
    constant = {
        each: (*[0.0] * len(VERDICT_FEATURES), 9.0 if each == judge else -9.0)
        for each in ("verdict_abstract", "verdict_full_text")
    }
    extractor = LinearExtractor(replace(read_weights().shipped, **constant))
    assert run(extractor.extract(document, HYPOTHESIS, k=1, scope="all")).confidence == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize(("document", "has_own_first"), [(plain(*RESULTS), False), (long_document(60), True)])
def test_the_first_sentence_of_a_full_text_has_weights_of_its_own(document: Document, has_own_first: bool) -> None:
    shipped = read_weights().shipped
    opposite = replace(shipped, claim_first=tuple(-weight for weight in shipped.claim_first))
    answers = [
        run(LinearExtractor(weights).extract(document, HYPOTHESIS, k=5, scope="all", everything=True))
        for weights in (shipped, opposite)
    ]
    firsts = [texts(answer)[0] for answer in answers]
    assert (firsts[0] != firsts[1]) == has_own_first
    assert [[found.rank for found in answer.sentences] for answer in answers] == [
        [*range(1, len(texts(answers[0])) + 1)]
    ] * 2


def long_text(*sentences: str) -> Document:
    filler = [f"Machine {number} was switched on by somebody every morning." for number in range(40)]
    return plain(*sentences, *filler)


def shortest_first(document: Document) -> Evidence:
    """By weights that put the shortest sentence first, whatever it says."""
    by_length = tuple(-9.0 * (name == "length") for name in CLAIM_FEATURE_NAMES)
    extractor = LinearExtractor(replace(read_weights().shipped, claim_first=by_length))
    return run(extractor.extract(document, HYPOTHESIS, k=60, scope="all", everything=True))


def test_the_first_sentence_is_never_weaker_than_the_one_that_covers_most() -> None:
    short = "Dropout has been applied here."
    evidence = shortest_first(long_text(*RESULTS, short))
    strength = {found.sentence.text: strength_rank(found.strength) for found in evidence.sentences}
    best = max(evidence.sentences, key=lambda found: found.score)
    assert strength[texts(evidence)[0]] >= strength_rank(best.strength) > strength[short]


def test_a_numbered_heading_in_the_text_does_not_come_first() -> None:
    title = "Dropout lowers the error of deep networks on corpora."
    assert texts(shortest_first(long_text(title, HYPOTHESIS)))[0] == title
    evidence = shortest_first(long_text(f"4.2 {title.removesuffix(' on corpora.')}", HYPOTHESIS))
    assert texts(evidence)[0] == HYPOTHESIS
    assert len(texts(evidence)) == 42


def test_results_scope_puts_results_before_methods() -> None:
    evidence = extract(paper(abstract=()), k=2, scope="results")
    assert set(texts(evidence)) <= set(RESULTS)
    assert not set(texts(evidence)) & set(METHODS)


def test_withheld_kinds_are_read_but_not_chosen() -> None:
    weights = read_weights().shipped
    extractor = LinearExtractor(weights, withheld={"abstract"})
    evidence = run(extractor.extract(paper(), HYPOTHESIS, k=20, scope="all", everything=True))
    assert {found.sentence.kind for found in (*evidence.sentences, *evidence.key_findings)} == {"body"}
    assert evidence.sentences[0].score == pytest.approx(
        next(f.score for f in extract(paper(), everything=True).sentences if f.sentence.kind == "body")
    )


@pytest.mark.parametrize(("document", "hypothesis", "expected"), SHAPES)
def test_every_shape_of_document_has_an_answer(document: Document, hypothesis: str, expected: str | None) -> None:
    for scope in ("all", "results"):
        evidence = extract(document, hypothesis, scope=scope)
        assert evidence.key_findings
        assert evidence.verdict == verdict_of_paper(evidence.confidence, evidence.sentences)
        said = " ".join(evidence.notices)
        assert (expected in said) if expected else not said


def test_the_same_words_in_another_language_are_evidence() -> None:
    greek = plain(*("Η μέθοδος μειώνει το σφάλμα των νευρωνικών δικτύων σε μικρά σώματα.",) * 12)
    assert extract(greek, "μειώνει το σφάλμα", k=3).sentences


def test_a_document_without_text_gives_nothing_but_a_notice() -> None:
    evidence = extract(build_document(PaperId("local:x"), [], origin="pdf", parser="test"))
    assert (evidence.sentences, evidence.key_findings, evidence.verdict) == ((), (), "nothing")
    assert evidence.notices == ("This document holds no sentence.",)


def test_five_thousand_sentences_can_be_stopped_between_any_two_stretches_and_any_few_picks() -> None:
    events = list(SHIPPED.extract(long_document(5000), HYPOTHESIS, k=10, scope="results"))
    steps: dict[str, list[int]] = {}
    for event in events:
        if isinstance(event, Progress):
            steps.setdefault(event.what, []).append(event.done)
    assert {"reading the paper", "weighing words", "comparing with all sentences", "Everything"} <= steps.keys()
    for what, done in steps.items():
        most = 3 if what == "choosing sentences" else BATCH_SIZE
        assert max((later - earlier for earlier, later in pairwise(done)), default=0) <= most, what


def test_a_second_hypothesis_finds_the_paper_read_and_gets_the_answer_it_would_have_got_alone() -> None:
    def steps(document: Document, hypothesis: str) -> set[str]:
        task = kept.extract(document, hypothesis, k=5, scope="all")
        return {event.what for event in task if isinstance(event, Progress)}

    kept, document = open_extractor(), paper()
    assert "reading the paper" in steps(document, HYPOTHESIS)
    assert "reading the paper" not in steps(document, ELSEWHERE)
    assert "reading the paper" in steps(paper(), HYPOTHESIS)
    for hypothesis in (ELSEWHERE, HYPOTHESIS):
        alone = run(open_extractor().extract(document, hypothesis, k=5, scope="all"))
        assert run(kept.extract(document, hypothesis, k=5, scope="all")) == alone


def test_weights_that_cannot_be_read_leave_the_untrained_floor_and_a_notice(tmp_path: Path) -> None:
    extractor = open_extractor(tmp_path / "none.json")
    evidence = run(extractor.extract(paper(), HYPOTHESIS, k=3, scope="all"))
    assert (evidence.by, evidence.verdict, len(evidence.sentences)) == ("h1", None, 3)
    assert "none.json" in evidence.notices[0]
    assert "h1" in evidence.notices[0]


@pytest.mark.parametrize(
    "change",
    [
        {"form": 1},
        {"terms": [*FEATURE_NAMES][::-1]},
        {"signs": []},
        {"weights": {"key_findings": [1.0]}},
        {"folds": [{"papers": ["x"]}]},
        {"weights": 3},
    ],
    ids=["another form", "other terms", "other signs", "too few weights", "a fold without weights", "no weights"],
)
def test_weights_made_for_something_else_are_refused_by_name(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({**json.loads(WEIGHTS_FILE.read_text("utf-8")), **change}))
    with pytest.raises(BadInput, match=r"weights\.json"):
        read_weights(path)


def test_the_shipped_weights_say_where_they_come_from() -> None:
    record = json.loads(WEIGHTS_FILE.read_text("utf-8"))
    assert all(len(source["sha256"]) == 64 for source in record["data"])
    assert record["scores"]
    assert len(record["made"]) == 10
    trained = read_weights()
    assert len(trained.folds) == 5
    assert len(set().union(*(fold.papers for fold in trained.folds))) == sum(len(f.papers) for f in trained.folds)
    assert trained.weights_without("no such paper") is None


def test_the_weights_are_fitted_with_the_word_frequencies_shipped_and_those_name_their_inputs() -> None:
    table = BACKGROUND.read_bytes()
    assert json.loads(WEIGHTS_FILE.read_text("utf-8"))["background"] == hashlib.sha256(table).hexdigest()
    head = [line for line in table.decode().splitlines() if line.startswith("#")]
    assert head[0].startswith("# Made by python -m litterm_training.document_frequency.")
    assert all(re.fullmatch(r"# Read: \S+ [0-9a-f]{64}", line) for line in head[1:])
    assert len(head) > 2


def test_the_guide_counts_the_weights_as_they_are() -> None:
    said = " ".join(page("docs/guide/evidence.md").split())
    weights = read_weights().shipped
    counts = (weights.key_findings, weights.verdict_full_text, weights.claim_abstract, weights.strength, weights.stance)
    told = (
        "{} for each of two scopes, {} for each of two verdicts, {} for each of four readings of a claim, "
        "{} for the words, {} for the likely stance"
    )
    assert told.format(*map(len, counts)) in said


def test_no_sign_speaks_against_the_paper() -> None:
    weights = read_weights().shipped
    for fitted in (weights.verdict_full_text, weights.verdict_abstract):
        assert min(fitted[:-1]) >= 0
        assert evidence_probability(VerdictFeatures(*[0.0] * len(VERDICT_FEATURES)), fitted) < 0.1
        assert evidence_probability(VerdictFeatures(1, 1, 3, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1), fitted) > 0.9


def test_a_paper_that_hardly_speaks_to_the_hypothesis_says_nothing_whatever_its_sentences() -> None:
    sentences = extract(paper()).sentences
    assert verdict_of_paper(NO_EVIDENCE_THRESHOLD - 0.01, sentences) == "nothing"
    assert verdict_of_paper(NO_EVIDENCE_THRESHOLD, sentences) == "strong"
    assert verdict_of_paper(1.0, ()) == "nothing"


SENTENCES = st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(sentences=SENTENCES, k=st.integers(1, 30))
def test_any_text_gives_sentences_of_the_document_once_each(sentences: list[str], k: int) -> None:
    document = plain(*sentences)
    evidence = extract(document, "dropout lowers error", k=k, everything=True)
    for chosen in (evidence.sentences, evidence.key_findings):
        rows = [found.sentence for found in chosen]
        assert len({row.index for row in rows}) == len(rows) <= k
        assert all(document.sentences[row.index] == row for row in rows)
        assert bool(rows) == bool(document.sentences)


def test_an_english_title_alone_is_not_taken_for_a_foreign_language() -> None:
    evidence = extract(abstract_document(Paper(PaperId("acl:A"), "Structured Pruning Adapters")), "structured pruning")
    assert not [notice for notice in evidence.notices if "English" in notice]
