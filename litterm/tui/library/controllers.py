"""Those of the workbench's collaborators that use the network, put together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from litterm.model.annotations import UnfinishedJob
from litterm.tui.annotations import AnnotationController
from litterm.tui.command_line import Command
from litterm.tui.context import WorkbenchContext
from litterm.tui.jobs.network_consent import NetworkConsent
from litterm.tui.library.citation_counts import LANE as COUNTS
from litterm.tui.library.citation_counts import CountsController
from litterm.tui.library.fetch_context import FetchContext, FetchLog
from litterm.tui.library.full_text import FullTextController
from litterm.tui.library.import_ import ImportController
from litterm.tui.library.online_search import OnlineSearch
from litterm.tui.library.references import ReferencesController
from litterm.tui.library.sync import SyncController
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.controller import SearchController


class LibraryControllers(NamedTuple):
    """Those controllers, by their names in actions."""

    imports: ImportController
    full_texts: FullTextController
    references: ReferencesController
    online: OnlineSearch
    sync: SyncController
    counts: CountsController

    def resume(self, job: UnfinishedJob) -> None:
        """Ask once more for what an earlier start left unfinished."""
        if job.lane == "fetch":
            self.full_texts.resume(job)
        elif job.lane == "sync":
            self.sync.resume(job)
        elif job.lane == COUNTS:
            self.counts.resume(job)
        else:
            self.imports.resume(job)

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of them."""
        return self.online.commands(), *self.sync.commands()


def connect(
    stage: WorkbenchContext,
    searching: SearchController,
    reading: ReaderController,
    deciding: AnnotationController,
    changed: Callable[[], None],
) -> LibraryControllers:
    """They share what was said about the network, and what came of each id; `changed` says that the library has."""
    leaving, ledger = NetworkConsent(stage), FetchLog()
    online, adding = OnlineSearch(stage, searching, leaving, changed), ImportController(stage, leaving, ledger, changed)
    adding.show = reading.open_id
    parts, counts = FetchContext(stage, reading, deciding, leaving, ledger, changed), CountsController(stage, leaving)
    fetching, syncing = FullTextController(parts), SyncController(stage, leaving, changed)
    fetching.fetched, syncing.count = partial(counts.bring, quiet=True), counts.shown
    return LibraryControllers(adding, fetching, ReferencesController(parts), online, syncing, counts)
