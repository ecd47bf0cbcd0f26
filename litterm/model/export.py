"""What leaves litterm for other programs: which papers, in which format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

ExportFormat = Literal["bibtex", "ris", "csl", "markdown", "csv"]
ExportScope = Literal["paper", "selection", "list", "project", "all"]
"""The current paper, the selected ones, those listed, those of the project, every paper of the library."""
SUFFIXES: Mapping[ExportFormat, str] = {
    "bibtex": ".bib",
    "ris": ".ris",
    "csl": ".json",
    "markdown": ".md",
    "csv": ".csv",
}
"""The usual ending of a file, by format."""
FORMAT_NAMES: Mapping[ExportFormat, str] = {
    "bibtex": "BibTeX",
    "ris": "RIS",
    "csl": "CSL-JSON",
    "markdown": "Markdown",
    "csv": "CSV",
}
