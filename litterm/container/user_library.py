"""The library as the user keeps it, put together: what is stored, and what was decided about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.annotations.annotations import Annotations
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.interfaces import Records
    from litterm.library.visible_library import ShownLibrary
    from litterm.search.search import SearchPapers


def open_library(root: Path, desk: Callable[[], Annotations]) -> ShownLibrary:
    """The library in `root` as the user wants it shown."""
    from litterm.annotations.record_decisions import RecordDecisions
    from litterm.library.journal import FileJournal
    from litterm.library.segments.library import DuckLibrary
    from litterm.library.visible_library import ShownLibrary

    journal = FileJournal(root / "journal")
    decisions = RecordDecisions(lambda: desk().ledger, journal, journal.holds)
    return ShownLibrary(DuckLibrary(root), decisions.now)


def open_curating(desk: Annotations, library: ShownLibrary, records: Callable[[], Records]) -> RecordCuration:
    """Decisions on the records of `library`."""
    from litterm.annotations.duplicates import RecordCuration
    from litterm.library.segments.version_links import doubtful

    return RecordCuration(desk.ledger, records, lambda: doubtful(library.stored))


def open_watching(desk: Annotations, searcher: SearchPapers) -> SavedSearches:
    """Saved searches of the project in use, over the user's papers."""
    from litterm.annotations.saved_searches import SavedSearches

    return SavedSearches(desk.ledger, lambda: desk.project, lambda query, k: searcher.search(query, k=k))


def desk_of(root: Path) -> Annotations:
    """What the user writes about the library in `root`."""
    from litterm.annotations.annotations import open_desk
    from litterm.annotations.session_file import last_project, project_session
    from litterm.library.journal import FileJournal

    return open_desk(
        FileJournal(root / "journal"),
        project_session(root, ""),
        session_of=lambda key: project_session(root, key),
        last=last_project(root),
    )
