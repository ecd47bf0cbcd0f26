"""This hypothesis: what states the claim comes first and is said to; one scale tells papers and sentences."""

from __future__ import annotations

import pytest
from fakes_evidence import plain

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.evidence.features import letter_ngrams, measure_closeness
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import find_occurrences, stem_similarity
from litterm.evidence.language.rhetorical_role import rhetorical_roles
from litterm.evidence.learned import open_extractor
from litterm.evidence.strength import logit, strength_of_probability, strength_of_share
from litterm.model.document import Document
from litterm.model.evidence import Evidence, Strength
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

CLAIM = "Birth order has no bearing on hay fever."
TOLD_LAST = (
    "BACKGROUND Asthma places a heavy burden on children and their families.",
    "METHODS We followed 2,104 children from birth to the age of nine in three towns.",
    "RESULTS Breastfeeding for six months lowered the risk of asthma by 31% (95% CI 18% to 42%, p < 0.001).",
    "Smoking at home raised the risk of asthma twofold, and the effect grew with the number of smokers (p < 0.01).",
    "We found that birth order had no bearing on hay fever.",
)


def abstract(*sentences: str, title: str = "Breastfeeding and asthma in childhood") -> Document:
    blocks = (
        Block("title", title),
        Block("heading", "Abstract", section_kind="abstract"),
        Block("abstract", sentences=sentences),
    )
    return build_document(PaperId("local:x"), blocks, origin="jsonl", parser="test")


def extract(document: Document, claim: str = CLAIM) -> Evidence:
    return run(open_extractor().extract(document, claim, k=10, scope="all"))


def test_the_sentence_that_states_the_claim_comes_before_the_main_finding_and_is_said_to_state_it() -> None:
    evidence = extract(abstract(*TOLD_LAST))
    assert evidence.sentences[0].sentence.text == TOLD_LAST[-1]
    assert evidence.sentences[0].strength == "strong"
    assert evidence.verdict == "strong"


def test_the_main_finding_is_not_said_to_state_what_it_does_not() -> None:
    evidence = extract(abstract(*TOLD_LAST))
    others = [found.strength for found in evidence.sentences if found.sentence.text != TOLD_LAST[-1]]
    assert "strong" not in others
    assert evidence.key_findings[0].sentence.text == TOLD_LAST[2]


@pytest.mark.parametrize("claim", [CLAIM, "Smoking at home raises the risk of asthma.", "Children get hay fever."])
def test_the_papers_word_is_never_stronger_than_the_sentences_shown(claim: str) -> None:
    for document in (abstract(*TOLD_LAST), abstract(*TOLD_LAST[:4]), abstract(TOLD_LAST[0]), plain(*TOLD_LAST * 8)):
        evidence = extract(document, claim)
        shown: set[Strength] = {found.strength for found in evidence.sentences}
        assert (evidence.verdict == "strong") == ("strong" in shown)
        # Of the single sentence nothing is said.
        assert (evidence.verdict in ("nothing", "unclear")) == (not shown)
        assert (evidence.confidence is None) == (document.sentences[-1].text == TOLD_LAST[0])


def test_closeness_counts_words_that_begin_alike_and_the_sentence_before() -> None:
    document = plain(
        "The receptor FOXO3 was studied in neurons of adult mice.",
        "Its activation leads to death within four hours.",
        "Nothing of interest was ever seen by anybody there.",
    )
    pool = run(build_candidate_pool(document))
    claim = "FOXO3a activation causes death"
    near = run(measure_closeness(document, pool, find_occurrences(read_hypothesis(claim), pool), claim)).rows
    assert near[1].in_context > max(near[0].share, near[1].share)
    assert min(near[0].share, near[1].share) > 0.3
    assert near[2].letters == near[2].precision == 0
    assert all(0 <= number <= 1 for one in near for number in (one.share, one.in_context, one.letters, one.precision))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("zinc", "zinc", 1.0),
        ("foxo3a", "foxo", 0.8),
        ("il6", "il6r", 0.6),
        ("oncogen", "oncogenic", 0.8),
        ("men", "mend", 0.6),
    ],
)
def test_stems_are_alike_by_their_beginning(one: str, other: str, expected: float) -> None:
    assert stem_similarity(one, other) == stem_similarity(other, one) == expected


