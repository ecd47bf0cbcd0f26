"""Bibliographies of files and drafts, read and checked; what the engine, the command and the workbench call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.attribution.bibliographies.check import BibliographyChecker
from litterm.attribution.bibliographies.coverage import VENUE_STATEMENT, KnownVenues, VenueRow
from litterm.attribution.bibliographies.entries import bibtex_entries, file_entries
from litterm.core.errors import BadInput, MissingInput
from litterm.core.tasks import Task
from litterm.model.attribution.bibliography import BibliographyEntry, BibliographyReport, CheckedEntry
from litterm.model.attribution.draft import CheckedCitation, DraftProject
from litterm.model.events import Progress

if TYPE_CHECKING:
    from litterm.attribution.bibliographies.online import OnlineRecords
    from litterm.attribution.drafts.drafts import Drafts
    from litterm.importers.reader import FileReader
    from litterm.interfaces import PaperSearcher, WorkLookup
    from litterm.model.sql import SqlResult

DRAFT_SUFFIXES = frozenset((".tex", ".ltx", ".latex", ".md", ".markdown", ".qmd", ".rmd", ".typ", ".org"))
"""Files whose bibliographies are checked, and the sentences that cite them."""


@dataclass(frozen=True, slots=True)
class ReadBibliography:
    """The entries of a file, and the draft that cites them, where it is one."""

    path: Path
    entries: tuple[BibliographyEntry, ...]
    project: DraftProject | None = None
    notices: tuple[str, ...] = ()
    undefined_keys: tuple[str, ...] = ()
    """Cited by the draft, but in none of its bibliographies."""


@dataclass(frozen=True, slots=True)
class Bibliographies:
    """Bibliographies held against the library and, where the user agrees, against services; safe from any thread."""

    works: Callable[[], WorkLookup]
    starter_works: Callable[[], WorkLookup | None]
    sql: Callable[[str], Task[SqlResult]]
    reader: Callable[[], FileReader]
    searcher: Callable[[], PaperSearcher]
    drafts: Callable[[], Drafts]
    online: Callable[[], OnlineRecords]

    def read(self, path: Path, bibs: Sequence[Path] = ()) -> ReadBibliography:
        """The entries of a `.bib`, of the bibliographies of a draft (`bibs`, else those it names), or of a document.

        Raises:
            MissingInput: there is no such file.
            BadInput: it cannot be read, or has no bibliography; an entry that cannot names its line.
        """
        if not path.is_file():
            raise MissingInput(f"{path}: there is no such file.")
        if path.suffix.lower() not in DRAFT_SUFFIXES:
            entries, told = file_entries(path, self.reader)
            if not entries:
                raise BadInput(f"{path}: has no bibliography that can be read.")
            return ReadBibliography(path, entries, notices=told)
        project = self.drafts().read(path, bibs)
        if not project.bibs:
            notice = f" {project.notices[-1]}" if project.notices else ""
            raise BadInput(f"{path}: no bibliography was found; name it with --bib FILE.{notice}")
        several = [bibtex_entries(bib) for bib in project.bibs]
        entries = tuple(entry for read, _ in several for entry in read)
        told = tuple(notice for _, notices in several for notice in notices)
        cited = {key for citation in project.citations for key in citation.keys}
        known = {entry.key for entry in entries}
        missing = tuple(sorted(cited - known - {"", "*"}))
        notices = (f"Cited, but in no bibliography of the draft: {', '.join(missing)}.",) if missing else ()
        return ReadBibliography(path, entries, project, (*project.notices, *told, *notices), missing)

    def check(self, read: ReadBibliography, *, with_citations: bool = True) -> Task[BibliographyReport]:
        """Every entry with its outcome; of a draft also the sentences that cite. Nothing is sent anywhere."""
        checked = yield from self.checker().check(read.entries)
        citations: tuple[CheckedCitation, ...] = ()
        if with_citations and read.project is not None:
            citations = yield from self.drafts().check(read.project)
        return BibliographyReport(read.path, checked, citations, read.notices, read.undefined_keys)

    def checker(self) -> BibliographyChecker:
        """Holds entries against the library."""
        return BibliographyChecker(self.works, self.starter_works, self.known_venues, self.searcher())

    def complete(self, report: BibliographyReport) -> Task[BibliographyReport]:
        """`report` with the entries that the library lacks held against what services know; sends ids and titles.

        Raises:
            Offline: the network is switched off.
        """
        entries, told = yield from self.online().complete(report.entries)
        return replace(report, entries=entries, notices=(*report.notices, *told))

    def absent(self, checked: Sequence[CheckedEntry]) -> tuple[CheckedEntry, ...]:
        """Those without a record: what services would be asked for."""
        return tuple(item for item in checked if item.record is None)

    def known_venues(self) -> Task[KnownVenues]:
        """The venues of the library, and how much of each it has."""
        statement = self.sql(VENUE_STATEMENT)
        while True:
            try:
                next(statement)
            except StopIteration as end:
                result: SqlResult = end.value
                break
            # What the statement says of itself means nothing to whoever checks a bibliography.
            yield Progress("venues of the library")
        return KnownVenues.of_rows(
            VenueRow(str(venue), str(booktitle), str(journal), year, str(source), count)
            for venue, booktitle, journal, year, source, count in result.rows
            if isinstance(year, int) and isinstance(count, int)
        )
