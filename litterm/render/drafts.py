"""Drafts under review: for people, for vim and for other editors."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.citation import Candidate
from litterm.model.draft import CheckedCitation, FilePosition, MarkAnswer, Project, Review, Support
from litterm.render import json
from litterm.render.closeness import sentence_words
from litterm.render.lines import LineOptions, percent
from litterm.render.names import short_authors, venue_and_year
from litterm.text.escape import plain

SAID: dict[Support, str] = {
    "supported": "supported",
    "weak": "weak support",
    "nothing": "no support found",
    "title only": "only the title is in your library",
    "absent": "not in your library",
    "unreadable": "no claim to look for",
}
"""Each outcome of a check in words."""
_SHOWN = 3
"""Candidates a mark in lines for people; the rest are in the JSON."""


def review(found: Review, look: LineOptions) -> list[str]:
    """Per mark its place, its sentence, and the first candidates with their keys."""
    lines: list[str] = []
    for answer in found.answers:
        place = _place(found.project, answer.mark.place)
        lines.append(look.joined([look.paint(place, "bold"), look.text(verdict(answer))]))
        lines += look.block(claim(answer), indent=5, style="mark")
        for item in (answer.found.candidates if answer.found else ())[:_SHOWN]:
            lines += _candidate(item, found, look)
        lines.append("")
    return lines[:-1]


def claim(answer: MarkAnswer) -> str:
    """The stretch of the draft that the mark stands for."""
    if answer.found is None:
        return answer.mark.excerpt
    excerpt = answer.found.excerpt
    return excerpt.text[excerpt.claim.start : excerpt.claim.end] or excerpt.text


def verdict(answer: MarkAnswer) -> str:
    """What came of one mark, in a few words."""
    if answer.found is None:
        return answer.trouble
    if answer.found.verdict == "absent" or not answer.found.candidates:
        return f"probably not in your library; search elsewhere for: {answer.found.online_query}"
    return "" if answer.found.verdict == "found" else "not sure"


def _candidate(item: Candidate, found: Review, look: LineOptions) -> list[str]:
    sure = f"{percent(item.confidence)}  " if item.confidence is not None else ""
    held = "in your bibliography" if item.paper.id in found.held else ""
    told = (found.keys[item.paper.id], short_authors(item.paper.authors), venue_and_year(item.paper), held)
    return [
        *look.block(item.paper.title, indent=10, first=f"{item.rank:>3}  {sure}"),
        "     " + look.joined(look.text(part) for part in told if part),
    ]


def quickfix(found: Review) -> list[str]:
    """`file:line:column: key title` a mark, the column in bytes as vim counts."""
    lines = []
    for answer in found.answers:
        best = answer.found.candidates[:1] if answer.found and answer.found.verdict != "absent" else ()
        told = f"{found.keys[best[0].paper.id]} {best[0].paper.title}" if best else f"? {verdict(answer)}"
        lines.append(_quickfix(found.project, answer.mark.place, told))
    return lines


def check_quickfix(project: Project, found: Sequence[CheckedCitation]) -> list[str]:
    """The same for citations: `file:line:column: key outcome: best sentence`."""
    return [
        _quickfix(project, each.citation.place, ": ".join([f"{each.key} {SAID[each.support]}", *_best(each)[:1]]))
        for each in found
    ]


def check(project: Project, found: Sequence[CheckedCitation], look: LineOptions) -> list[str]:
    """Per cited key its place, the citing sentence, and what the paper says to it."""
    lines: list[str] = []
    for each in found:
        style = {"supported": "strong", "nothing": "alarm"}.get(each.support, "dim")
        place = look.paint(_place(project, each.citation.place), "bold")
        lines.append(look.joined([place, look.text(each.key), look.paint(SAID[each.support], style)]))
        lines += look.block(each.claim or each.citation.excerpt, indent=5, style="mark")
        for where, text in zip(each.where, _best(each), strict=True):
            lines += look.block(f"{text}  ({where})", indent=7, first="     -")
        lines.append("")
    return lines[:-1]


def review_data(found: Review) -> dict[str, object]:
    """For editors: put `before`, a key and `after` in place of `replace`, in characters."""
    return {
        **_project(found.project),
        "count": len(found.answers),
        "marks": [_mark(each, found) for each in found.answers],
    }


def check_data(project: Project, found: Sequence[CheckedCitation]) -> dict[str, object]:
    """For editors: every cited key with the sentences that come nearest to what it is cited for."""
    return {**_project(project), "count": len(found), "citations": [_checked(each) for each in found]}


def _mark(answer: MarkAnswer, found: Review) -> dict[str, object]:
    mark = answer.mark
    empty: dict[str, object] = {"excerpt": mark.excerpt, "candidates": []}
    told = json.cite(answer.found) if answer.found else empty
    candidates = [
        {**row, "key": found.keys[item.paper.id], "held": item.paper.id in found.held}
        for row, item in zip(_rows(told), answer.found.candidates if answer.found else (), strict=True)
    ]
    return {
        **told,
        **_where(mark.place),
        "replace": [mark.slot.start, mark.slot.end],
        "before": mark.before,
        "after": mark.after,
        "candidates": candidates,
        "trouble": answer.trouble,
    }


def _rows(told: dict[str, object]) -> list[dict[str, object]]:
    rows = told["candidates"]
    return rows if isinstance(rows, list) else []


def _checked(each: CheckedCitation) -> dict[str, object]:
    evidence = each.evidence
    sentences = evidence.sentences if evidence else ()
    return {
        **_where(each.citation.place),
        "key": each.key,
        "claim": each.claim,
        "support": each.support,
        "id": each.paper.id if each.paper else None,
        "title": each.paper.title if each.paper else "",
        "by": evidence.by if evidence else "",
        "sentences": [
            {
                "index": item.sentence.index,
                "text": item.sentence.text,
                "strength": item.strength,
                "closeness": sentence_words(item.strength),
                "locator": where,
            }
            for item, where in zip(sentences, each.where, strict=True)
        ],
        "notices": list(evidence.notices) if evidence else [],
    }


def _project(project: Project) -> dict[str, object]:
    return {
        "file": str(project.path),
        "form": project.draft.form,
        "bibliographies": [str(bib) for bib in project.bibs],
        "notices": list(project.notices),
    }


def _where(place: FilePosition) -> dict[str, object]:
    return {
        "line": place.line,
        "column": place.column,
        "byte_column": place.byte_column,
        "start": place.span.start,
        "end": place.span.end,
    }


def _best(each: CheckedCitation) -> list[str]:
    return [item.sentence.text for item in each.evidence.sentences] if each.evidence else []


def _place(project: Project, place: FilePosition) -> str:
    return f"{project.path}:{place.line}:{place.column}"


def _quickfix(project: Project, place: FilePosition, told: str) -> str:
    return plain(f"{project.path}:{place.line}:{place.byte_column}: {' '.join(told.split())}")