@pytest.mark.parametrize(("one", "other"), [("cat", "car"), ("ion", "motion"), ("a", "ab"), ("", "x")])
def test_stems_that_begin_otherwise_are_not(one: str, other: str) -> None:
    assert stem_similarity(one, other) == 0


def test_a_claim_of_any_length_is_spelled_in_a_bounded_number_of_pieces() -> None:
    assert letter_ngrams("ab")
    assert letter_ngrams("Zinc") == (" zin", "zinc", "inc ")
    assert len(letter_ngrams(" ".join(str(number) for number in range(10_000)))) == 400


def test_a_label_of_a_structured_abstract_holds_until_the_next_and_not_beyond_the_abstract() -> None:
    blocks = (
        Block(
            "abstract",
            sentences=("RESULTS Zinc helped all patients.", "It did so in a week.", "CONCLUSIONS Zinc helps."),
        ),
        Block("body", sentences=("Zinc is a metal that many foods contain.",)),
    )
    document = build_document(PaperId("local:x"), blocks, origin="jsonl", parser="test")
    told = list(rhetorical_roles(document.sentences))
    assert [one.in_results for one in told] == [1, 1, 0, 0]
    assert [one.in_conclusion for one in told] == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("label", "part"),
    [
        ("Methods:", "before"),
        ("BACKGROUND.", "before"),
        ("Materials and Methods —", "before"),
        ("Aim(s) of the study:", "before"),
        ("Main Outcome Measures:", "before"),
        ("Results and discussion:", "results"),
        ("Findings -", "results"),
        ("Conclusion(s):", "conclusion"),
        ("Authors’ conclusions:", "conclusion"),
        ("Objective", ""),
        ("Data", ""),
        ("Patients with results:", ""),
    ],
)
def test_labels_are_known_in_their_usual_spellings_and_not_without_punctuation(label: str, part: str) -> None:
    document = abstract(f"{label} Zinc was taken for a week.")
    role = list(rhetorical_roles(document.sentences))[-1]
    assert (role.before_results, role.in_results, role.in_conclusion) == tuple(
        float(part == name) for name in ("before", "results", "conclusion")
    )


def test_headings_within_an_abstract_are_labels_too() -> None:
    blocks = (
        Block("heading", "Abstract", section_kind="abstract"),
        Block("heading", "Materials and methods", level=2, section_kind="abstract"),
        Block("abstract", sentences=("Zinc was taken for a week.",)),
        Block("heading", "Conclusion", level=2, section_kind="abstract"),
        Block("abstract", sentences=("Zinc is of use.",)),
        Block("heading", "Results", section_kind="results"),
        Block("body", sentences=("Zinc is a metal that many foods contain.",)),
    )
    document = build_document(PaperId("local:x"), blocks, origin="jats", parser="test")
    headings = [section.title for section in document.sections]
    roles = dict(zip(document.sentences, rhetorical_roles(document.sentences, headings), strict=True))
    by_text = {sentence.text: role for sentence, role in roles.items()}
    assert by_text["Zinc was taken for a week."].before_results
    assert by_text["Zinc is of use."].in_conclusion
    assert not by_text["Zinc is of use."].before_results
    assert not by_text["Zinc is a metal that many foods contain."].in_results


def test_words_follow_probabilities_and_without_weights_the_share_held() -> None:
    assert [strength_of_probability(value) for value in (0.0, 0.3, 0.59, 0.6, 1.0)] == [
        "weak",
        "medium",
        "medium",
        "strong",
        "strong",
    ]
    assert [strength_of_share(value) for value in (0.1, 0.3, 0.6)] == ["weak", "medium", "strong"]
    assert logit(0.5) == 0
    assert (logit(0.0), logit(1.0)) == (-4, 4)


def test_a_record_of_few_sentences_is_not_said_to_hold_nothing() -> None:
    elsewhere = "Zebras migrate northwards in autumn."
    short, enough = extract(abstract(*TOLD_LAST[:3]), elsewhere), extract(abstract(*TOLD_LAST), elsewhere)
    assert (short.verdict, short.confidence, short.sentences) == ("unclear", None, ())
    assert (enough.verdict, enough.sentences) == ("nothing", ())
    assert enough.confidence is not None and enough.confidence < 0.15
    # What is near the claim is shown by its own closeness.
    assert extract(abstract(CLAIM), CLAIM).sentences
