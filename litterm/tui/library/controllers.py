"""Builds the controllers of imports, fetching, synchronising and references."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.attribution.controller import CitationController
from litterm.tui.citations.citation_counts import CountsController
from litterm.tui.citations.references import ReferencesController
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.command_line import Command
from litterm.tui.jobs.network_consent import NetworkConsent
from litterm.tui.library.encoder import EncoderController
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
    encoder: EncoderController
    counts: CountsController
    outside: OutsideController

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        return self.online.command(), *self.sync.commands()


def build_library_controllers(
    context: WorkbenchContext,
    search: SearchController,
    reader: ReaderController,
    annotations: AnnotationController,
    attribution: CitationController,
    changed: Callable[[], None],
) -> LibraryControllers:
    """Builds the controllers, which share network consent; `changed` is called when the library changes."""
    consent, fetch_log = NetworkConsent(context), FetchLog()
    counts = CountsController(context, consent)
    parts = FetchContext(context, reader, annotations, consent, fetch_log, changed)
    imports = ImportController(
        context, consent, fetch_log, changed, search=search, reader=reader, attribution=attribution
    )
    return LibraryControllers(
        imports,
        FullTextController(parts, counts),
        ReferencesController(parts),
        OnlineSearch(context, search, consent, changed),
        SyncController(context, consent, changed, counts, imports.import_folder),
        EncoderController(context),
        counts,
        OutsideController(context, reader, annotations, consent),
    )
