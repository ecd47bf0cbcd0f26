"""The engine of a litterm that is the client of a server: the same verbs, of which some are refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from litterm.citations.counts import CitationCounts
from litterm.core.errors import UsageError
from litterm.engine import Engine
from litterm.model.document import Document
from litterm.model.library import Failure, ImportReport, LibraryStatus
from litterm.server.requests import CountsAnswer, CountsRequest, ReadRequest, StatusRequest

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.engine.parts import Parts
    from litterm.model.citations.citation_counts import CountsReport, PaperCounts
    from litterm.model.citations.graph import Direction, FirstPapers, ListedWork
    from litterm.model.export import ExportFormat
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import HopOptions, Query, Ranking
    from litterm.model.services import Retried
    from litterm.server.connection import ServerConnection


_FRESH_S = 15.0


def refuse_remote(what: str) -> NoReturn:
    """Never returns.

    Raises:
        UsageError: always; names `what` needs a library on this machine.
    """
    raise UsageError(f"{what} needs a library on this machine; a server gives search, texts, evidence and citations.")


class RemoteCounts(CitationCounts):
    """Counts as the server has them; those of a ranking came with it."""

    def __init__(self, local: CitationCounts, connection: ServerConnection) -> None:
        super().__init__(local.store, local.library, local.graph, local.services)
        self._connection = connection

    def of(self, ids: Sequence[PaperId]) -> tuple[PaperCounts, ...]:
        """Per paper, every count there is."""
        return self._connection.ask("counts", CountsRequest(tuple(ids)), CountsAnswer).counts if ids else ()

    def until(self, ids: Sequence[PaperId], year: int) -> tuple[int | None, ...]:
        """Per paper, citations up to the end of `year`, by the service that counts most of them."""
        counts_by_source = [{count.source: count.until(year) for count in counts.services} for counts in self.of(ids)]
        sources = sorted({source for counts in counts_by_source for source in counts})
        known_papers = {
            source: sum(counts.get(source) is not None for counts in counts_by_source) for source in sources
        }
        # `sources` is sorted, so that of two services that count as many papers it is always the same.
        best = max(sources, key=lambda source: known_papers[source], default=None)
        return tuple(None if best is None else counts.get(best) for counts in counts_by_source)

    def onto(self, ranking: Ranking) -> Ranking:
        """`ranking` with the counts of its papers."""
        return ranking if all(ranked.cited is not None for ranked in ranking.papers) else super().onto(ranking)

    def sync(self, papers: Sequence[Paper] | None = None) -> Task[CountsReport]:
        """Refused: counts are the server's."""
        refuse_remote("Bringing citation counts up to date")


class RemoteEngine(Engine):
    """Every verb, where the library is on a server; what users write is kept on their own machine."""

    def __init__(self, parts: Parts, connection: ServerConnection, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parts)
        self._connection = connection
        self._clock = clock
        self._status: tuple[float, LibraryStatus] | None = None

    def status(self) -> LibraryStatus:
        """Counts of the server's library, a few seconds old at most."""
        held, now = self._status, self._clock()
        if held is None or now - held[0] > _FRESH_S:
            # An open workbench asks every two seconds, and many of a group may be open at once.
            held = self._status = (now, self._connection.ask("status", StatusRequest(), LibraryStatus))
        return held[1]

    def with_targets(self, document: Document) -> Task[Document]:
        """`document` with each reference that the library holds pointing at its paper."""
        request = ReadRequest(document.paper_id, targets=True)
        server_document = yield from self._connection.task("read", request, Document)
        # The server may hold another text by now, whose sentences are not those on the screen.
        return server_document if server_document.id == document.id else document

    def add(self, paths: Sequence[Path], *, retry: bool = False) -> Task[ImportReport]:
        """Files into the server's library, one after the other.

        Raises:
            BadInput: one of them is no file.
            TokenRefused: the user may not import.
        """
        done = ImportReport()
        for path in paths:
            report = yield from self._connection.upload(path, retry=retry)
            # The status is forgotten, so that the next look counts what has come in.
            done, self._status = _joined(done, report), None
        return done

    def after_import(self) -> Task[None]:
        """Nothing: the server has done it before it answered."""
        yield from ()

    def failures(self) -> tuple[Failure, ...]:
        """None: the report of each import names what could not be imported."""
        return ()

    def retry_failures(self, only: Collection[str] = ()) -> Task[Retried]:
        """Refused: failures are the server's."""
        refuse_remote("Another try at what failed")

    def first(self, query: Query, *, k: int = 10) -> Task[FirstPapers]:
        """Refused: the citation graph is the server's."""
        refuse_remote("Where a topic comes from")

    def one_hop(self, query: Query, *, k: int = 20, hop: HopOptions | None = None) -> Task[Ranking]:
        """Refused: the citation graph is the server's."""
        refuse_remote("One hop through the citation graph")

    def listed_here(self, paper: Paper, direction: Direction) -> Task[tuple[ListedWork, ...]]:
        """Refused: the citation graph is the server's."""
        refuse_remote("Who cites whom")

    def exported(
        self, ids: Sequence[str] | None, form: ExportFormat, *, notes: bool = True, most: int | None = None
    ) -> Task[str]:
        """As of a library on this machine; the whole library is not copied.

        Raises:
            UsageError: the whole library was asked for.
        """
        if ids is None:
            refuse_remote("An export of the whole library")
        return (yield from super().exported(ids, form, notes=notes, most=most))

    def export_rows(self) -> Iterator[str]:
        """Refused: the whole library is not copied."""
        refuse_remote("An export of the whole library")


def _joined(earlier: ImportReport, later: ImportReport) -> ImportReport:
    return replace(
        later,
        added=earlier.added + later.added,
        merged=earlier.merged + later.merged,
        unchanged=earlier.unchanged + later.unchanged,
        documents=earlier.documents + later.documents,
        doubtful=earlier.doubtful + later.doubtful,
        skipped_files=earlier.skipped_files + later.skipped_files,
        failures=(*earlier.failures, *later.failures),
        first_ids=(*earlier.first_ids, *later.first_ids)[:20],
        elapsed_s=earlier.elapsed_s + later.elapsed_s,
    )
