"""Builds and connects the controllers of imports, fetching, synchronising and references."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from litterm.model.annotations import UnfinishedJob
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.citations.citation_counts import LANE as COUNTS
from litterm.tui.citations.citation_counts import CountsController
from litterm.tui.citations.references import ReferencesController
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.command_line import Command
from litterm.tui.jobs.network_consent import NetworkConsent
from litterm.tui.library.fetch_context import FetchContext, FetchLog
from litterm.tui.library.full_text import FullTextController
from litterm.tui.library.import_ import ImportController
from litterm.tui.library.online_search import OnlineSearch
from litterm.tui.library.open_outside import OutsideController
from litterm.tui.library.sync import SyncController
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.controller import SearchController


class LibraryControllers(NamedTuple):
    """The controllers, by their names in actions."""

    imports: ImportController
    full_texts: FullTextController
    references: ReferencesController
    online: OnlineSearch
    sync: SyncController
    counts: CountsController
    outside: OutsideController

    def resume(self, job: UnfinishedJob) -> None:
        """Resume a job that an earlier session left unfinished."""
        if job.lane == "fetch":
            self.full_texts.resume(job)
        elif job.lane == "sync":
            self.sync.resume(job)
        elif job.lane == COUNTS:
            self.counts.resume(job)
        else:
            self.imports.resume(job)

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        return self.online.commands(), *self.sync.commands()


def build_library_controllers(
    context: WorkbenchContext,
    search: SearchController,
    reader: ReaderController,
    annotations_controller: AnnotationController,
    changed: Callable[[], None],
) -> LibraryControllers:
    """Builds the controllers, which share network consent; `changed` is called when the library changes."""
    consent, fetch_log = NetworkConsent(context), FetchLog()
    online, imports_controller = (
        OnlineSearch(context, search, consent, changed),
        ImportController(context, consent, fetch_log, changed),
    )
    imports_controller.show = reader.open_id
    parts, counts = (
        FetchContext(context, reader, annotations_controller, consent, fetch_log, changed),
        CountsController(context, consent),
    )
    full_texts_controller, sync_controller = FullTextController(parts), SyncController(context, consent, changed)
    full_texts_controller.fetched, sync_controller.count = partial(counts.fetch, quiet=True), counts.count_shown
    return LibraryControllers(
        imports_controller,
        full_texts_controller,
        ReferencesController(parts),
        online,
        sync_controller,
        counts,
        OutsideController(context, reader, annotations_controller, consent),
    )
