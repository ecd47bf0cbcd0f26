"""Builds the engine for a library on a server; the user's own data stays on this machine."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from litterm.container import EngineParts
from litterm.core.lazy import once
from litterm.server.client.connection import ServerConnection
from litterm.server.client.engine import RemoteEngine
from litterm.server.client.library import (
    RemoteAspects,
    RemoteAttributor,
    RemoteExtractor,
    RemoteHops,
    RemoteRecords,
    RemoteSearcher,
    RemoteWorks,
)

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.annotations.duplicates import RecordCuration
    from litterm.citations.citations import Citations
    from litterm.citations.counts import CitationCounts
    from litterm.core.settings import Settings
    from litterm.engine import Engine
    from litterm.interfaces import (
        Attributor,
        EvidenceExtractor,
        FacetSearcher,
        HopSearcher,
        PaperSearcher,
        WorkLookup,
    )
    from litterm.library.combined_library import CombinedLibrary
    from litterm.model.paper import PaperId
    from litterm.reading_lists.builder import ListBuilder
    from litterm.search.aspects.aspects import Aspects
    from litterm.services.online import OnlineServices


def build_remote_engine(settings: Settings) -> Engine:
    """Builds the engine for the library at `settings.server`.

    Raises:
        SettingsError: the token cannot be read, or would be sent where others can read it.
        Offline: the server is on another machine, and the network is switched off.
    """
    from litterm.core.settings.secrets import find_token

    host = urlsplit(settings.server).netloc
    token = find_token(settings.config.parent, host, os.environ)
    connection = ServerConnection(settings.server, token, offline=settings.offline)
    local_settings = replace(settings, library=server_folder(settings.library, host), starter=False)
    parts = _RemoteParts(local_settings, connection)
    return RemoteEngine(parts, connection, parts.tagged)


def server_folder(library: Path, host: str) -> Path:
    """The folder for annotations of papers on a server, separate from the user's own library."""
    name = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in host.lower())
    return library.parent / "servers" / name


class _RemoteParts(EngineParts):
    """Implements `engine.parts.Parts`: parts that read the library ask the server, all others are local."""

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
        return RemoteSearcher(self._connection, self.tagged)

    @property
    def facet_searcher(self) -> FacetSearcher:
        return RemoteSearcher(self._connection, self.tagged)

    def tagged(self, name: str) -> tuple[PaperId, ...]:
        """The papers of a tag, list, note or project of the user, which are stored on this machine."""
        from litterm.annotations.annotations import find_tagged

        return find_tagged(self.annotations, name)

    @once
    def hops(self) -> HopSearcher:
        return RemoteHops(self._connection, self.tagged)

    @once
    def aspects(self) -> Aspects:
        from litterm.container.constructors import open_aspects

        # Only scores need the library; queries are split, weighed and graded locally.
        aspects = open_aspects(tuple, lambda: self._models, self._settings.cache / "grades")
        return replace(aspects, scorer=lambda: RemoteAspects(self._connection))

    @once
    def citations(self) -> Citations:
        from litterm.container.constructors import open_citations
        from litterm.server.client.citations import RemoteCitations

        return RemoteCitations(open_citations(self.library, self.index, lambda: None), self._connection)

    @once
    def extractor(self) -> EvidenceExtractor:
        return RemoteExtractor(self._connection)

    def attributor(self, *, starter_only: bool = False) -> Attributor:
        return RemoteAttributor(self._connection)

    def works(self) -> WorkLookup:
        return RemoteWorks(self._connection, self._records)

    @once
    def counts(self) -> CitationCounts:
        from litterm.citations.counts import CitationCounts
        from litterm.citations.storage.count_files import FileCounts
        from litterm.server.client.citations import RemoteCounts

        store = FileCounts(self.library.root / "counts")
        # Passed as functions, because a search opens neither.
        local = CitationCounts(
            store, self.library, lambda: self.citations.graph(), lambda: self.services.open_registry()
        )
        return RemoteCounts(local, self._connection)

    def damage_notice(self) -> str:
        # The server adds such a notice to its answers.
        return ""

    def _list_builder(self, *, starter_only: bool = False) -> ListBuilder:
        from litterm.reading_lists.weights import read_weights
        from litterm.server.client.reading_lists import RemoteCandidates, RemoteListBuilder

        return RemoteListBuilder(RemoteCandidates(self._connection), read_weights(), self._connection)

    @once
    def record_curation(self) -> RecordCuration:
        from litterm.server.client.refusals import RemoteCuration

        return RemoteCuration(self.annotations.undo_log, lambda: self.both_libraries, tuple)

    @once
    def services(self) -> OnlineServices:
        from litterm import __version__
        from litterm.server.client.refusals import RemoteServices
        from litterm.services.registry import open_services
        from litterm.services.subscriptions import FileSubscriptions
        from litterm.services.sync import PaperSink

        def open_sink() -> PaperSink:
            folder = FileSubscriptions(self.library.root / "subscriptions")
            return PaperSink(self.writer, self.reader, self.library.failures, folder)

        return RemoteServices(
            lambda: open_services(self._settings, os.environ, __version__), open_sink, lambda: self.both_libraries
        )
