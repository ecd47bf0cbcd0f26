"""Sentences, marks and failures as rows of the evidence pane, and the line above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from litterm.model.annotations import LocatedMark
from litterm.model.document import Document
from litterm.model.evidence import Evidence, EvidenceSentence, Strength
from litterm.render.locator import locator
from litterm.tui.state import EvidenceRow, MarkRole

WEAK = "No sentence here is fully on topic; these come closest."
NONE = "No sentence supports or contradicts this hypothesis"
KEY_FINDINGS = "Key findings of the paper, whatever the hypothesis. `,` returns to the hypothesis."
FAILED = "The search for evidence failed; `.` tries again."
STOPPED = "Stopped; what was found so far is kept."


def note_of(evidence: Evidence, *, findings: bool) -> str:
    """What must be known before reading the rows; empty where nothing."""
    if evidence.failed and not findings:
        count = len(evidence.failed)
        failed = f"{count} part{'s were' if count > 1 else ' was'} not judged by the model; `.` asks again."
        return f"{failed} {_faint(evidence)}".strip()
    return KEY_FINDINGS if findings else _faint(evidence)


def _faint(evidence: Evidence) -> str:
    if not speaks(evidence):
        return f"{NONE}; key findings below." if evidence.key_findings else f"{NONE}."
    if any(item.stance for item in evidence.sentences):
        return ""
    faint = evidence.verdict is None and all(item.strength == "weak" for item in evidence.sentences)
    return WEAK if faint or evidence.verdict == "weak" else ""


def speaks(evidence: Evidence) -> bool:
    """Whether the paper says anything about the hypothesis."""
    return bool(evidence.sentences) and evidence.verdict != "nothing"


def rows_of(
    document: Document,
    found: Sequence[EvidenceSentence],
    key: Sequence[EvidenceSentence],
    marks: Sequence[LocatedMark],
    *,
    faint: bool = False,
) -> tuple[EvidenceRow, ...]:
    """Evidence, then key findings, which are none, then what the user marked beside them.

    `faint`: the paper as a whole speaks weakly, so that the best of its sentences is not called strong.
    """
    decided: Mapping[int, MarkRole] = {mark.index: mark.mark.kind for mark in marks if mark.index is not None}
    rows = [proposed(document, replace(item, strength=capped(item, faint=faint)), decided) for item in found]
    rows += [replace(proposed(document, item, decided), role=decided.get(item.sentence.index)) for item in key]
    shown = {row.index for row in rows}
    return (*rows, *(_own(document, mark) for mark in sorted(marks, key=_place) if mark.index not in shown))


def aside(document: Document, evidence: Evidence | None, marks: Sequence[LocatedMark]) -> tuple[EvidenceRow, ...]:
    """What stands below the evidence: parts that failed, and the answer for the negated hypothesis."""
    if evidence is None:
        return ()
    order = {section.title: section.index for section in reversed(document.sections)}
    parts = sorted(evidence.failed, key=lambda part: order.get(part.title.rpartition(" > ")[2], 0))
    failed = [EvidenceRow(None, part.why, None, part.title or "part of the paper", part=part.key) for part in parts]
    other = evidence.negated
    if other is None:
        return tuple(failed)
    decided: Mapping[int, MarkRole] = {mark.index: mark.mark.kind for mark in marks if mark.index is not None}
    head = EvidenceRow(None, other.hypothesis, None, "negated hypothesis", negated=True)
    found = (proposed(document, item, decided) for item in other.sentences)
    return (*failed, head, *(replace(row, negated=True, hypothesis=other.hypothesis) for row in found))


def capped(item: EvidenceSentence, *, faint: bool) -> Strength:
    """The strength of a sentence within its paper, but in a paper that speaks weakly none is strong."""
    return "medium" if faint and item.strength == "strong" else item.strength


def proposed(document: Document, item: EvidenceSentence, decided: Mapping[int, MarkRole]) -> EvidenceRow:
    """A sentence that was found, as decided on if it is."""
    guess: MarkRole = "strong" if item.strength == "strong" else "proposed"
    return EvidenceRow(
        index=item.sentence.index,
        text=item.sentence.text,
        role=decided.get(item.sentence.index, guess),
        locator=locator(document, item.sentence),
        rank=item.rank,
        strength=item.strength,
        score=item.score,
        terms=item.terms,
        stance=item.stance,
        reason=item.reason,
        likely=item.likely_stance,
    )


def _own(document: Document, mark: LocatedMark) -> EvidenceRow:
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
