"""CiteME's published CSV: excerpts with one masked citation and the titles that are right (Press et al. 2024)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from litterm.core.errors import BadInput

SEPARATOR = "[TITLE_SEPARATOR]"
MIN_TITLE_SIMILARITY = 0.8
"""Likeness of lower-cased titles above which they are one, as in the publication."""
_OPTIONAL_FIELDS = ("split", "target_paper_url")
_ARXIV_ADDRESS = re.compile(r"arxiv\.org/(?:abs|pdf)/([0-9]{2})[0-9]{2}\.[0-9]{4}")
_REQUIRED_FIELDS = ("id", "excerpt", "target_paper_title", "source_paper_title", "year")
_LARGEST_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class CitedExcerpt:
    """One excerpt whose paper is known. A method may read excerpt, source and year only."""

    key: str
    excerpt: str
    titles: tuple[str, ...]
    """Any of them is right."""
    source: str
    """Title of the citing paper."""
    year: int | None
    """Of the citing paper."""
    split: str = ""
    target_year: int | None = None
    """Of the cited paper, where its address is one of arXiv; the file has no field for it."""


def read_citeme(path: Path) -> tuple[CitedExcerpt, ...]:
    """Every row of the file.

    Raises:
        BadInput: it cannot be read, lacks a column, or a row has no excerpt or no year that is one.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST_BYTES).decode("utf-8-sig", "replace")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    rows = csv.DictReader(io.StringIO(text, newline=""))
    missing = [name for name in _REQUIRED_FIELDS if name not in (rows.fieldnames or ())]
    if missing:
        raise BadInput(f"{path}: has no column {', '.join(missing)}; this is not CiteME's file.")
    return tuple(_row(path, number, row) for number, row in enumerate(rows, 2))


def is_right(title: str, item: CitedExcerpt) -> bool:
    """Whether `title` is that of the cited paper, by CiteME's rule."""
    return any(
        SequenceMatcher(None, title.lower(), accepted.lower()).ratio() > MIN_TITLE_SIMILARITY
        for accepted in item.titles
    )


def _row(path: Path, number: int, row: Mapping[str, str | None]) -> CitedExcerpt:
    fields = {name: (row.get(name) or "").strip() for name in (*_REQUIRED_FIELDS, *_OPTIONAL_FIELDS)}
    titles = tuple(part.strip() for part in fields["target_paper_title"].split(SEPARATOR) if part.strip())
    if not fields["excerpt"] or not titles:
        raise BadInput(f"{path}: row {number} has no excerpt or no title.")
    year = fields["year"].partition(".")[0]
    if year and not (year.isascii() and year.isdigit()):
        raise BadInput(f"{path}: row {number} has the year {fields['year']!r}.")
    return CitedExcerpt(
        key=fields["id"] or str(number),
        excerpt=fields["excerpt"],
        titles=titles,
        source=fields["source_paper_title"],
        year=int(year) if year else None,
        split=fields["split"],
        target_year=2000 + int(arxiv[1]) if (arxiv := _ARXIV_ADDRESS.search(fields["target_paper_url"])) else None,
    )
