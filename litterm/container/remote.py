"""Settings to engine where the library is on a server: its parts ask there, and what users write is kept here."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from litterm.container import EngineParts
from litterm.core.lazy import once
from litterm.server.connection import ServerConnection
from litterm.server.remote_engine import RemoteCounts, RemoteEngine, refuse_remote
from litterm.server.remote_library import (
    RemoteAttributor,
    RemoteExtractor,
    RemoteRecords,
    RemoteSearcher,
    RemoteWorks,
)

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.citations.counts import CitationCounts
    from litterm.core.settings import Settings
    from litterm.engine import Engine
    from litterm.interfaces import (
        Attributor,
        EvidenceExtractor,
        FacetSearcher,
        IndexReader,
        Library,
        PaperSearcher,
        WorkLookup,
    )
    from litterm.library.combined_library import CombinedLibrary
    from litterm.search.hybrid import HybridSearcher
    from litterm.services.online import OnlineServices


def build_remote_engine(settings: Settings) -> Engine:
    """The engine over the library of `settings.server`.

    Raises:
        SettingsError: the token cannot be read, or would be sent where others can read it.
        Offline: the server is on another machine, and the network is switched off.
    """
    from litterm.core.settings.secrets import find_token

    host = urlsplit(settings.server).netloc
    token = find_token(settings.config.parent, host, os.environ)
    connection = ServerConnection(settings.server, token, offline=settings.offline)
    here = replace(settings, library=folder_of(settings.library, host), starter=False)
    return RemoteEngine(_RemoteParts(here, connection), connection)


def folder_of(library: Path, host: str) -> Path:
    """Where marks, notes and projects about the papers of a server are kept: beside one's own library."""
    name = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in host.lower())
    return library.parent / "servers" / name


class _RemoteParts(EngineParts):
    """Implements `engine.parts.Parts`: what reads the library asks the server, all else is as on any machine."""

    def __init__(self, settings: Settings, connection: ServerConnection) -> None:
        super().__init__(settings)
        self._connection = connection

    @once
    def _records(self) -> RemoteRecords:
        return RemoteRecords(self._connection)

    @once
    def both_libraries(self) -> CombinedLibrary:
        from litterm.library.combined_library import CombinedLibrary

        return CombinedLibrary(self._records, lambda: None)

    @once
    def searcher(self) -> PaperSearcher:
        return RemoteSearcher(self._connection)

    @property
    def facet_searcher(self) -> FacetSearcher:
        return RemoteSearcher(self._connection)

    @once
    def extractor(self) -> EvidenceExtractor:
        return RemoteExtractor(self._connection)

    @property
    def attributor(self) -> Attributor:
        return RemoteAttributor(self._connection)

    def works(self) -> WorkLookup:
        return RemoteWorks(self._connection, self._records)

    @once
    def counts(self) -> CitationCounts:
        from litterm.citations.count_storage import FileCounts
        from litterm.citations.counts import CitationCounts

        local = CitationCounts(
            FileCounts(self.library.root / "counts"), self.library, self.citations.graph, _refused_services
        )
        return RemoteCounts(local, self._connection)

    def left_out(self) -> str:
        # What of the server's library cannot be read comes as a notice of its answers.
        return ""

    def searchers(self) -> tuple[HybridSearcher, ...]:
        refuse_remote("A query of several aspects")

    def _library_of_lists(self) -> tuple[HybridSearcher, Library, IndexReader]:
        refuse_remote("Making a reading list")

    @once
    def sources(self) -> OnlineServices:
        from litterm.services.online import OnlineServices
        from litterm.services.subscriptions import FileSubscriptions
        from litterm.services.sync import PaperSink

        def stock() -> PaperSink:
            folder = FileSubscriptions(self.library.root / "subscriptions")
            return PaperSink(self.writer, self.reader, self.library.failures, folder)

        return OnlineServices(_refused_services, stock, lambda: self.both_libraries)


def _refused_services() -> NoReturn:
    refuse_remote("Getting papers from services")
