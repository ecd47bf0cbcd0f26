"""Builds the engine for a Ray cluster, whose nodes search the papers; everything else runs on this machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.cluster.connection import RayCluster, host_and_port
from litterm.core.errors import Offline
from litterm.core.lazy import once
from litterm.engine import Engine
from litterm.engine.parts import Parts

if TYPE_CHECKING:
    from litterm.cluster.shards import Shards
    from litterm.core.settings import Settings
    from litterm.evidence.matrix.matrices import Matrices
    from litterm.importers.reader import FileReader
    from litterm.library.writer.library_writer import LibraryWriter
    from litterm.model.citations.facts import FactsBuild
    from litterm.search.citation_candidates import CitationCandidateSearcher
    from litterm.search.hybrid import HybridSearcher

_LOCAL_HOSTS = frozenset(("", "auto", "localhost", "127.0.0.1", "::1"))


def build_cluster_engine(settings: Settings, facts: FactsBuild = "full") -> Engine:
    """Builds the engine with the cluster at `settings.cluster`, which is connected when it is needed.

    `facts` are the citation facts that it uses.

    Raises:
        Offline: the cluster is on another machine, and the network is switched off.
        UsageError: there is no such address.
    """
    address = settings.cluster
    host, _port = host_and_port(address)
    if settings.offline and host not in _LOCAL_HOSTS:
        raise Offline(f"The cluster at {address} is on another machine; leave out --offline, or --cluster.")
    return Engine(ClusterParts(settings, RayCluster(address), facts))


class ClusterParts(Parts):
    """The parts of the engine over a cluster: those that it makes faster are other ones."""

    def __init__(self, settings: Settings, cluster: RayCluster, facts: FactsBuild = "full") -> None:
        super().__init__(settings, facts)
        self._cluster = cluster

    @once
    def matrices(self) -> Matrices:
        """The evidence matrices of the library, whose cells the nodes fill."""
        from litterm.cluster.tasks.cells import ClusterCells
        from litterm.evidence.matrix.matrices import Matrices

        filling = replace(super().matrices.filling, remote_cells=ClusterCells(self._cluster).fill)
        return Matrices(filling, self.annotations)

    @once
    def reader(self) -> FileReader:
        """Reads papers from files, on the nodes."""
        from litterm.cluster.tasks.files import ClusterParser, ClusterPdf
        from litterm.importers.reader import FileReader

        return FileReader(
            ClusterPdf(self._cluster, self._settings.pdf), lambda folder: ClusterParser(self._cluster, folder)
        )

    def writer(self) -> LibraryWriter:
        """A new writer for the user's library, whose segments the nodes build; not started."""
        from litterm.cluster.tasks.segments import ClusterSegmentBuilder
        from litterm.library.writer.library_writer import LibraryWriter

        return LibraryWriter(self._settings.library, ClusterSegmentBuilder(self._cluster), library=self.library.stored)

    @once
    def shards(self) -> Shards:
        """The library on the nodes of the cluster, for everything that ranks papers."""
        from litterm.cluster.ray_shards import RayShards
        from litterm.cluster.shards import Shards

        source = self._settings.segments or (self._settings.library / "segments").absolute().as_uri()
        return Shards(RayShards(self._cluster, self._settings.cache / "segments", source))

    @once
    def own_searcher(self) -> HybridSearcher:
        """Ranks the user's papers on the nodes."""
        from litterm.cluster.row_source import ShardSource
        from litterm.library.index.static_embeddings import open_static

        source = ShardSource(self.shards, self.library, open_static(), tagged=self.tagged, cited=self.counts)
        return self._build_searcher(self.library, self.index, source)

    @once
    def own_candidates(self) -> CitationCandidateSearcher:
        """Finds papers of the user that may be cited at a mark, on the nodes."""
        from litterm.cluster.citations import ShardCitationSource
        from litterm.library.index.static_embeddings import open_static
        from litterm.search.citation_candidates import CitationCandidateSearcher

        source = ShardCitationSource(self.shards, self.library, open_static())
        return CitationCandidateSearcher(self.library, self.index, embedder=open_static(), source=source)
