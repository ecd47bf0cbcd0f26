"""The engine for a library on a server: the same methods, most of them requests to the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import BadInput
from litterm.engine import Engine
from litterm.model.citations.graph import FirstPapers
from litterm.model.document import Document
from litterm.model.library import Failure, ImportReport, LibraryStatus
from litterm.server.client.refusals import refuse_remote
from litterm.server.operations import citations, papers
from litterm.server.protocol.own_conditions import resolve_own_conditions, restore_typed_conditions
from litterm.services.sync import add_reports

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.engine.parts import Parts
    from litterm.model.citations.graph import Direction, ListedWork
    from litterm.model.export import ExportFormat
    from litterm.model.library import TakenBack
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import Query
    from litterm.model.services import RetryReport
    from litterm.search.filters.filters import PapersByTag
    from litterm.server.client.connection import ServerConnection


_STATUS_CACHE_S = 15.0
_REVISION = "Records are corrected and taken apart, and imports taken back,"


class RemoteEngine(Engine):
    """The engine for a library on a server; what users write is stored on their own machine."""

    def __init__(
        self,
        parts: Parts,
        connection: ServerConnection,
        tagged: PapersByTag = lambda _tag: (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`tagged` gives the papers of the user's tags, lists, notes and projects."""
        super().__init__(parts)
        self._connection = connection
        self._tagged = tagged
        self._clock = clock
        self._status: tuple[float, LibraryStatus] | None = None

    def status(self) -> LibraryStatus:
        """Counts of the server's library, a few seconds old at most."""
        timed_status, now = self._status, self._clock()
        if timed_status is None or now - timed_status[0] > _STATUS_CACHE_S:
            # An open workbench asks every two seconds, and many of a group may be open at once.
            timed_status = self._status = (now, self._connection.ask(papers.status))
        return timed_status[1]

    def link_references(self, document: Document) -> Task[Document]:
        """`document` with each reference that the library holds pointing at its paper."""
        server_document = yield from self._connection.call(papers.read, document.paper_id, targets=True)
        # The server may have another text by now, with other sentences than those on the screen.
        return server_document if server_document.id == document.id else document

    def add(self, paths: Sequence[Path], *, retry: bool = False) -> Task[ImportReport]:
        """Imports files into the server's library, one by one; files that cannot be read here are reported.

        Raises:
            TokenRefused: the user may not import.
        """
        total = ImportReport()
        for path in paths:
            try:
                report = yield from self._connection.upload(path, retry=retry)
            except BadInput as error:
                report = ImportReport(failures=(Failure(str(path), str(error).removeprefix(f"{path}: ")),))
            # The cached status is dropped, so that the next one counts the new papers.
            total, self._status = add_reports(total, report), None
        return total

    def correct(self, paper_id: PaperId, correction: Paper) -> Task[Paper]:
        """Refused, as everybody in the group would see the correction."""
        refuse_remote(_REVISION)

    def undo_correction(self, paper_id: PaperId) -> Task[Paper]:
        """Refused."""
        refuse_remote(_REVISION)

    def separate(self, paper_id: PaperId, number: int) -> Task[tuple[Paper, Paper]]:
        """Refused."""
        refuse_remote(_REVISION)

    def take_back(self, path: Path) -> Task[TakenBack]:
        """Refused."""
        refuse_remote(_REVISION)

    def after_import(self) -> Task[None]:
        """Does nothing: the server has done it before it answered."""
        yield from ()

    def failures(self) -> tuple[Failure, ...]:
        """Always empty: the report of each import names what could not be imported."""
        return ()

    def retry_failures(self, only: Collection[str] = ()) -> Task[RetryReport]:
        """Refused, as failures are kept on the server."""
        return self.services.retry(only)

    def first(self, query: Query, *, k: int = 10) -> Task[FirstPapers]:
        """The `k` papers a topic began with.

        Raises:
            UsageError: `query` has no word to search for.
        """
        firsts = yield from self._connection.call(Engine.first, resolve_own_conditions(query, self._tagged), k=k)
        return replace(firsts, query=restore_typed_conditions(firsts.query, query))

    def listed_works(self, paper: Paper, direction: Direction) -> Task[tuple[ListedWork, ...]]:
        """What `paper` cites, or what cites it, as far as the server knows."""
        listing = citations.references if direction == "references" else citations.cited_by
        return (yield from self._connection.call(listing, paper))

    def export_papers(
        self, ids: Sequence[str] | None, form: ExportFormat, *, notes: bool = True, most: int | None = None
    ) -> Task[str]:
        """As of a library on this machine; the whole library is not copied.

        Raises:
            UsageError: the whole library was asked for.
        """
        if ids is None:
            refuse_remote("A whole library is exported")
        return (yield from super().export_papers(ids, form, notes=notes, most=most))

    def export_rows(self) -> Iterator[str]:
        """Refused, as the whole library is not copied."""
        refuse_remote("A whole library is exported")
