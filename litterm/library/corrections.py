"""Reads what the user typed to correct or take apart a record, in the command line or in the workbench."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from litterm.core.errors import UsageError
from litterm.importers.author_names import author_from_name
from litterm.model.paper import CORRECTION, Author, Paper, PublicationDetails
from litterm.text.clean import clean_line
from litterm.text.limits import MAX_CHARS, MAX_ENTRIES

_NOT_IN_KEYS: Final = re.compile(r'[\s,{}%#"\\~=^]')
"""What ends a key in BibTeX, or is obeyed by TeX."""
_MAX_KEY_CHARS: Final = 200
_YEARS: Final = range(1, 10_000)


def choose_source(paper: Paper) -> int:
    """Which source of a merged record is taken out of it, if the user names none: of two, the later one.

    Raises:
        UsageError: it has more than two.
    """
    numbers = [number for number, source in enumerate(paper.sources, 1) if source.paper.provenance.format != CORRECTION]
    if len(numbers) > 2:
        raise UsageError(f"{paper.id} has {len(numbers)} sources; give the number of one, as `litterm show` has it.")
    # A record that an earlier version made may hold the texts of two papers without saying where they came from.
    return numbers[-1] if numbers else 1


def make_correction(
    paper: Paper,
    *,
    title: str | None = None,
    authors: Sequence[str] | None = None,
    year: int | None = None,
    key: str | None = None,
) -> Paper:
    """What the user corrected of `paper`; `None` leaves a field as it is.

    Raises:
        UsageError: a value cannot be one of that field.
    """
    return Paper(
        paper.id,
        "" if title is None else _read_title(title),
        authors=() if authors is None else _read_authors(authors),
        year=None if year is None else _read_year(year),
        imprint=PublicationDetails(bibkey="" if key is None else _read_key(key)),
    )


def _read_title(typed: str) -> str:
    title = clean_line(typed)
    if not title:
        raise UsageError("The title is empty; give the one that the paper prints.")
    if len(title) > MAX_CHARS["title"]:
        raise UsageError(f"The title has {len(title):,} characters; at most {MAX_CHARS['title']:,} are stored.")
    return title


def _read_authors(typed: Sequence[str]) -> tuple[Author, ...]:
    authors: list[Author] = []
    for name in typed:
        author = _read_author(name)
        if author is None:
            raise UsageError("A name is empty; give each author as `Family, Given` or `Given Family`.")
        authors.append(author)
    max_authors, _ = MAX_ENTRIES["authors"]
    if len(authors) > max_authors:
        raise UsageError(f"{len(authors):,} authors are too many; at most {max_authors:,} are stored.")
    return tuple(authors)


def _read_author(typed: str) -> Author | None:
    name = clean_line(typed)
    # As in BibTeX: a name in braces has no parts.
    if name.startswith("{") and name.endswith("}"):
        return Author(name[1:-1].strip(), is_literal=True) if name[1:-1].strip() else None
    return author_from_name(name)


def _read_year(year: int) -> int:
    if year not in _YEARS:
        raise UsageError(f"{year} is no year; give one of 1 to 9999, as in 2020.")
    return year


def _read_key(typed: str) -> str:
    key = typed.strip()
    if not key or len(key) > _MAX_KEY_CHARS or _NOT_IN_KEYS.search(key) or not key.isprintable():
        raise UsageError(
            'A citation key is one word without blanks, commas, braces and the characters % # " \\ ~ = ^, '
            f"of at most {_MAX_KEY_CHARS} characters."
        )
    return key
