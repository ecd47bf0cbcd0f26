"""Study aspects as rows of the evidence pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.model.annotations import LocatedMark
from litterm.model.document import Document
from litterm.model.evidence import Evidence, EvidenceSentence
from litterm.model.study_aspects import AlignedAspect, StudyCoverage
from litterm.render.study_aspects import covered_words
from litterm.tui.evidence.rows import decided_roles, sentence_row
from litterm.tui.state import EvidenceRow

UNCOVERED = "uncovered"
"""Where the place of a sentence is in other rows: no sentence carries this aspect."""
_SHOWN_SENTENCES = 3
"""Sentences below an aspect; the fewest that cover all aspects come first."""


def study_rows(
    document: Document, coverage: StudyCoverage, evidence: Evidence | None, marks: Sequence[LocatedMark]
) -> tuple[EvidenceRow, ...]:
    """A row for each study aspect, the rows of its sentences below it; what is uncovered comes last."""
    decided = decided_roles(marks, coverage.study.hypothesis)
    known = {item.sentence.index: item for item in (*(evidence.sentences if evidence else ()), *coverage.cover)}
    in_cover = {item.sentence.index for item in coverage.cover}
    rows: list[EvidenceRow] = []
    numbered = list(enumerate(coverage.aligned))
    for place, item in sorted(numbered, key=lambda pair: not pair[1].sentences):
        rows.append(_aspect_row(place, item))
        for index in sorted(item.sentences, key=lambda index: index not in in_cover)[:_SHOWN_SENTENCES]:
            sentence = known.get(index)
            found = sentence or EvidenceSentence(0, document.sentences[index], 0.0, "weak")
            row = sentence_row(document, found, decided)
            # How close it comes to the whole hypothesis is known only where it is evidence for it.
            rows.append(replace(row, rank=None, strength=row.strength if sentence else None))
    return tuple(rows)


def study_note(coverage: StudyCoverage) -> str:
    """The line above the rows."""
    return " ".join((f"{covered_words(coverage)}.", *coverage.notices))


def _aspect_row(place: int, item: AlignedAspect) -> EvidenceRow:
    # Short, as the place of a sentence beside it: how many carry it.
    state = f"({len(item.sentences)})" if item.sentences else UNCOVERED
    kind = "result" if item.aspect.is_result else "aspect"
    return EvidenceRow(None, item.aspect.text, None, f"{kind} {place + 1} {state}", aspect=place)
