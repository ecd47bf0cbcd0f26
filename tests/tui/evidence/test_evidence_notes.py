"""What is said above the evidence never contradicts the verdict."""

from __future__ import annotations

from dataclasses import replace

from litterm.core.tasks import run
from litterm.evidence.learned import open_extractor
from litterm.model.evidence import Evidence
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import abstract_document
from litterm.tui.evidence.rows import NO_EVIDENCE_NOTE, WEAK_NOTE, evidence_note


def of_a_title() -> Evidence:
    document = abstract_document(Paper(PaperId("acl:A"), "Structured Pruning Adapters"))
    return run(open_extractor().extract(document, "structured pruning", k=5, scope="all"))


def test_a_verdict_speaks_for_itself_and_weak_sentences_only_without_one() -> None:
    found = of_a_title()
    assert (found.verdict, [each.strength for each in found.sentences]) == ("strong", ["strong"])
    weak = replace(found, sentences=tuple(replace(each, strength="weak") for each in found.sentences))
    assert evidence_note(found, findings=False) == evidence_note(weak, findings=False) == ""
    assert evidence_note(replace(found, verdict="weak"), findings=False) == WEAK_NOTE
    assert evidence_note(replace(weak, verdict=None), findings=False) == WEAK_NOTE
    assert evidence_note(replace(found, verdict=None), findings=False) == ""
    assert evidence_note(replace(found, verdict="nothing"), findings=False).startswith(NO_EVIDENCE_NOTE)
