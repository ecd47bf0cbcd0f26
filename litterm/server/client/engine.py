"""The engine for a library on a server: the same methods, most of them requests to the server.

The user's own data stays on this machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from litterm.core.errors import BadInput
from litterm.core.lazy import once
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.engine.parts import Parts
from litterm.model.document import Document
from litterm.model.library import Failure, ImportReport, LibraryStatus
from litterm.model.search import Query
from litterm.server.client.connection import ServerConnection
from litterm.server.client.library import (
    RemoteAspects,
    RemoteAttributor,
    RemoteExtractor,
    RemoteHops,
    RemoteRecords,
    RemoteSearcher,
    RemoteWorks,
)
from litterm.server.client.refusals import refuse_remote
from litterm.server.operations import citations, papers
from litterm.server.operations.operation import Operation
from litterm.server.operations.table import OPERATIONS
from litterm.server.protocol.own_conditions import resolve_own_conditions, restore_typed_conditions
from litterm.services.sync import add_reports

if TYPE_CHECKING:
    from litterm.annotations.duplicates import RecordCuration
    from litterm.citations.citations import Citations
    from litterm.citations.counts import CitationCounts
    from litterm.core.settings import Settings
    from litterm.core.tasks import Task
    from litterm.engine.attachments import Attachments
    from litterm.engine.file_exports import FileExports
    from litterm.interfaces import (
        AspectScorer,
        Attributor,
        EvidenceExtractor,
        HopSearcher,
        PaperSearcher,
        WorkLookup,
    )
    from litterm.library.annotated_papers import AnnotatedPapers
    from litterm.library.imports import LibraryImports
    from litterm.library.paper_lookup import PaperLookup
    from litterm.library.watched_folders import WatchedFolders
    from litterm.model.citations.graph import Direction, ListedWork
    from litterm.model.export import ExportFormat
    from litterm.model.imports import LibraryImport
    from litterm.model.library import TakenBack
    from litterm.model.paper import LibraryName, Paper, PaperId
    from litterm.model.services import RetryReport
    from litterm.model.sql import SqlResult
    from litterm.reading_lists.builder import ListBuilder
    from litterm.search.filters.filters import PapersByTag
    from litterm.services.online import OnlineServices


_STATUS_CACHE_S = 15.0
_REVISION = "Records are corrected and taken apart, and imports taken back,"


def build_remote_engine(settings: Settings) -> Engine:
    """Builds the engine for the library at `settings.server`.

    Raises:
        SettingsError: the token cannot be read, or would be sent where others can read it.
        Offline: the server is on another machine, and the network is switched off.
    """
    from litterm.core.settings.load import own_server
    from litterm.core.settings.secrets import find_token, unsent_token_hint

    host = urlsplit(settings.server).netloc
    place = (settings.config.parent, settings.server, os.environ, own_server(settings.config, os.environ))
    token = find_token(*place)
    hint = "" if token else unsent_token_hint(*place)
    connection = ServerConnection(settings.server, token, offline=settings.offline, token_hint=hint)
    local_settings = replace(settings, library=server_folder(settings.library, host), starter=False)
    parts = RemoteParts(local_settings, connection)
    return RemoteEngine(parts, connection, parts.tagged)


def server_folder(library: Path, host: str) -> Path:
    """The folder for annotations of papers on a server, separate from the user's own library."""
    name = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in host.lower())
    return library.parent / "servers" / name


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

    def add(self, paths: Sequence[Path], *, retry: bool = False, attached: bool = True) -> Task[ImportReport]:
        """Imports files into the server's library, one by one; files that cannot be read here are reported.

        Each is sent without the files that it names, whatever `attached` says.

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

    def take_back(self, source: Path | LibraryImport) -> Task[TakenBack]:
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

    def listed_works(self, paper: Paper, direction: Direction) -> Task[tuple[ListedWork, ...]]:
        """What `paper` cites, or what cites it, as far as the server knows."""
        listing = citations.references if direction == "references" else citations.cited_by
        return (yield from self._connection.call(listing, paper))

    def export_papers(
        self,
        ids: Sequence[str] | None,
        form: ExportFormat,
        *,
        notes: bool = True,
        most: int | None = None,
        keys: Mapping[PaperId, str] | None = None,
    ) -> Task[str]:
        """As of a library on this machine; the whole library is not copied.

        Raises:
            UsageError: the whole library was asked for.
        """
        if ids is None:
            refuse_remote("A whole library is exported")
        return (yield from super().export_papers(ids, form, notes=notes, most=most, keys=keys))

    def export_rows(self) -> Iterator[str]:
        """Refused, as the whole library is not copied."""
        refuse_remote("A whole library is exported")

    def sql(self, statement: str, *, limit: int | None = None) -> Task[SqlResult]:
        """Refused."""
        refuse_remote("SQL is run")

    def perform(self, operation: Operation, *arguments: Any, **named: Any) -> Task[Any]:
        """Has the server perform an operation; conditions on the user's own notes in a query are resolved here."""
        arguments_by_name = operation.name_arguments(*arguments, **named)
        queries = {name: value for name, value in arguments_by_name.items() if isinstance(value, Query)}
        resolved = {name: resolve_own_conditions(query, self._tagged) for name, query in queries.items()}
        result = yield from self._connection.call(operation.method, **{**arguments_by_name, **resolved})
        answered = getattr(result, "query", None)
        for typed in queries.values():
            if isinstance(answered, Query):
                result = replace(result, query=restore_typed_conditions(answered, typed))
        return result


