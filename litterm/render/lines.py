"""Results as plain readable lines: for a terminal coloured and wrapped, for a pipe one line a fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING

from litterm.render.annotations import annotation_lines
from litterm.render.citations.citation_counts import count_words
from litterm.render.closeness import closeness_label, evidence_stance_words, evidence_words, stance_label
from litterm.render.locator import locator
from litterm.render.names import (
    differing_fields,
    listed_names,
    method_words,
    names_line,
    short_authors,
    source_name,
    status_warning,
    thesis_name,
    title_warning,
    venue_and_year,
)
from litterm.text.escape import ascii_marks, isolate, plain, plain_lines
from litterm.text.plural import count_phrase
from litterm.text.terminal_width import wrap_text

if TYPE_CHECKING:
    from litterm.model.annotations import PaperNotes
    from litterm.model.attribution.citation import Attribution
    from litterm.model.document import Document, Sentence
    from litterm.model.evidence import Evidence, EvidenceSentence
    from litterm.model.imports import LibraryImport
    from litterm.model.library import Failure, ImportReport, KeptApart, Merged
    from litterm.model.paper import LibraryName, Paper, PaperId
    from litterm.model.search import RankedPaper, Ranking

# Colours are numbers of the terminal's own palette, which suits its background.
_ANSI_CODES = {"bold": "1", "dim": "2", "mark": "33", "alarm": "31", "strong": "32"}
_NO_EXTRA_LINES: Mapping[PaperId, Sequence[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LineOptions:
    """How lines are drawn; the default suits a pipe."""

    colour: bool = False
    columns: int = 0
    """Cells lines are wrapped to; 0 leaves them whole."""
    ascii: bool = False
    terminal: bool = False

    def paint(self, text: str, style: str) -> str:
        """`text`, escaped and then painted in a style of this module."""
        # First harmless, then coloured: the other way round `plain` would take the colour for a foreign escape code.
        shown = self.text(text)
        return f"\x1b[{_ANSI_CODES[style]}m{shown}\x1b[0m" if self.colour and shown else shown

    def text(self, text: str) -> str:
        """`text` escaped, on one line."""
        shown = plain(text)
        shown = ascii_marks(shown) if self.ascii else shown
        # Right-to-left letters of a title must not reorder what is next to it. A pipe gets the text as it is.
        return isolate(shown) if self.terminal else shown

    def block(self, text: str, *, indent: int, first: str = "", style: str = "") -> list[str]:
        """`text` wrapped and indented; `first` is in the indent of the first line."""
        shown = plain(text)
        shown = ascii_marks(shown) if self.ascii else shown
        pieces = wrap_text(" ".join(shown.split()), max(20, self.columns - indent)) if self.columns else [shown]
        # One lead more than there are pieces: `first` is before an indent for each.
        leads = [first.ljust(indent), *[" " * indent] * len(pieces)]
        painted = [self.paint(piece, style) if style else self.text(piece) for piece in pieces]
        return [lead + piece for lead, piece in zip(leads, painted, strict=False)]

    def join(self, parts: Iterable[str]) -> str:
        """The parts that are not empty, with a middle dot between them."""
        return (" - " if self.ascii else " · ").join(part for part in parts if part)


def search(
    ranking: Ranking, options: LineOptions, *, below: Mapping[PaperId, Sequence[str]] = _NO_EXTRA_LINES
) -> list[str]:
    """Three or four lines for each paper (title; authors, venue and id; words that matched; the name typed).

    Then come its lines of `below`.
    """
    lines: list[str] = []
    for item in ranking.papers:
        lines += [*_ranked_paper_lines(item, options), *below.get(item.paper.id, ())]
    return lines


def _ranked_paper_lines(item: RankedPaper, options: LineOptions) -> list[str]:
    paper = item.paper
    lines = options.block(paper.title, indent=5, first=f"{item.rank:>3}  ", style="bold")
    lines.append(f"     {_byline(paper, options, library_name=item.library_name, cited=count_words(item.cited))}")
    if item.matched:
        words = options.join(options.text(f"{word} {count}") for word, count in item.matched)
        lines.append(f"     {options.paint(words, 'mark')}")
    if item.name:
        lines += options.block(item.name, indent=5, style="dim")
    return lines


def _byline(paper: Paper, options: LineOptions, *, library_name: LibraryName = "own", cited: str = "") -> str:
    facts = options.join(
        [
            options.text(short_authors(paper)),
            options.text(venue_and_year(paper)),
            options.paint(paper.id, "dim"),
            "full text" if paper.full_text else "",
            cited,
            "starter library" if library_name == "starter" else "",
        ]
    )
    warnings = (status_warning(paper), title_warning(paper))
    return options.join([facts, *(options.paint(warning, "alarm") for warning in warnings)])


def evidence(
    result: Evidence, document: Document, paper: Paper, options: LineOptions, *, reasons: bool = False
) -> list[str]:
    """The paper, the verdict and the method, then per sentence its strength, stance and locator, and its text.

    With `reasons` the model's word on a sentence is below it, and the answer to the negated hypothesis, if it
    was asked for, at the end.

    Where evidence is short of what was asked for, key findings fill up below it, under a heading that says so.
    """
    lines = [options.paint(paper.title, "bold"), _byline(paper, options)]
    lines += _evidence(result, document, options, reasons=reasons)
    if result.negated is not None:
        lines += ["", *options.block(f"Negated: {result.negated.hypothesis}", indent=0, style="bold")]
        # The key findings of the paper already are above.
        lines += _evidence(replace(result.negated, key_findings=()), document, options, reasons=reasons)
    return lines


def _evidence(result: Evidence, document: Document, options: LineOptions, *, reasons: bool) -> list[str]:
    lines = [*_verdict(result, options), ""]
    for item in result.sentences:
        style = "strong" if item.strength == "strong" else "dim"
        locator_text = options.text(locator(document, item.sentence))
        heading = options.join(
            [
                options.paint(closeness_label(item.strength, item.stance), style),
                stance_label(item.stance, item.likely_stance),
                locator_text,
            ]
        )
        lines += _quote_lines(f"{item.rank:>3}", item, heading, options)
        if reasons and item.reason:
            lines += options.block(f"model: {item.reason}", indent=5, style="dim")
    shown_indexes = {item.sentence.index for item in result.sentences}
    # Key findings are never evidence: they only fill the places that evidence leaves free.
    remaining_findings = [item for item in result.key_findings if item.sentence.index not in shown_indexes]
    remaining_findings = remaining_findings[: len(result.key_findings) - len(shown_indexes)]
    if remaining_findings:
        lines += ["", "Key findings of the paper, not evidence:"] if shown_indexes else ["Key findings of the paper:"]
    for item in remaining_findings:
        lines += _quote_lines("  -", item, options.text(locator(document, item.sentence)), options)
    return lines


def _verdict(result: Evidence, options: LineOptions) -> list[str]:
    if result.verdict is None:
        return []
    confidence = "" if result.confidence is None else f" ({result.confidence:.2f})"
    words, stance = evidence_words(result), evidence_stance_words(result)
    verdict = options.join(
        [f"verdict: {words}{confidence}", "" if stance == words else stance, method_words(result.by)]
    )
    if result.sentences or not result.key_findings:
        return [options.paint(verdict, "strong" if result.verdict == "strong" else "dim")]
    silence = (
        "Too few sentences to say whether the paper bears on this hypothesis"
        if result.verdict == "unclear"
        else "No sentence supports or contradicts this hypothesis"
    )
    return [options.paint(verdict, "dim"), f"{silence}; key findings below."]


def _quote_lines(lead: str, item: EvidenceSentence, place: str, options: LineOptions) -> list[str]:
    return [f"{lead}  {place}", *options.block(item.sentence.text, indent=5)]


def cite(attribution: Attribution, options: LineOptions) -> list[str]:
    """For each candidate its probability, title, byline, reasons, and the sentence nearest to the excerpt."""
    lines: list[str] = []
    for item in attribution.candidates:
        confidence = f"{percent(item.confidence)}  " if item.confidence is not None else ""
        first = f"{item.rank:>3}  {confidence}"
        lines += options.block(item.paper.title, indent=5, first=first, style="bold")
        lines.append(f"     {_byline(item.paper, options)}")
        reasons = options.join(item.why) if item.why else ""
        if item.matched:
            lines.append(
                "     " + options.join(filter(None, (options.paint(", ".join(item.matched), "mark"), reasons)))
            )
        elif reasons:
            lines.append(f"     {reasons}")
        if item.support:
            lines += options.block(f'"{item.support}"', indent=5)
    return lines


def verdict_sentence(attribution: Attribution) -> str:
    """The verdict of an attribution in one sentence; empty where there is nothing to say."""
    if attribution.votes and attribution.candidates and attribution.votes[0].paper is not None:
        selected = f"{attribution.candidates[0].why[0].removeprefix('selected ')} of {attribution.by}"
        if attribution.verdict == "found":
            return f"{attribution.candidates[0].paper.title} was selected {selected}."
        return f"Not sure: no more than half of the runs agree. The first was selected {selected}."
    if attribution.verdict == "found" and attribution.candidates and attribution.confidence is None:
        return f"{attribution.by} selected {attribution.candidates[0].paper.title}."
    if attribution.verdict == "found" and attribution.candidates:
        return f"Probably {attribution.candidates[0].paper.title} ({percent(attribution.confidence or 0.0)})."
    if attribution.verdict == "absent":
        return f"Probably not in your library. To search elsewhere: {attribution.online_query}"
    return "Not sure: one of these may be the paper." if attribution.candidates else ""


def percent(chance: float) -> str:
    """A probability as a whole percentage of two or three places, never a certainty."""
    return f"{min(99, max(1, round(100 * chance))):>2}%"


def show(
    paper: Paper,
    document: Document | None,
    notes: PaperNotes,
    options: LineOptions,
    imports: Sequence[str] = (),
) -> list[str]:
    """Everything the library holds about one paper; `imports` are the names of what brought it."""
    lines = [*options.block(paper.title, indent=0, style="bold"), _byline(paper, options)]
    if paper.authors:
        lines += options.block(options.join(listed_names(paper)), indent=0)
    lines += [f"{name}: {options.text(value)}" for name, value in _facts(paper, notes) if value]
    if imports:
        lines.append(f"imports: {options.text(', '.join(imports))}")
    if document is not None:
        lines.append(f"full text: {_extent(document)}")
    if paper.abstract:
        label = "summary by litterm" if paper.abstract_by == "litterm" else "abstract"
        lines += ["", options.paint(label, "dim"), *options.block(paper.abstract, indent=0)]
    if paper.sources:
        lines += ["", options.paint("sources", "dim"), *_source_lines(paper, options)]
    if annotated := annotation_lines(paper, document):
        lines += ["", options.paint("annotations in files", "dim")]
        lines += [f"  {options.text(f'{said} ({place})' if place else said)}" for said, place in annotated]
    if notes.note:
        lines += ["", options.paint("note", "dim"), *plain_lines(notes.note).splitlines()]
    return lines


def _facts(paper: Paper, notes: PaperNotes) -> list[tuple[str, str]]:
    imprint = paper.imprint
    return [
        ("title", "" if paper.is_title_certain else _GUESSED_TITLE),
        ("in", imprint.booktitle or imprint.journal),
        ("volume", " ".join(filter(None, [imprint.volume, imprint.issue and f"({imprint.issue})"]))),
        ("pages", imprint.pages),
        ("article number", imprint.article_number),
        ("series", imprint.series),
        ("edition", imprint.edition),
        ("thesis", thesis_name(imprint.thesis)),
        ("institution", imprint.institution),
        ("publisher", imprint.publisher),
        ("editors", names_line(imprint.editors, has_more=imprint.has_more_editors)),
        ("date", paper.date),
        ("ISBN", imprint.isbn),
        ("ISSN", imprint.issn),
        ("language", imprint.language),
        ("citation key", imprint.bibkey),
        ("retraction", paper.retraction),
        ("decision", " / ".join(filter(None, [paper.decision, paper.status]))),
        ("also", ", ".join(paper.aliases)),
        ("ids not verified", ", ".join(paper.unverified_ids)),
        ("keywords", ", ".join(paper.keywords)),
        ("note of the source", "; ".join(imprint.note.splitlines())),
        ("files", ", ".join(imprint.files)),
        ("collections", "; ".join(imprint.collections)),
        ("databases", "; ".join(imprint.databases)),
        ("accession numbers", "; ".join(imprint.accession_numbers)),
        ("exported on", imprint.exported_on),
        ("links", "  ".join(paper.urls)),
        ("tags", ", ".join(notes.tags)),
        ("collections", ", ".join(notes.collections)),
        ("yours", ", ".join(filter(None, [notes.screening, "starred" if notes.starred else "", notes.status]))),
        ("from", " ".join(filter(None, [paper.provenance.format, paper.provenance.origin]))),
    ]


def editable_fields(paper: Paper, options: LineOptions) -> list[str]:
    """What `edit` can correct of a record, with its values now."""
    values = (
        ("title", paper.title),
        ("authors", options.join(listed_names(paper))),
        ("year", str(paper.year or "")),
        ("key", paper.imprint.bibkey),
    )
    guessed = [] if paper.is_title_certain else [f"title: {_GUESSED_TITLE}"]
    return [
        options.paint(paper.id, "dim"),
        *(f"{name}: {options.text(value or 'none')}" for name, value in values),
        *guessed,
    ]


def _source_lines(paper: Paper, options: LineOptions) -> list[str]:
    """Each source, and below it what it states otherwise than the record shown."""
    lines = []
    for number, source in enumerate(paper.sources, 1):
        said = source.paper
        origin = source_name(said)
        lines.append(f"  {number}  {options.text(origin)}: {options.text(said.id)}")
        lines += [f"     {name}: {options.text(value)}" for name, value in differing_fields(paper, said)]
    return lines


def _extent(document: Document) -> str:
    references = (
        count_phrase(len(document.references), "reference") if document.references_known else "references unknown"
    )
    counts = [count_phrase(len(document.sections), "section"), count_phrase(len(document.sentences), "sentence")]
    return ", ".join((document.origin, *counts, references))


def import_report(report: ImportReport, options: LineOptions) -> list[str]:
    """What an import did, in one or two lines, and what was guessed to read the files."""
    counts = [
        (report.added, "added"),
        (report.merged, "merged into known papers"),
        (report.unchanged, "unchanged"),
    ]
    outcomes = ", ".join(f"{count:,} {outcome}" for count, outcome in counts if count or outcome == "added")
    lines = [f"{outcomes} ({options.text(f'{report.elapsed_s:.1f} s')})"]
    if report.documents:
        lines.append(f"{count_phrase(report.documents, 'full text')} stored")
    lines += named_records(report, options)
    if report.kept_apart:
        commands = "`--merge A B` shows two as one, `--apart A B` keeps them as two"
        lines.append(f"`litterm duplicates` lists such pairs; {commands}.")
    if report.skipped_files:
        lines.append(f"{count_phrase(report.skipped_files, 'file')} already imported, skipped")
    lines.extend(options.text(remark) for remark in report.remarks)
    return lines


def import_lines(one: LibraryImport, options: LineOptions) -> list[str]:
    """One import: its name, and below it what it holds and where it is."""
    mine = ["yours"] if one.is_mine else []
    merged = [f"{one.merged:,} also from elsewhere"] if one.merged else []
    parts = (count_phrase(one.papers, "paper"), *merged, one.format, one.imported_on, *mine)
    origin = [options.text(f"  {one.origin}")] if one.origin else []
    return [options.text(one.name), options.text("  " + " · ".join(filter(None, parts))), *origin]


def named_records(report: ImportReport, options: LineOptions) -> list[str]:
    """Which records were merged into which papers, and which were kept apart: the first of each."""
    merged = _first_lines([_merge_line(merge, options) for merge in report.merges], "merged", report.merged)
    return [*merged, *_first_lines([_apart_line(pair, options) for pair in report.kept_apart], "kept apart")]


_GUESSED_TITLE = "not found in the file, whose name is shown; `litterm edit` corrects it"
_MAX_NAMED_RECORDS = 10
"""Merges, and pairs kept apart, that a report names; `--json` names up to a thousand."""


def _first_lines(named: Sequence[str], what: str, count: int = 0) -> list[str]:
    left = max(count, len(named)) - _MAX_NAMED_RECORDS
    if left <= 0:
        return [*named]
    return [*named[:_MAX_NAMED_RECORDS], f"  and {left:,} more {what}; `--json` names them"]


def _merge_line(merge: Merged, options: LineOptions) -> str:
    called = merge.bibkey or f"“{merge.title}”"
    return f"  {options.text(called)} is {options.text(merge.paper_id)} “{options.text(merge.paper_title)}”"


def _apart_line(pair: KeptApart, options: LineOptions) -> str:
    what = f"both state {pair.shared_id}" if pair.shared_id else "the same title"
    one, other = (
        f"{options.text(paper_id)} “{options.text(title)}”"
        for paper_id, title in ((pair.paper_id, pair.title), (pair.other_id, pair.other_title))
    )
    return f"  two papers, {options.text(what)}: {one} and {other}"


def failures(items: Sequence[Failure], options: LineOptions) -> list[str]:
    """One line for each input that failed: file, then cause."""
    return [f"{options.text(item.origin)}: {options.text(item.cause)}" for item in items]


def full_text(document: Document, paper: Paper, options: LineOptions) -> list[str]:
    """A whole paper in reading order, as the reader pane shows it, for a pipe or a screen reader."""
    rendered = [*options.block(paper.title, indent=0, style="bold")]
    rendered.append(options.join(map(options.text, [short_authors(paper), venue_and_year(paper), paper.id])))
    if status_warning(paper):
        rendered.append(options.paint(status_warning(paper), "alarm"))
    if document.origin == "abstract":
        rendered.append(options.paint("abstract only: there is no full text in the library", "dim"))
    for block in _text_blocks(document):
        rendered += ["", *_block_lines(block, document, options)]
    if document.references:
        rendered += ["", options.paint("References", "bold")]
        for number, reference in enumerate(document.references, 1):
            rendered += options.block(reference.text, indent=5, first=f"{reference.label or number:>3}  ")
    return rendered


def _text_blocks(document: Document) -> Iterator[list[Sentence]]:
    """Sentences of one paragraph, or one heading, caption or run of table rows."""
    # The title already is at the top, from the record.
    rows = (sentence for sentence in document.sentences if sentence.kind != "title")
    # Sentences are in reading order, so that neighbours with one key are one block.
    for _key, group in groupby(rows, key=lambda row: (row.section, row.paragraph, row.kind)):
        yield list(group)


def _block_lines(rows: Sequence[Sentence], document: Document, options: LineOptions) -> list[str]:
    first = rows[0]
    if first.kind == "heading":
        section = document.sections[first.section]
        title = f"{section.number} {section.title or first.text}".strip()
        return options.block(title, indent=0, style="bold")
    # Rows are not wrapped: their columns would no longer be below one another.
    if first.kind == "table":
        return [options.text(row.text) for row in rows]
    return options.block(" ".join(row.text for row in rows), indent=0)
