"""Exports of papers, batch by batch, so that a whole library is never in memory at once; Markdown and CSV of papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from litterm.model.annotations import PaperNotes
from litterm.model.export import ExportFormat
from litterm.model.paper import Paper, PaperId
from litterm.render.bibliography.keys import STANDARD_KEYS, CitationKeys, pandoc_citation
from litterm.render.export.markdown import Quote, escape_markdown, quotes
from litterm.render.export.table import csv_header, csv_rows
from litterm.render.names import short_authors, status_warning, thesis_name, venue_and_year
from litterm.text.escape import plain_lines
from litterm.text.file_annotations import annotation_line, annotations_of
from litterm.text.references.identity import key_in

_ID_NAMES = (("doi", "DOI"), ("pmid", "PMID"), ("pmc", "PMCID"), ("arxiv", "arXiv"))
MAX_NOTICES = 10
"""Sentences about citation keys that one export says."""
_NO_NOTES = PaperNotes()


class Export:
    """One export: `render_batch` for each batch of papers, in order, then `render_end`; no two papers share a key."""

    def __init__(self, form: ExportFormat, citation_keys: CitationKeys = STANDARD_KEYS) -> None:
        self._format = form
        self._citation_keys = citation_keys
        self._taken: set[str] = set()
        self._keys: dict[PaperId, str] = {}
        self._quotes: list[Quote] = []
        self._has_started = False
        self._notices: list[str] = []

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know of the keys written so far, in sentences."""
        more = len(self._notices) - MAX_NOTICES
        rest = (f"{more} more keys are written otherwise than their sources have them.",) if more > 0 else ()
        return (*self._notices[:MAX_NOTICES], *rest)

    def render_batch(
        self, papers: Sequence[Paper], notes: Mapping[PaperId, PaperNotes], quotes_of: Mapping[PaperId, Sequence[Quote]]
    ) -> str:
        """The text of the next papers, with the user's notes on them and quotes from them."""
        # A paper may be in two batches, as in two lists that are exported together.
        fresh = list({paper.id: paper for paper in papers if paper.id not in self._keys}.values())
        if not fresh:
            return ""
        joint, self._has_started = self._separator(), True
        keys = self._citation_keys.keys_of(fresh, self._taken)
        self._keys |= keys
        self._notices += self._citation_keys.notices(fresh, keys)
        if self._format in ("markdown", "csv"):
            self._quotes += [quote for paper in fresh for quote in quotes_of.get(paper.id, ())]
            if self._format == "markdown":
                return joint + markdown_list(fresh, keys, notes)
            return joint + csv_rows(fresh, keys, notes, quotes_of)
        # By name, so that only the format asked for is loaded.
        text: str = import_module(f"litterm.render.bibliography.{self._format}").entries(fresh, notes, keys)
        # A CSL file is one list: `_separator` and `render_end` write its brackets, so those of each batch come off.
        return joint + (text.strip().removeprefix("[").removesuffix("]").strip("\n") if self._format == "csl" else text)

    def render_end(self) -> str:
        """The text after the last paper."""
        if self._format == "csl":
            return "\n]\n" if self._has_started else "[]\n"
        if self._format == "markdown" and self._quotes:
            by_hypothesis = sorted(self._quotes, key=lambda quote: quote.hypothesis)
            return f"\n# Quotes\n\n{quotes(by_hypothesis, self._keys)}"
        return "" if self._has_started or self._format != "csv" else csv_header()

    def _separator(self) -> str:
        """The text before the first paper, or between two batches."""
        before_first = {"csl": "[\n", "markdown": "# Papers\n\n", "csv": csv_header()}
        between_batches = {"csl": ",\n", "bibtex": "\n", "ris": "\n"}
        return (between_batches if self._has_started else before_first).get(self._format, "")


def markdown_list(papers: Sequence[Paper], keys: Mapping[PaperId, str], notes: Mapping[PaperId, PaperNotes]) -> str:
    """A list item for each paper: title, authors, venue, `[@key]`; below it what else its source said, and the user."""
    lines: list[str] = []
    for paper in papers:
        paper_notes = notes.get(paper.id, _NO_NOTES)
        facts = (short_authors(paper, max_authors=6), venue_and_year(paper), status_warning(paper))
        facts_text = " ".join(escape_markdown(part).removesuffix(".") + "." for part in facts if part)
        lines.append(
            f"- **{escape_markdown(paper.title) or '(no title)'}**. {facts_text} {pandoc_citation(keys[paper.id])}"
        )
        lines += [f"  {name}: {escape_markdown(value)}" for name, value in _details(paper) if value]
        own_facts = [
            f"tags: {escape_markdown(', '.join(paper_notes.tags))}" if paper_notes.tags else "",
            paper_notes.status,
            paper_notes.screening or "",
        ]
        if own_text := "; ".join(part for part in (*own_facts, "starred" if paper_notes.starred else "") if part):
            lines.append(f"  ({own_text})")
        if paper.abstract and paper.abstract_by == "authors":
            lines += ["", f"  > {escape_markdown(paper.abstract)}", ""]
        # The note is the user's own Markdown; indented, it cannot leave its list item.
        lines += (
            ["", *(f"  {line}".rstrip() for line in plain_lines(paper_notes.note).splitlines()), ""]
            if paper_notes.note
            else []
        )
    return "\n".join([*lines, ""]) if lines else ""


def _details(paper: Paper) -> list[tuple[str, str]]:
    """What the first line of an item leaves out, each with its name."""
    imprint = paper.imprint
    issue = f"({imprint.issue})" if imprint.issue else ""
    return [
        ("in", imprint.booktitle or imprint.journal),
        ("volume", f"{imprint.volume}{issue}"),
        *((name.replace("_", " "), str(getattr(imprint, name))) for name in ("pages", "article_number", "edition")),
        *((name, str(getattr(imprint, name))) for name in ("series", "publisher", "institution")),
        ("thesis", thesis_name(imprint.thesis)),
        *((name.upper(), str(getattr(imprint, name))) for name in ("isbn", "issn")),
        *((name, key_in(paper, scheme)) for scheme, name in _ID_NAMES),
        ("language", imprint.language),
        ("keywords", ", ".join(paper.keywords)),
        ("retraction", paper.retraction),
        ("annotations in files", "; ".join(annotation_line(annotation) for annotation in annotations_of(paper))),
        ("note of the source", "; ".join(imprint.note.splitlines())),
        ("files", ", ".join(imprint.files)),
    ]