def _remote_method(operation: Operation) -> Callable[..., Any]:
    @wraps(operation.method)
    def perform(engine: RemoteEngine, *arguments: Any, **named: Any) -> Any:
        task = engine.perform(operation, *arguments, **named)
        return task if operation.is_task else run(task)

    return perform


for _operation in OPERATIONS:
    _name = _operation.method.__name__
    # The server performs what is a method of the engine, unless this engine has a way of its own.
    if vars(Engine).get(_name) is _operation.method and _name not in vars(RemoteEngine):
        setattr(RemoteEngine, _name, _remote_method(_operation))


class RemoteParts(Parts):
    """The parts of the engine for a library on a server: those that read it ask the server, all others are local."""

    def __init__(self, settings: Settings, connection: ServerConnection) -> None:
        super().__init__(settings)
        self._connection = connection

    @once
    def records(self) -> RemoteRecords:
        return RemoteRecords(self._connection)

    @once
    def lookup(self) -> PaperLookup:
        from litterm.library.paper_lookup import PaperLookup

        return PaperLookup(self.records)

    @once
    def searcher(self) -> PaperSearcher:
        return RemoteSearcher(self._connection, self.tagged)

    @once
    def hops(self) -> HopSearcher:
        return RemoteHops(self._connection, self.tagged)

    @once
    def aspect_scorer(self) -> AspectScorer:
        # Only scores need the library; queries are split, weighed and graded locally.
        return RemoteAspects(self._connection)

    @once
    def citations(self) -> Citations:
        from litterm.server.client.citations import RemoteCitations

        return RemoteCitations(self.own_citations, self._connection)

    @once
    def extractor(self) -> EvidenceExtractor:
        return RemoteExtractor(self._connection)

    def attributor(self, library_name: LibraryName | None = None) -> Attributor:
        return RemoteAttributor(self._connection)

    def works(self) -> WorkLookup:
        return RemoteWorks(self._connection, self.records)

    @once
    def counts(self) -> CitationCounts:
        from litterm.citations.count_store import CountStore
        from litterm.citations.counts import CitationCounts
        from litterm.server.client.citations import RemoteCounts

        store = CountStore(self.library.root)
        # Passed as functions, because a search opens neither.
        local = CitationCounts(
            store, self.library, lambda: self.citations.graph(), lambda: self.services.open_registry()
        )
        return RemoteCounts(local, self._connection)

    def damage_notice(self) -> str:
        # The server adds such a notice to its answers.
        return ""

    def list_builder(self, library_name: LibraryName | None = None) -> ListBuilder:
        from litterm.reading_lists.weights import read_weights
        from litterm.server.client.reading_lists import RemoteCandidates, RemoteListBuilder

        return RemoteListBuilder(RemoteCandidates(self._connection), read_weights(), self._connection)

    @once
    def record_curation(self) -> RecordCuration:
        from litterm.server.client.refusals import RemoteCuration

        return RemoteCuration(self.annotations.undo_log, lambda: self.lookup, tuple)

    @once
    def watched_folders(self) -> WatchedFolders:
        from litterm.server.client.refusals import RemoteFolders

        return RemoteFolders(self.state, lambda: self.reader, self.writer, lambda: self.lookup)

    @once
    def imports(self) -> LibraryImports:
        from litterm.server.client.refusals import RemoteImports

        return RemoteImports(self.library)

    @once
    def annotated_papers(self) -> AnnotatedPapers:
        from litterm.server.client.refusals import RemoteAnnotatedPapers

        return RemoteAnnotatedPapers(self.library)

    @once
    def attachments(self) -> Attachments:
        from litterm.server.client.refusals import RemoteAttachments

        return RemoteAttachments(self)

    @once
    def file_exports(self) -> FileExports:
        from litterm.server.client.refusals import RemoteFileExports

        return RemoteFileExports(self)

    @once
    def services(self) -> OnlineServices:
        from litterm.server.client.refusals import RemoteServices

        return RemoteServices(self._open_registry, self._open_sink, lambda: self.lookup)
