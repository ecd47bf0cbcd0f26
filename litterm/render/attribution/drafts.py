"""The marks and citations of a draft with their candidates: as lines, as vim's quickfix list, as JSON for editors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from litterm.model.attribution.citation import Candidate
from litterm.model.attribution.draft import (
    CheckedCitation,
    CitationSupport,
    DraftProject,
    FilePosition,
    MarkAnswer,
    ReviewedDraft,
)
from litterm.render.attribution.candidates import CandidateData, StatedData, cite_data
from litterm.render.attribution.trajectory import StepData, VoteData
from litterm.render.closeness import strength_words
from litterm.render.lines import LineOptions, percent
from litterm.render.names import short_authors, venue_and_year
from litterm.text.escape import plain


class PositionData(TypedDict):
    """Where a mark or citation stands in a draft; lines and columns from 1."""

    line: int
    column: int
    byte_column: int
    start: int
    end: int


class DraftData(TypedDict):
    """A draft with the files that it takes in."""

    file: str
    files: list[str]
    form: str
    bibliographies: list[str]
    notices: list[str]


class PlacedMarkData(PositionData):
    """An open mark of a draft and what an editor replaces."""

    file: str
    excerpt: str
    candidates: list[CandidateData]
    replace: list[int]
    before: str
    after: str
    trouble: str


class DraftMarkData(PlacedMarkData):
    """An open mark of a draft; with the fields of `cite` where it could be answered."""

    by: NotRequired[str]
    steps: NotRequired[list[StepData]]
    lint: NotRequired[str | None]
    mark: NotRequired[int]
    marks: NotRequired[int]
    notices: NotRequired[list[str]]
    verdict: NotRequired[str | None]
    confidence: NotRequired[float | None]
    kind: NotRequired[str]
    claim: NotRequired[list[int]]
    stated: NotRequired[StatedData]
    online_query: NotRequired[str]
    trajectory: NotRequired[str]
    votes: NotRequired[list[VoteData]]


class DraftMarksData(DraftData):
    """The answer of `cite --file`."""

    count: int
    marks: list[DraftMarkData]


class SupportData(TypedDict):
    """A sentence of the cited paper."""

    index: int
    text: str
    strength: str
    closeness: str
    locator: str


class CheckedCitationData(PositionData):
    """A citation of a draft, checked."""

    file: str
    key: str
    claim: str
    support: str
    id: str | None
    title: str
    by: str
    sentences: list[SupportData]
    notices: list[str]


class DraftCheckData(DraftData):
    """The answer of `cite --file --check`."""

    count: int
    citations: list[CheckedCitationData]


SUPPORT_WORDS: dict[CitationSupport, str] = {
    "supported": "supported",
    "weak": "weak support",
    "nothing": "no support found",
    "contradicted": "likely contradicted",
    "title only": "only its title is known",
    "absent": "not in your library",
    "unreadable": "no claim to look for",
}
"""Each outcome of a check in words."""
_MAX_CANDIDATES_SHOWN = 3
"""Candidates a mark in lines for people; the rest are in the JSON."""


def review_lines(review: ReviewedDraft, options: LineOptions) -> list[str]:
    """For each open mark of a draft its place, its sentence, and the first candidates with their keys."""
    lines: list[str] = []
    for answer in review.answers:
        place = _place_words(answer.path, answer.mark.position)
        lines.append(options.join([options.paint(place, "bold"), options.text(verdict(answer))]))
        lines += options.block(claim(answer), indent=5, style="mark")
        for item in (answer.attribution.candidates if answer.attribution else ())[:_MAX_CANDIDATES_SHOWN]:
            lines += _candidate(item, review, options)
        lines.append("")
    return lines[:-1]


def claim(answer: MarkAnswer) -> str:
    """The part of the draft that the mark supports."""
    if answer.attribution is None:
        return answer.mark.excerpt
    excerpt = answer.attribution.excerpt
    return excerpt.text[excerpt.claim.start : excerpt.claim.end] or excerpt.text


def verdict(answer: MarkAnswer) -> str:
    """The outcome of a mark in a few words; empty if a candidate was found."""
    if answer.attribution is None:
        return answer.error
    if answer.attribution.verdict == "absent" or not answer.attribution.candidates:
        return f"probably not in your library; search elsewhere for: {answer.attribution.online_query}"
    return "" if answer.attribution.verdict == "found" else "not sure"


def _candidate(item: Candidate, review: ReviewedDraft, options: LineOptions) -> list[str]:
    probability = f"{percent(item.confidence)}  " if item.confidence is not None else ""
    held = "in your bibliography" if item.paper.id in review.held else ""
    facts = (review.keys[item.paper.id], short_authors(item.paper), venue_and_year(item.paper), held)
    return [
        *options.block(item.paper.title, indent=10, first=f"{item.rank:>3}  {probability}"),
        "     " + options.join(options.text(part) for part in facts if part),
    ]


def quickfix(review: ReviewedDraft) -> list[str]:
    """One line `file:line:column: key title` for each mark, the column in bytes as vim counts."""
    lines = []
    for answer in review.answers:
        # With the verdict "absent" the paper is probably not in the library: no key of another is offered.
        best = (
            answer.attribution.candidates[:1] if answer.attribution and answer.attribution.verdict != "absent" else ()
        )
        message = f"{review.keys[best[0].paper.id]} {best[0].paper.title}" if best else f"? {verdict(answer)}"
        lines.append(_quickfix_line(answer.path, answer.mark.position, message))
    return lines


def check_quickfix(citations: Sequence[CheckedCitation]) -> list[str]:
    """One line `file:line:column: key outcome: best sentence` for each cited key."""
    return [
        _quickfix_line(
            checked.path,
            checked.citation.position,
            ": ".join([f"{checked.key} {SUPPORT_WORDS[checked.support]}", *_sentence_texts(checked)[:1]]),
        )
        for checked in citations
    ]


def check_lines(citations: Sequence[CheckedCitation], options: LineOptions) -> list[str]:
    """For each cited key its place, the citing sentence, and what the paper says to it."""
    lines: list[str] = []
    for checked in citations:
        style = {"supported": "strong", "nothing": "alarm", "contradicted": "alarm"}.get(checked.support, "dim")
        place = options.paint(_place_words(checked.path, checked.citation.position), "bold")
        lines.append(
            options.join([place, options.text(checked.key), options.paint(SUPPORT_WORDS[checked.support], style)])
        )
        lines += options.block(checked.claim or checked.citation.excerpt, indent=5, style="mark")
        for locator, text in zip(checked.where, _sentence_texts(checked), strict=True):
            lines += options.block(f"{text}  ({locator})", indent=7, first="     -")
        lines.append("")
    return lines[:-1]


def review_data(review: ReviewedDraft) -> DraftMarksData:
    """The marks for an editor: it puts `before`, a key and `after` instead of `replace`, a span in characters."""
    return {
        **_project_data(review.project),
        "count": len(review.answers),
        "marks": [_mark_data(answer, review) for answer in review.answers],
    }


def check_data(project: DraftProject, citations: Sequence[CheckedCitation]) -> DraftCheckData:
    """The citations for an editor: every cited key with the sentences nearest to what it is cited for."""
    return {
        **_project_data(project),
        "count": len(citations),
        "citations": [citation_data(checked) for checked in citations],
    }


def _mark_data(answer: MarkAnswer, review: ReviewedDraft) -> DraftMarkData:
    mark = answer.mark
    placed: PlacedMarkData = {
        "file": str(answer.path),
        **_position_data(mark.position),
        # Characters and not bytes: editors count in these, but for vim, which has `byte_column`.
        "replace": [mark.slot.start, mark.slot.end],
        "before": mark.before,
        "after": mark.after,
        "excerpt": mark.excerpt,
        "candidates": [],
        "trouble": answer.error,
    }
    if answer.attribution is None:
        return cast("DraftMarkData", placed)
    # The fields of `litterm cite --json`, so that an editor reads a mark of a file and a lone excerpt alike.
    attribution = cite_data(answer.attribution)
    candidates: list[CandidateData] = [
        {**row, "key": review.keys[item.paper.id], "held": item.paper.id in review.held}
        for row, item in zip(attribution["candidates"], answer.attribution.candidates, strict=True)
    ]
    return {**placed, **attribution, "candidates": candidates}


def citation_data(checked: CheckedCitation) -> CheckedCitationData:
    """What one cited paper says to the sentence that cites it."""
    evidence = checked.evidence
    sentences = evidence.sentences if evidence else ()
    return {
        "file": str(checked.path),
        **_position_data(checked.citation.position),
        "key": checked.key,
        "claim": checked.claim,
        "support": checked.support,
        "id": checked.paper.id if checked.paper else None,
        "title": checked.paper.title if checked.paper else "",
        "by": evidence.by if evidence else "",
        "sentences": [
            {
                "index": item.sentence.index,
                "text": item.sentence.text,
                "strength": item.strength,
                "closeness": strength_words(item.strength),
                "locator": locator,
            }
            for item, locator in zip(sentences, checked.where, strict=True)
        ],
        "notices": list(evidence.notices) if evidence else [],
    }


def _project_data(project: DraftProject) -> DraftData:
    return {
        "file": str(project.path),
        "files": [str(file.path) for file in project.files],
        "form": project.draft.form,
        "bibliographies": [str(bib) for bib in project.bibs],
        "notices": list(project.notices),
    }


def _position_data(place: FilePosition) -> PositionData:
    return {
        "line": place.line,
        "column": place.column,
        "byte_column": place.byte_column,
        "start": place.span.start,
        "end": place.span.end,
    }


def _sentence_texts(checked: CheckedCitation) -> list[str]:
    return [item.sentence.text for item in checked.evidence.sentences] if checked.evidence else []


def _place_words(path: Path, place: FilePosition) -> str:
    return f"{path}:{place.line}:{place.column}"


def _quickfix_line(path: Path, place: FilePosition, message: str) -> str:
    # One entry a line: a line break in a title would begin an entry of its own.
    return plain(f"{path}:{place.line}:{place.byte_column}: {' '.join(message.split())}")
