"""What leaves litterm for other programs: which papers, in which format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

ExportFormat = Literal["bibtex", "ris", "csl", "markdown", "csv"]
ExportScope = Literal["paper", "selection", "list", "project", "all"]
"""The current paper, the selected ones, those listed, those of the project, every paper of the library."""


@dataclass(frozen=True, slots=True)
class FormatRow:
    """A format that papers are exported in; its option is `--NAME`."""

    name: ExportFormat
    label: str
    """What it is called in the export dialog."""
    suffix: str
    """The usual ending of a file."""
    meaning: str
    """For the help of its option."""
    has_quotes: bool = False
    """Whether it also contains the accepted sentences."""


@dataclass(frozen=True, slots=True)
class FolderReport:
    """What an export left in a folder with one file a paper."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    left: int = 0
    """Files that somebody changed above the line, or that cannot be read: they were not written."""


FORMAT_ROWS: Final = (
    FormatRow("bibtex", "BibTeX", ".bib", "BibTeX (the default)"),
    FormatRow("ris", "RIS", ".ris", "RIS"),
    FormatRow("csl", "CSL-JSON", ".json", "CSL-JSON"),
    FormatRow("markdown", "Markdown", ".md", "Markdown, with the sentences you accepted", has_quotes=True),
    FormatRow("csv", "CSV", ".csv", "CSV, with the sentences you accepted", has_quotes=True),
)
"""A format is declared here only. What is no list and no table is written by `render/bibliography/NAME.py`."""
FORMATS_WITH_QUOTES: Final = frozenset(row.name for row in FORMAT_ROWS if row.has_quotes)
