"""Sentences, marks and failures as rows of the evidence pane, and the line above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from litterm.model.annotations import LocatedMark
from litterm.model.document import Document
from litterm.model.evidence import NO_SHARED_WORD, Evidence, EvidenceSentence, Strength
from litterm.render.locator import locator
from litterm.tui.state import EvidenceRow, MarkRole

WEAK_NOTE = "No sentence here is fully on topic; these come closest."
NO_EVIDENCE_NOTE = "No sentence supports or contradicts this hypothesis"
TOO_SHORT_NOTE = "Too few sentences to say whether the paper bears on this hypothesis"
KEY_FINDINGS_NOTE = "Key findings of the paper, whatever the hypothesis. `,` returns to the hypothesis."
FAILED_NOTE = "The search for evidence failed; `.` tries again."
STOPPED_NOTE = "Stopped; what was found so far is kept."


def evidence_note(evidence: Evidence, *, findings: bool) -> str:
    """The note above the rows; empty if there is nothing to say."""
    if evidence.failed and not findings:
        count = len(evidence.failed)
        failed = f"{count} part{'s were' if count > 1 else ' was'} not judged by the model; `.` asks again."
        return f"{failed} {_weakness_note(evidence)}".strip()
    return KEY_FINDINGS_NOTE if findings else _weakness_note(evidence)


def _weakness_note(evidence: Evidence) -> str:
    if not has_evidence(evidence):
        # One sentence is enough: where no word is shared, there can be no evidence.
        otherwise = TOO_SHORT_NOTE if evidence.verdict == "unclear" else NO_EVIDENCE_NOTE
        note = NO_SHARED_WORD.rstrip(".") if NO_SHARED_WORD in evidence.notices else otherwise
        return f"{note}; key findings below." if evidence.key_findings else f"{note}."
    if any(item.stance for item in evidence.sentences):
        return ""
    is_weak_paper = evidence.verdict is None and all(item.strength == "weak" for item in evidence.sentences)
    return WEAK_NOTE if is_weak_paper or evidence.verdict == "weak" else ""


def has_evidence(evidence: Evidence) -> bool:
    """Whether the paper says anything about the hypothesis."""
    return bool(evidence.sentences) and evidence.verdict != "nothing"


def other_notices(evidence: Evidence) -> tuple[str, ...]:
    """The notices of `evidence` that its note does not say already."""
    return tuple(text for text in evidence.notices if text != NO_SHARED_WORD or has_evidence(evidence))


def relevant_marks(marks: Sequence[LocatedMark], hypothesis: str) -> tuple[LocatedMark, ...]:
    """The marks for `hypothesis` and those for no hypothesis; all marks if none is asked."""
    return tuple(mark for mark in marks if not hypothesis or mark.mark.hypothesis in (hypothesis, ""))


def decisions_by_sentence(marks: Sequence[LocatedMark], hypothesis: str) -> dict[int, LocatedMark]:
    """The decision on each sentence: one for `hypothesis` takes precedence over one for no hypothesis."""
    by_index: dict[int, LocatedMark] = {}
    # Sorted so that the hypothesis's own decision comes last and takes the place of the other.
    for mark in sorted(relevant_marks(marks, hypothesis), key=lambda mark: mark.mark.hypothesis == hypothesis):
        if mark.index is not None:
            by_index[mark.index] = mark
    return by_index


def evidence_rows(
    document: Document,
    sentences: Sequence[EvidenceSentence],
    key_findings: Sequence[EvidenceSentence],
    marks: Sequence[LocatedMark],
    *,
    hypothesis: str = "",
    is_weak_paper: bool = False,
) -> tuple[EvidenceRow, ...]:
    """Rows of evidence, then of key findings, then of sentences that only the user marked.

    `is_weak_paper`: the paper as a whole speaks weakly, so that the best of its sentences is not called strong.
    """
    decided = decided_roles(marks, hypothesis)
    rows = [
        sentence_row(document, replace(item, strength=cap_strength(item, is_weak_paper=is_weak_paper)), decided)
        for item in sentences
    ]
    # A key finding was not proposed for the hypothesis: only a decision gives it a mark, and nothing says how close it
    # comes.
    rows += [
        replace(sentence_row(document, item, decided), role=decided.get(item.sentence.index), strength=None)
        for item in key_findings
    ]
    shown_indices = {row.index for row in rows}
    own_marks = sorted(relevant_marks(marks, hypothesis), key=_place)
    return (*rows, *(_row_of_mark(document, mark) for mark in own_marks if mark.index not in shown_indices))


def decided_roles(marks: Sequence[LocatedMark], hypothesis: str) -> Mapping[int, MarkRole]:
    """The user's decision on each sentence, by its index."""
    return {index: mark.mark.kind for index, mark in decisions_by_sentence(marks, hypothesis).items()}


def extra_rows(document: Document, evidence: Evidence | None, marks: Sequence[LocatedMark]) -> tuple[EvidenceRow, ...]:
    """Rows below the evidence: failed parts, and the answer for the negated hypothesis."""
    if evidence is None:
        return ()
    # Reversed, so that of two sections of one title the first counts.
    order = {section.title: section.index for section in reversed(document.sections)}
    parts = sorted(evidence.failed, key=lambda part: order.get(part.title.rpartition(" > ")[2], 0))
    failed = [EvidenceRow(None, part.why, None, part.title or "part of the paper", part=part.key) for part in parts]
    negated_evidence = evidence.negated
    if negated_evidence is None:
        return tuple(failed)
    decided = decided_roles(marks, negated_evidence.hypothesis)
    head = EvidenceRow(None, negated_evidence.hypothesis, None, "negated hypothesis", negated=True)
    rows = (sentence_row(document, item, decided) for item in negated_evidence.sentences)
    return (*failed, head, *(replace(row, negated=True, hypothesis=negated_evidence.hypothesis) for row in rows))


def cap_strength(item: EvidenceSentence, *, is_weak_paper: bool) -> Strength:
    """The strength of a sentence; in a paper with a weak verdict no sentence is strong."""
    return "medium" if is_weak_paper and item.strength == "strong" else item.strength


def sentence_row(document: Document, item: EvidenceSentence, decided: Mapping[int, MarkRole]) -> EvidenceRow:
    """The row of a sentence that was found, with the user's decision if there is one."""
    guess: MarkRole = "strong" if item.strength == "strong" else "proposed"
    return EvidenceRow(
        index=item.sentence.index,
        text=item.sentence.text,
        role=decided.get(item.sentence.index, guess),
        locator=locator(document, item.sentence),
        rank=item.rank,
        strength=item.strength,
        terms=item.terms,
        stance=item.stance,
        reason=item.reason,
        likely=item.likely_stance,
    )


def _row_of_mark(document: Document, mark: LocatedMark) -> EvidenceRow:
    index = mark.index
    sentence = document.sentences[index] if index is not None else None
    return EvidenceRow(
        index=index,
        text=sentence.text if sentence else mark.mark.anchor.quote,
        role=mark.mark.kind,
        locator=locator(document, sentence) if sentence else "not located",
        hypothesis=mark.mark.hypothesis,
    )


def _place(mark: LocatedMark) -> tuple[bool, int]:
    return mark.index is None, mark.index if mark.index is not None else mark.mark.anchor.index
