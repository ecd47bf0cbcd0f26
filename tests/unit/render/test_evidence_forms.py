"""What is shown of a verdict, of evidence that falls short, and of key findings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fakes_evidence import HYPOTHESIS, paper

from litterm.core.tasks import Task, run
from litterm.evidence.learned import open_extractor
from litterm.evidence.matrix.cells import CellSpending, OpenPaper, fill_cell
from litterm.evidence.strength import verdict_of_sentences
from litterm.model.document import Document
from litterm.model.evidence import Evidence, EvidenceScope, LikelyStance, Strength
from litterm.model.matrix import MatrixRequest
from litterm.model.paper import Paper, PaperId
from litterm.render import lines
from litterm.render.closeness import evidence_words, stance_label
from litterm.render.evidence import evidence_data
from litterm.render.lines import LineOptions
from litterm.render.matrix.words import cell_words
from litterm.tui.evidence.rows import evidence_rows
from litterm.tui.search.result_rows import verdict_words
from litterm.tui.state import RowVerdict
from litterm.tui.widgets.glyphs import UNICODE

DOCUMENT = paper()
RECORD = Paper(PaperId("local:dropout"), "Dropout for small corpora")
HEADING = "Key findings of the paper"


class Answering:
    """An extractor with one answer."""

    name = "answering"

    def __init__(self, answer: Evidence) -> None:
        self._answer = answer

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        yield from ()
        return self._answer


def found(hypothesis: str, *, k: int = 4, everything: bool = False) -> Evidence:
    return run(open_extractor().extract(DOCUMENT, hypothesis, k=k, scope="all", everything=everything))


def shown(evidence: Evidence) -> str:
    return "\n".join(lines.evidence(evidence, DOCUMENT, RECORD, LineOptions()))


def test_where_nothing_speaks_the_key_findings_are_named_as_such() -> None:
    text = shown(found("Zebras migrate northwards in autumn"))
    head, _, findings = text.partition(f"{HEADING}:\n")
    assert "verdict: no evidence (0.0" in head
    assert "No sentence supports or contradicts this hypothesis; key findings below." in head
    assert findings.count("\n  -  ") + findings.startswith("  -  ") == 4


def test_evidence_that_suffices_needs_no_key_findings() -> None:
    text = shown(found(HYPOTHESIS, k=3))
    assert "verdict: on topic" in text
    assert HEADING not in text


def test_key_findings_fill_up_what_is_short_and_never_repeat_it() -> None:
    evidence = found(HYPOTHESIS, k=12)
    text = shown(evidence)
    assert f"{HEADING}, not evidence:" in text
    for item in (*evidence.sentences, *evidence.key_findings):
        assert text.count(item.sentence.text) <= 1
    assert text.count("\n  -  ") == 12 - len(evidence.sentences) > 0


def test_all_that_was_asked_for_is_shown_without_key_findings() -> None:
    text = shown(found("Zebras migrate northwards in autumn", everything=True))
    assert "verdict: no evidence" in text
    assert HEADING not in text


def test_a_likely_stance_stands_beside_the_word_and_in_json_where_it_is_told() -> None:
    evidence = found(HYPOTHESIS)
    first, *others = evidence.sentences
    likely = replace(evidence, sentences=(replace(first, likely_stance=LikelyStance("refutes", 0.876)), *others))
    assert "on topic · likely refutes · " in shown(likely)
    # Beside the sentence, and beside the verdict on the paper.
    assert shown(likely).count("likely refutes") == 2
    assert evidence_data(likely, DOCUMENT)["stance"] == "likely refutes"
    unclear = replace(evidence, sentences=(replace(first, likely_stance=None), *others))
    assert evidence_data(unclear, DOCUMENT)["stance"] == "stance unclear"
    assert " · stance unclear · " in shown(unclear)
    assert [each["likely_stance"] for each in told(likely)[:2]] == [{"stance": "refutes", "probability": 0.88}, None]
    assert {each["stance"] for each in told(likely)} == {None}


@pytest.mark.parametrize(
    ("strengths", "word", "count"),
    [
        (("weak", "strong"), "on topic", "1 of 2"),
        (("medium", "weak"), "partly on topic", "2"),
        (("weak", "weak"), "mentions", "2"),
    ],
)
def test_the_papers_word_is_that_of_its_best_sentence_wherever_it_stands(
    strengths: tuple[Strength, ...], word: str, count: str
) -> None:
    evidence = found(HYPOTHESIS)
    pairs = zip(evidence.sentences, strengths, strict=False)
    sentences = tuple(replace(each, strength=strength) for each, strength in pairs)
    one = replace(evidence, sentences=sentences, verdict=verdict_of_sentences(sentences))
    assert f"verdict: {word} (" in shown(one)
    assert evidence_data(one, DOCUMENT)["closeness"] == word
    request = MatrixRequest((RECORD.id,), (HYPOTHESIS,))
    opened = OpenPaper(RECORD.id, DOCUMENT, basis="full text")
    cell = run(fill_cell(opened, Answering(one), HYPOTHESIS, request, CellSpending(lambda _spent: None)))
    assert cell_words(cell).startswith(f"{word}: {count} sentences")
    assert {row.strength for row in evidence_rows(DOCUMENT, one.sentences, (), ())} == set(strengths)
    assert (
        verdict_words(RowVerdict(2, one.verdict, evidence_words(one)), RECORD, UNICODE) == f"{UNICODE.proposed}2 {word}"
    )


def test_what_a_model_judged_is_told_without_a_likely_stance() -> None:
    assert stance_label("context", LikelyStance("refutes", 0.9)) == "context"
    assert stance_label(None, None) == ""


def told(evidence: Evidence) -> list[dict[str, object]]:
    sentences = evidence_data(evidence, DOCUMENT)["sentences"]
    assert isinstance(sentences, list)
    return sentences


@pytest.mark.parametrize(
    ("hypothesis", "verdict", "level"),
    [(HYPOTHESIS, "on topic", "strong"), ("Zebras migrate northwards", "no evidence", "nothing")],
)
def test_json_has_verdict_confidence_and_key_findings(hypothesis: str, verdict: str, level: str) -> None:
    body = evidence_data(found(hypothesis), DOCUMENT)
    assert list(body)[:5] == ["paper", "hypothesis", "by", "document", "sentences"]
    assert (body["by"], body["verdict"], body["level"]) == ("linear", verdict, level)
    assert f"verdict: {verdict} (" in shown(found(hypothesis))
    assert isinstance(body["confidence"], float)
    assert len(body["key_findings"]) == 4  # type: ignore[arg-type]
    assert bool(body["sentences"]) == (level == "strong")
