"""A bibliography held against what is known: each entry, its record, and the fields in which the two differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from litterm.model.attribution.draft import CheckedCitation
    from litterm.model.paper import Paper

EntryStatus = Literal[
    "sound",
    "wrong field",
    "retracted",
    "corrected",
    "published since",
    "other version",
    "not found",
    "outside coverage",
]
"""The one outcome of an entry. `retracted`: retracted, removed or doubted by its publisher, `corrected`: there is an
erratum; `published since`: a preprint that has appeared; `not found`: absent where nearly all works of its kind are
known; `outside coverage`: absent where that says nothing."""
ENTRY_STATUSES: tuple[EntryStatus, ...] = get_args(EntryStatus)
FINDINGS: frozenset[EntryStatus] = frozenset(("wrong field", "retracted", "not found"))
"""Outcomes that somebody has to look at; the others are sound, or advice."""

UNSUPPORTED: frozenset[str] = frozenset(("nothing", "contradicted"))
"""What a cited paper may come to (`CitationSupport`) that is a finding, too."""

FieldName = Literal["title", "authors", "year", "venue", "pages", "volume", "id"]
DifferenceDegree = Literal[
    # Of authors.
    "other authors",
    "invented",
    "missing",
    "order",
    "given name",
    # Of titles.
    "other title",
    "words",
    "subtitle",
    # Of all fields.
    "other",
    "spelling",
    "leads elsewhere",
]
"""How a field differs; `spelling`: in a letter or two."""


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field of an entry that is not as the record has it."""

    field: FieldName
    degree: DifferenceDegree
    stated: str
    """In the entry."""
    known: str
    """In the record; of an id that leads elsewhere, where it leads."""
    is_certain: bool = True
    """Whether it is a fault: a difference that may have a good reason is only told."""


@dataclass(frozen=True, slots=True)
class BibliographyEntry:
    """One entry of a bibliography, or of the reference list of a document."""

    path: Path
    """Of the file that holds it."""
    line: int
    """From 1; 0 where the file has no lines, as a PDF."""
    key: str
    """What it is cited by: the key, or the label or number of a reference list."""
    paper: Paper
    """As it is stated; fields that it does not state are empty."""
    text: str = ""
    """As it is printed, of a reference list; its fields were recognised and may be wrong."""
    titles: tuple[str, ...] = ()
    """Of a printed entry: every part of it that may be its title, the most likely first."""
    field_lines: Mapping[str, int] | None = None
    """Where each field of a BibTeX entry begins, by its name in lower case; from 1."""

    @property
    def is_printed(self) -> bool:
        """Whether its fields were recognised in running text."""
        return bool(self.text)


@dataclass(frozen=True, slots=True)
class CheckedEntry:
    """An entry with its outcome, and what that was told from."""

    entry: BibliographyEntry
    status: EntryStatus
    record: Paper | None = None
    """What is known of the work; `None` where nothing is."""
    differences: tuple[FieldDifference, ...] = ()
    coverage: float | None = None
    """Of real works of its venue, year and type, the share that is known here; of entries without a record."""
    source: str = ""
    """Where the record is from: `library`, or the service that was asked."""
    note: str = ""
    """One sentence more, as that it was retracted and why; empty if there is none."""

    @property
    def is_finding(self) -> bool:
        """Whether somebody has to look at it."""
        return self.status in FINDINGS


@dataclass(frozen=True, slots=True)
class BibliographyReport:
    """All entries of a file, or of the bibliographies of a draft, and the sentences that cite them."""

    path: Path
    """As it was named."""
    entries: tuple[CheckedEntry, ...]
    citations: tuple[CheckedCitation, ...] = ()
    """Of a draft: what each cited paper says to the sentence that cites it."""
    notices: tuple[str, ...] = ()
    undefined_keys: tuple[str, ...] = ()
    """Cited by the draft, but in none of its bibliographies."""

    @property
    def counts(self) -> dict[EntryStatus, int]:
        """How many entries have each outcome that occurs, in the order of `ENTRY_STATUSES`."""
        counted = {status: sum(item.status == status for item in self.entries) for status in ENTRY_STATUSES}
        return {status: count for status, count in counted.items() if count}

    @property
    def has_findings(self) -> bool:
        """Whether any entry or citing sentence has to be looked at."""
        unsupported = any(citation.support in UNSUPPORTED for citation in self.citations)
        return bool(self.undefined_keys) or unsupported or any(item.is_finding for item in self.entries)
