"""A checked bibliography as lines for people, JSON, Markdown, HTML, SARIF for hosts of code, and vim's quickfix."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict
from urllib.parse import quote

from litterm.core.version import __version__
from litterm.model.attribution.bibliography import (
    ENTRY_STATUSES,
    UNSUPPORTED,
    BibliographyReport,
    CheckedEntry,
    EntryStatus,
    FieldDifference,
    FieldName,
)
from litterm.render.attribution.drafts import (
    SUPPORT_WORDS,
    CheckedCitationData,
    check_lines,
    check_quickfix,
    citation_data,
)
from litterm.render.export.markdown import escape_line_of_markdown
from litterm.render.html_page import escape_line, landing_page, page_head
from litterm.render.lines import LineOptions, percent
from litterm.render.names import short_authors, venue_and_year
from litterm.text.escape import plain

if TYPE_CHECKING:
    from litterm.model.attribution.draft import CheckedCitation


class CheckedRecordData(TypedDict):
    """The record that an entry was held against."""

    title: str
    authors: list[str]
    year: int | None
    venue: str


class FieldDifferenceData(TypedDict):
    """A field of an entry that is not as the record has it."""

    field: str
    degree: str
    stated: str
    known: str
    certain: bool
    line: int | None


class CheckedEntryData(TypedDict):
    """An entry of a bibliography, and what it came to."""

    file: str
    line: int | None
    key: str
    title: str
    status: str
    finding: bool
    id: str | None
    record: CheckedRecordData | None
    source: str
    differences: list[FieldDifferenceData]
    coverage: float | None
    note: str


class BibliographyData(TypedDict):
    """The answer of `check`."""

    file: str
    count: int
    counts: dict[str, int]
    findings: bool
    entries: list[CheckedEntryData]
    undefined_keys: list[str]
    citations: list[CheckedCitationData]
    notices: list[str]


STATUS_WORDS: dict[EntryStatus, str] = {
    "sound": "sound",
    "wrong field": "wrong field",
    "retracted": "retracted or withdrawn",
    "corrected": "there is a correction",
    "published since": "preprint now published",
    "other version": "another version is known",
    "not found": "not found where it should be",
    "outside coverage": "outside of what is known here",
}
"""Each outcome in words."""
_STATUS_MEANINGS: Final[dict[EntryStatus, str]] = {
    "sound": "Every field agrees with the record.",
    "wrong field": "A field is certainly not as the record has it.",
    "retracted": "The publisher has retracted, removed or doubted the work.",
    "corrected": "The publisher has corrected the work.",
    "published since": "The preprint has been published.",
    "other version": "The work is known from another publication.",
    "not found": "Nearly all works of this venue and year are known, and this one is not among them.",
    "outside coverage": "The work is not known here, which says nothing about it.",
}
_LEVELS: Final[dict[EntryStatus, str]] = {
    "wrong field": "error",
    "retracted": "error",
    "not found": "error",
    "corrected": "note",
    "published since": "note",
    "other version": "note",
    "outside coverage": "none",
    "sound": "none",
}
_FIELD_NAMES: Final[dict[FieldName, tuple[str, ...]]] = {
    "title": ("title",),
    "authors": ("author",),
    "year": ("year", "date"),
    "venue": ("booktitle", "journal", "journaltitle", "howpublished"),
    "pages": ("pages",),
    "volume": ("volume",),
    "id": ("doi", "url", "eprint", "ee"),
}
"""Fields of BibTeX in which a difference may stand, the likeliest first."""
_STYLE: Final = (
    "body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.4em;text-align:left;"
    "vertical-align:top}.finding{font-weight:bold}"
)
_UNTOLD: Final = frozenset(("sound", "outside coverage"))
"""Outcomes of which a report for programs has nothing."""
_CITATION_RULE: Final = "citation-not-supported"
_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_MAX_VALUE_CHARS: Final = 300


def difference_words(difference: FieldDifference) -> str:
    """What differs in one line: `year: 2019, known as 2020`."""
    stated, known = _short(difference.stated), _short(difference.known)
    if difference.degree == "leads elsewhere":
        return f"{stated} leads to another work: {known}"
    name = f"{difference.field} ({difference.degree})" if difference.degree != "other" else difference.field
    if difference.field == "id":
        name = "DOI"
    if not stated:
        return f"{name}: {known}"
    return f"{name}: {stated}; known: {known}" if known else f"{name}: {stated}"


def entry_remarks(item: CheckedEntry, *, everything: bool = True) -> list[str]:
    """What is said of an entry below its outcome: what certainly differs first, then what may have a reason."""
    certain = [difference_words(one) for one in item.differences if one.is_certain]
    possible = [f"perhaps: {difference_words(one)}" for one in item.differences if not one.is_certain]
    coverage = []
    if item.record is None and item.coverage is not None:
        coverage = [f"Of real works of its venue, year and type {percent(item.coverage).strip()} are known here."]
    note = [item.note] if item.note else []
    return [*note, *certain, *(possible if everything else []), *coverage]


def place_of(item: CheckedEntry) -> str:
    """Where an entry stands: `refs.bib:12`, or the file alone where it has no lines."""
    return f"{item.entry.path}:{item.entry.line}" if item.entry.line else str(item.entry.path)


def report_lines(report: BibliographyReport, options: LineOptions, *, everything: bool = False) -> list[str]:
    """Every entry that is not sound, with `everything` all; then what the cited papers say to the citing sentences."""
    lines: list[str] = []
    for item in report.entries:
        if item.status == "sound" and not everything:
            continue
        style = "alarm" if item.is_finding else "strong" if item.status == "sound" else "dim"
        place = options.paint(place_of(item), "bold")
        parts = [place, options.text(item.entry.key), options.paint(STATUS_WORDS[item.status], style)]
        lines.append(options.join(parts))
        lines += options.block(item.entry.paper.title or item.entry.text, indent=5)
        for remark in entry_remarks(item):
            lines += options.block(remark, indent=7, first="     - ")
        if item.record is not None and item.status != "sound":
            record = item.record
            facts = (str(record.id), short_authors(record), venue_and_year(record), _source_words(item))
            lines.append("     " + options.join(options.text(fact) for fact in facts if fact))
        lines.append("")
    if report.citations:
        lines += check_lines(report.citations, options)
    return lines[:-1] if lines and not lines[-1] else lines


def summary(report: BibliographyReport) -> str:
    """How many entries have each outcome, and what the citing sentences came to, in a line or two."""
    counts = ", ".join(f"{count:,} {STATUS_WORDS[status]}" for status, count in report.counts.items())
    entries = "entry" if len(report.entries) == 1 else "entries"
    said = f"{len(report.entries):,} {entries}: {counts}." if report.entries else "There are no entries."
    supports = {
        words: sum(SUPPORT_WORDS[citation.support] == words for citation in report.citations)
        for words in dict.fromkeys(SUPPORT_WORDS.values())
    }
    listed = ", ".join(f"{count:,} {words}" for words, count in supports.items() if count)
    return f"{said}\n{len(report.citations):,} citations: {listed}." if report.citations else said


def report_quickfix(report: BibliographyReport) -> list[str]:
    """One line `file:line:column: key outcome: remark` for each entry that is not sound, then for each citation."""
    lines: list[str] = []
    for item in report.entries:
        if item.status in _UNTOLD:
            continue
        for line, message in _located_remarks(item):
            text = " ".join(f"{item.entry.key} {STATUS_WORDS[item.status]}: {message}".rstrip(": ").split())
            lines.append(plain(f"{item.entry.path}:{max(1, line)}:1: {text}"))
    return [*lines, *check_quickfix(report.citations)]


def report_data(report: BibliographyReport) -> BibliographyData:
    """`{"file","count","counts","findings","entries":[...],"undefined_keys","citations":[...],"notices"}`."""
    return {
        "file": str(report.path),
        "count": len(report.entries),
        "counts": {str(status): count for status, count in report.counts.items()},
        "findings": report.has_findings,
        "entries": [_entry_data(item) for item in report.entries],
        "undefined_keys": list(report.undefined_keys),
        "citations": [citation_data(citation) for citation in report.citations],
        "notices": list(report.notices),
    }


def _entry_data(item: CheckedEntry) -> CheckedEntryData:
    record = item.record
    return {
        "file": str(item.entry.path),
        "line": item.entry.line or None,
        "key": item.entry.key,
        "title": item.entry.paper.title,
        "status": item.status,
        "finding": item.is_finding,
        "id": record.id if record else None,
        "record": {
            "title": record.title,
            "authors": [f"{author.given} {author.surname}".strip() for author in record.authors],
            "year": record.year,
            "venue": record.venue or record.imprint.journal or record.imprint.booktitle,
        }
        if record
        else None,
        "source": item.source,
        "differences": [
            {
                "field": one.field,
                "degree": one.degree,
                "stated": one.stated,
                "known": one.known,
                "certain": one.is_certain,
                "line": _line_of(item, one) or None,
            }
            for one in item.differences
        ],
        "coverage": item.coverage,
        "note": item.note,
    }


def report_markdown(report: BibliographyReport) -> str:
    """A heading, the counts, a table of the entries that are not sound, and one of the citations."""
    escape = escape_line_of_markdown
    lines = [f"# Check of {escape(str(report.path.name))}", "", *summary(report).splitlines(), ""]
    told = [item for item in report.entries if item.status != "sound"]
    if told:
        lines += ["| place | key | outcome | entry | remarks |", "|---|---|---|---|---|"]
        lines += [
            "| "
            + " | ".join(
                _cell(escape(text))
                for text in (
                    place_of(item),
                    item.entry.key,
                    STATUS_WORDS[item.status],
                    item.entry.paper.title or item.entry.text,
                    "; ".join(entry_remarks(item)),
                )
            )
            + " |"
            for item in told
        ]
    if report.citations:
        lines += ["", "| place | key | the cited paper | sentence |", "|---|---|---|---|"]
        lines += [
            "| " + " | ".join(_cell(escape(text)) for text in _citation_cells(citation)) + " |"
            for citation in report.citations
        ]
    return "\n".join([*lines, ""])


def report_html(report: BibliographyReport) -> str:
    """One page without scripts, each record linked to its page on the web."""
    lines = [*page_head("Check", report.path.name, _STYLE), f"<h1>Check of {escape_line(report.path.name)}</h1>"]
    lines += [f"<p>{escape_line(line)}</p>" for line in summary(report).splitlines()]
    lines.append("<table><tr><th>place</th><th>key</th><th>outcome</th><th>entry</th><th>remarks</th></tr>")
    for item in report.entries:
        if item.status == "sound":
            continue
        css = ' class="finding"' if item.is_finding else ""
        remarks = "<br>".join(escape_line(remark) for remark in entry_remarks(item))
        cells = (escape_line(place_of(item)), escape_line(item.entry.key), escape_line(STATUS_WORDS[item.status]))
        page = landing_page(item.record.id) if item.record else ""
        title = escape_line(item.entry.paper.title or item.entry.text)
        linked = f'<a href="{escape_line(page)}">{title}</a>' if page else title
        lines.append(f"<tr{css}>" + "".join(f"<td>{cell}</td>" for cell in (*cells, linked, remarks)) + "</tr>")
    lines.append("</table>")
    if report.citations:
        lines.append("<h2>Citations</h2><table><tr><th>place</th><th>key</th><th>paper</th><th>sentence</th></tr>")
        for citation in report.citations:
            cells_of = "".join(f"<td>{escape_line(text)}</td>" for text in _citation_cells(citation))
            lines.append(f"<tr>{cells_of}</tr>")
        lines.append("</table>")
    return "\n".join([*lines, "</body></html>", ""])


def report_sarif(report: BibliographyReport) -> dict[str, object]:
    """SARIF 2.1.0: a rule for each outcome, a result for each finding and each piece of advice."""
    driver = {"name": "litterm", "version": __version__, "rules": _sarif_rules()}
    results = [*_entry_results(report), *_citation_results(report)]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_rules() -> list[dict[str, object]]:
    told = [status for status in ENTRY_STATUSES if status not in _UNTOLD]
    rules = [(_rule(status), STATUS_WORDS[status], _STATUS_MEANINGS[status], _LEVELS[status]) for status in told]
    unsupported = "No sentence of the cited paper supports the sentence that cites it."
    rules.append((_CITATION_RULE, "the cited paper does not say it", unsupported, "warning"))
    return [
        {
            "id": rule,
            "name": "".join(word.title() for word in rule.split("-")),
            "shortDescription": {"text": words},
            "fullDescription": {"text": meaning},
            "defaultConfiguration": {"level": level},
        }
        for rule, words, meaning, level in rules
    ]


def _entry_results(report: BibliographyReport) -> list[dict[str, object]]:
    return [
        _sarif_result(
            _rule(item.status),
            _LEVELS[item.status],
            item.entry.path,
            line,
            f"{item.entry.key}: {STATUS_WORDS[item.status]}. {message}".rstrip(),
        )
        for item in report.entries
        if item.status not in _UNTOLD
        for line, message in _located_remarks(item)
    ]


def _citation_results(report: BibliographyReport) -> list[dict[str, object]]:
    return [
        _sarif_result(
            _CITATION_RULE,
            "warning",
            citation.path,
            citation.citation.position.line,
            f"{citation.key}: {SUPPORT_WORDS[citation.support]}: {citation.claim}",
            column=citation.citation.position.column,
        )
        for citation in report.citations
        if citation.support in UNSUPPORTED
    ]


def _sarif_result(rule: str, level: str, path: Path, line: int, message: str, *, column: int = 1) -> dict[str, object]:
    uri = quote(path.as_posix())
    digest = hashlib.blake2b(f"{rule}\0{uri}\0{message}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": plain(message)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri},
                    "region": {"startLine": max(1, line), "startColumn": column},
                }
            }
        ],
        "partialFingerprints": {"litterm/v1": digest},
    }


def _located_remarks(item: CheckedEntry) -> list[tuple[int, str]]:
    """A line of the file and what is said there: each certain difference at its field, else all at the entry."""
    certain = [(_line_of(item, one), difference_words(one)) for one in item.differences if one.is_certain]
    if item.status == "wrong field" and certain:
        return certain
    return [(item.entry.line, " ".join(entry_remarks(item)))]


def _line_of(item: CheckedEntry, difference: FieldDifference) -> int:
    lines = item.entry.field_lines or {}
    return next((lines[name] for name in _FIELD_NAMES[difference.field] if name in lines), item.entry.line)


def _citation_cells(citation: CheckedCitation) -> Sequence[str]:
    place = f"{citation.path}:{citation.citation.position.line}"
    sentences = citation.evidence.sentences[:1] if citation.evidence else ()
    return place, citation.key, SUPPORT_WORDS[citation.support], sentences[0].sentence.text if sentences else ""


def _rule(status: EntryStatus) -> str:
    return status.replace(" ", "-")


def _source_words(item: CheckedEntry) -> str:
    return "" if item.source in ("", "library") else f"from {item.source}"


def _short(value: str) -> str:
    line = " ".join(value.split())
    return line if len(line) <= _MAX_VALUE_CHARS else f"{line[:_MAX_VALUE_CHARS]}…"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
