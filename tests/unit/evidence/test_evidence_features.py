"""The surface terms, one by one, and the carrying of section kinds."""

from __future__ import annotations

import math
import time

import pytest

from litterm.evidence.candidate_pool import content_stems
from litterm.evidence.features import (
    FEATURE_NAMES,
    CandidateFeatures,
    CandidatePosition,
    RelativeCloseness,
    compute_features,
    feature_values,
    inherited_section_kinds,
    standardise,
)
from litterm.model.document import Section, SectionKind, Sentence, SentenceKind, Span

NOWHERE = RelativeCloseness(0.0, 0.0, 0.0)


def features(text: str, kind: SentenceKind = "body", section_kind: SectionKind = "results") -> CandidateFeatures:
    sentence = Sentence(0, text, Span(0, len(text)), kind, 0, 1, 1)
    place = CandidatePosition(section_kind, 0.5, 0.0 if kind == "abstract" else None, 0.25)
    return compute_features(sentence, place, NOWHERE)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("no digits here", 0),
        ("from 21.4% to 18.3%", 2),
        ("P<.05 in 1,234 cases", 2),
        ("CYP2E1 and H2O belong to names", 0),
        ("ages 12-15", 2),
    ],
)
def test_numbers_are_counted_unless_glued_to_a_letter(text: str, count: int) -> None:
    assert features(text).numbers == pytest.approx(math.log(1 + count))


@pytest.mark.parametrize(
    "text",
    [
        "as shown by Miller et al before",
        "as shown before (12)",
        "as shown before [3, 7-9]",
        "as shown before (Miller and Chen 1998; Okada 2001)",
        "as shown before.12,14",
        "as shown before¹²",
    ],
)
def test_citations_are_seen(text: str) -> None:
    assert features(text).citation == 1


@pytest.mark.parametrize("text", ["a group of twelve (n = 12)", "in the control arm (see above)", "on 3.5"])
def test_what_is_no_citation_is_not_taken_for_one(text: str) -> None:
    assert features(text).citation == 0


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("this may differ", "hedge"),
        ("further studies are needed", "hedge"),
        ("it is confounded by age", "hedge"),
        ("levels were elevated", "direction"),
        ("FEWER cells", "direction"),
        ("down-regulated genes", "direction"),
        ("differed significantly", "significance"),
        ("OR 1.3", "statistic"),
        ("95% of them", "statistic"),
        ("P = 0.03", "statistic"),
        ("mean ± SD", "statistic"),
        ("the odds ratio was", "statistic"),
        ("as has been reported", "others"),
        ("in order to see this", "aim"),
        ("we then compared both", "aim"),
        ("patients were examined twice", "aim"),
        ("in conclusion, it works", "summary"),
        ("our results agree", "summary"),
        ("it can be seen", "present"),
        ("a cohort of men", "design"),
        ("We saw it", "we"),
    ],
)
def test_cue_words_are_seen(text: str, term: str) -> None:
    assert getattr(features(text), term) == 1


@pytest.mark.parametrize(
    ("text", "term"),
    [("one or the other", "statistic"), ("the mayor spoke", "hedge"), ("a lowercase letter", "direction")],
)
def test_cue_words_are_whole_words(text: str, term: str) -> None:
    assert getattr(features(text), term) == 0


def test_the_abstract_is_neither_methods_nor_introduction() -> None:
    found = features("we did it", "abstract", "methods")
    assert (found.in_abstract, found.methods, found.first, found.heading, found.place) == (1, 0, 0, 0, 0)


def test_a_denial_counts_in_the_abstract_only() -> None:
    assert features("no association was seen", "abstract").denial_in_abstract == 1
    assert features("no association was seen").denial_in_abstract == 0


def test_terms_and_values_keep_one_order() -> None:
    found = features("ten words here")
    assert feature_values(found) == tuple(getattr(found, term) for term in FEATURE_NAMES)
    assert (found.heading, found.first) == (1.0, 1.0)


def test_section_kinds_are_carried_over_headings_that_do_not_tell() -> None:
    kinds: list[SectionKind] = ["front", "abstract", "other", "methods", "other", "results", "methods", "conclusion"]
    sections = [Section(index, "", kind=kind) for index, kind in enumerate(kinds)]
    assert inherited_section_kinds(sections) == (
        "front", "abstract", "introduction", "methods", "methods", "results", "results", "conclusion",
    )  # fmt: skip


@pytest.mark.parametrize(
    "piece", ["(A", "[1,", "(1", "12,", "(A 1", ". 1", "may ", "(12, 13", "lack", "hypothes", "we also "]
)
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    started = time.process_time()
    features(piece * 20_000)
    assert time.process_time() - started < 10


def test_z_scores_are_clipped_and_flat_columns_are_zero() -> None:
    assert standardise([3.0, 3.0]) == [0.0, 0.0]
    assert max(standardise([0.0] * 200 + [1e9])) == 6.0
    assert standardise([]) == []


def test_content_stems_keep_digits_and_ideographs_and_drop_letters_and_function_words() -> None:
    assert content_stems("The use of 5 networks, e.g. A, by 3.1") == ["5", "network", "3", "1"]
    assert content_stems("的") == ["的"]
