"""The library as the user keeps it, put together: what is stored, and what was decided about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.engine.curating import Curating
    from litterm.engine.desk import Desk
    from litterm.engine.search import SearchPapers
    from litterm.engine.watching import Watching
    from litterm.protocols import Records
    from litterm.store.shown import ShownLibrary


def open_library(root: Path, desk: Callable[[], Desk]) -> ShownLibrary:
    """The library in `root` as the user wants it shown."""
    from litterm.engine.decisions import Decisions
    from litterm.store.journal import FileJournal
    from litterm.store.library import DuckLibrary
    from litterm.store.shown import ShownLibrary

    journal = FileJournal(root / "journal")
    decisions = Decisions(lambda: desk().ledger, journal, journal.holds)
    return ShownLibrary(DuckLibrary(root), decisions.now)


def open_curating(desk: Desk, library: ShownLibrary, records: Callable[[], Records]) -> Curating:
    """Decisions on the records of `library`."""
    from litterm.engine.curating import Curating
    from litterm.store.links import doubtful

    return Curating(desk.ledger, records, lambda: doubtful(library.stored))


def open_watching(desk: Desk, searcher: SearchPapers) -> Watching:
    """Saved searches of the project in use, over the user's papers."""
    from litterm.engine.watching import Watching

    return Watching(desk.ledger, lambda: desk.project, lambda query, k: searcher.search(query, k=k))


def desk_of(root: Path) -> Desk:
    """What the user writes about the library in `root`."""
    from litterm.engine.desk import open_desk
    from litterm.store.journal import FileJournal
    from litterm.store.session import last_project, project_session

    return open_desk(
        FileJournal(root / "journal"),
        project_session(root, ""),
        session_of=lambda key: project_session(root, key),
        last=last_project(root),
    )
