"""Builds the engine from settings: wires the concrete parts, each imported when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.core.lazy import once
from litterm.engine import Engine

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.attribution.agent.runs import AgentAttribution
    from litterm.attribution.drafts.drafts import Drafts
    from litterm.attribution.excerpt import ExcerptReader
    from litterm.citations.citations import Citations
    from litterm.citations.counts import CitationCounts
    from litterm.cluster.shards import Shards
    from litterm.core.settings import Settings
    from litterm.evidence.llm.llm_evidence import LlmEvidence
    from litterm.evidence.matrix.matrices import Matrices
    from litterm.importers.reader import FileReader
    from litterm.interfaces import (
        Attributor,
        AttributorChoice,
        ChatModel,
        EvidenceExtractor,
        FacetSearcher,
        HopSearcher,
        Library,
        PaperSearcher,
        WorkLookup,
    )
    from litterm.library.combined_library import CombinedLibrary
    from litterm.library.failure_list import FailureList
    from litterm.library.index.memory_index import MemoryIndex
    from litterm.library.index.reader import IndexFolder, IndexReader
    from litterm.library.index.verification import IndexVerifier
    from litterm.library.memory_library import MemoryLibrary
    from litterm.library.visible_library import ShownLibrary
    from litterm.library.writer.library_writer import LibraryWriter
    from litterm.llm.registry import Models
    from litterm.model.attribution.citation import Excerpt
    from litterm.model.llm import ModelCost
    from litterm.reading_lists.builder import ListBuilder
    from litterm.reading_lists.reading_lists import ReadingLists
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.hybrid import HybridSearcher
    from litterm.search.rerank.rerank import ModelRanking
    from litterm.services.online import OnlineServices


def build_local_engine(settings: Settings) -> Engine:
    """Builds the engine of the library on this machine, in microseconds."""
    return Engine(EngineParts(settings))


class StoredParts:
    """The parts for what is stored: the library, its indexes and whether they are damaged, and the user's notes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @once
    def library(self) -> ShownLibrary:
        from litterm.annotations.merged_records import RecordDecisions
        from litterm.library.journal import FileJournal
        from litterm.library.segments.library import DuckLibrary
        from litterm.library.visible_library import ShownLibrary

        root = self._settings.library
        journal = FileJournal(root / "journal")
        decisions = RecordDecisions(lambda: self.annotations.undo_log, journal, journal.holds)
        return ShownLibrary(DuckLibrary(root), decisions.current)

    @once
    def annotations(self) -> Annotations:
        from litterm.container.constructors import open_annotations

        return open_annotations(self._settings.library)

    @once
    def index(self) -> IndexFolder:
        from litterm.library.index.reader import IndexFolder

        return IndexFolder(verifier=self.verifier)

    @once
    def verifier(self) -> IndexVerifier:
        from litterm.library.index.verification import MEMORY_FILE, IndexVerifier

        return IndexVerifier(self.library.root, self._settings.cache / MEMORY_FILE)

    def damage_notice(self) -> str:
        return " ".join(filter(None, (self.library.damage_notice(), self.verifier.notice(self.library.snapshot))))

    @once
    def failures(self) -> FailureList:
        return self.library.failures


class EngineParts(StoredParts):
    """Implements `engine.parts.Parts`. Each part is built on first use and gets the others that it depends on.

    Parts that may not be needed are passed as functions, so that nothing is opened or imported for them.
    """

    shards: Shards | None = None
    """The user's library on the nodes of a cluster, where there is one."""

    @once
    def both_libraries(self) -> CombinedLibrary:
        from litterm.library.combined_library import CombinedLibrary

        return CombinedLibrary(self.library, lambda: self._starter)

    @once
    def facet_searcher(self) -> FacetSearcher:
        from litterm.search.filters.facets import OneLibraryFacets

        return OneLibraryFacets(
            self._own_searcher, lambda: self._starter_searcher, lambda: bool(self.library.status().papers)
        )

    @once
    def searcher(self) -> PaperSearcher:
        from litterm.search.search import SearchPapers

        # Reading and indexing the starter papers takes 50 ms that a full library never needs.
        return SearchPapers(
            self._own_searcher,
            self.library,
            lambda: self._starter_searcher,
            named=self.both_libraries.paper_by_id,
            titled=lambda title: self.library.find_by_title([title])[0],
            damage_notice=self.damage_notice,
        )

    @once
    def counts(self) -> CitationCounts:
        from litterm.citations.counts import CitationCounts
        from litterm.citations.storage.count_files import FileCounts

        store = FileCounts(self.library.root / "counts")
        return CitationCounts(store, self.library, self._own_citations.graph, lambda: self.services.open_registry())

    @once
    def _own_citations(self) -> Citations:
        from litterm.container.constructors import open_citations

        # Without the starter library, which takes longer to read than an answer takes.
        return open_citations(self.library, self.index, lambda: None)

    @once
    def _own_searcher(self) -> HybridSearcher:
        return hybrid(self, self.library, self.index)

    @once
    def _starter_searcher(self) -> HybridSearcher | None:
        if self._starter is None:
            return None
        return hybrid(self, self._starter, self._starter_index)

    @once
    def _starter_index(self) -> MemoryIndex:
        from litterm.library.index.memory_index import MemoryIndex
        from litterm.library.index.static_embeddings import open_static
        from litterm.model.index import index_row

        return MemoryIndex(map(index_row, self._starter.all if self._starter else ()), model=open_static())

    def searchers(self) -> tuple[HybridSearcher, ...]:
        """The searcher over the user's papers, then that over the starter library."""
        return (self._own_searcher, *([self._starter_searcher] if self._starter_searcher else ()))

    @once
    def _attribution(self) -> AttributorChoice:
        from litterm.container.constructors import open_attribution

        def starter() -> tuple[MemoryLibrary, IndexReader] | None:
            return None if self._starter is None else (self._starter, self._starter_index)

        graph = self._own_citations.graph
        return open_attribution(
            (self.library, self.index), starter, self.both_libraries, self.works, graph, lambda: self.shards
        )

    def attributor(self, *, starter_only: bool = False) -> Attributor:
        return self._attribution(starter_only=starter_only)

    @property
    def read_excerpt(self) -> ExcerptReader:
        from litterm.attribution.excerpt import read_excerpt

        return read_excerpt

    def works(self) -> WorkLookup:
        from litterm.library.title_lookup import LibraryWorks

        return LibraryWorks(self.library, self.index)

    @once
    def _starter(self) -> MemoryLibrary | None:
        if not self._settings.starter:
            return None
        from litterm.container.constructors import starter_papers
        from litterm.library.memory_library import MemoryLibrary

        return MemoryLibrary(starter_papers())

    @once
    def record_curation(self) -> RecordCuration:
        from litterm.annotations.duplicates import RecordCuration
        from litterm.library.segments.paper_links import doubtful_pairs

        return RecordCuration(
            self.annotations.undo_log, lambda: self.both_libraries, lambda: doubtful_pairs(self.library.stored)
        )

    @once
    def saved_searches(self) -> SavedSearches:
        from litterm.annotations.saved_searches import SavedSearches

        return SavedSearches(
            self.annotations.undo_log,
            lambda: self.annotations.project,
            lambda query, k: self.searcher.search(query, k=k),
        )

    @once
    def citations(self) -> Citations:
        from litterm.container.constructors import open_citations

        return open_citations(self.library, self.index, lambda: self._starter)

    @once
    def hops(self) -> HopSearcher:
        from litterm.search.citation_expansion import OneHopSearcher

        return OneHopSearcher(self.searcher, self.citations.update)

    @once
    def model_ranking(self) -> ModelRanking:
        from litterm.container.constructors import open_ranking

        return open_ranking(self.searcher, self.hops, self._models)

    @once
    def services(self) -> OnlineServices:
        from litterm import __version__
        from litterm.container.constructors import open_online_services

        return open_online_services(self._settings, __version__, self.library, self.writer, lambda: self.reader)

    @once
    def extractor(self) -> EvidenceExtractor:
        from litterm.evidence.learned import open_extractor

        return open_extractor()

    @once
    def matrices(self) -> Matrices:
        from litterm import __version__
        from litterm.evidence.matrix.matrices import Matrices
        from litterm.evidence.matrix.run import MatrixFill
        from litterm.evidence.matrix.storage import FileMatrices

        filling = MatrixFill(
            store=FileMatrices(self._settings.library),
            library=self.both_libraries,
            extractor=lambda: self.extractor,
            failures=lambda: self.failures.all(),
            version=__version__,
            # Shared with the evidence pane.
            build_extractor=self.model_evidence.build_extractor,
            build_dry_run=self.model_evidence.build_dry_run,
        )
        return Matrices(filling, self.annotations)

    @once
    def model_evidence(self) -> LlmEvidence:
        from litterm.container.constructors import open_model_evidence

        return open_model_evidence(lambda: self.both_libraries, lambda: self.extractor, self._models)

    @once
    def aspects(self) -> Aspects:
        from litterm.container.constructors import open_aspects

        return open_aspects(self.searchers, lambda: self._models, self._settings.cache / "grades")

    @property
    def model(self) -> ChatModel | None:
        return self._models.model() if self._models.is_available else None

    @property
    def spent(self) -> ModelCost:
        return self._models.total_cost()

    @once
    def _models(self) -> Models:
        from litterm.llm.registry import Models

        return Models(self._settings)

    @once
    def reader(self) -> FileReader:
        from litterm.importers.reader import FileReader
        from litterm.library.workers.pdf_pool import PdfPool
        from litterm.library.workers.record_parser import ChildParser

        return FileReader(PdfPool(self._settings.pdf), ChildParser)

    def writer(self) -> LibraryWriter:
        from litterm.library.workers.segment_builder import ChildSegmentBuilder
        from litterm.library.writer.library_writer import LibraryWriter

        return LibraryWriter(self._settings.library, ChildSegmentBuilder(), library=self.library.stored)

    @once
    def reading_lists(self) -> ReadingLists:
        from litterm.container.constructors import open_reading_lists

        return open_reading_lists(self, self._list_builder, lambda: self._models)

    def _list_builder(self, *, starter_only: bool = False) -> ListBuilder:
        from litterm.container.constructors import open_list_builder

        return open_list_builder(self, *self._library_of_lists(starter_only=starter_only))

    def _library_of_lists(self, *, starter_only: bool) -> tuple[HybridSearcher, Library, IndexReader]:
        """Searcher, library and index for lists; the starter library if there are no papers, or by choice."""
        if self._starter_searcher is None or (self.library.status().papers and not starter_only):
            return self._own_searcher, self.library, self.index
        assert self._starter is not None
        return self._starter_searcher, self._starter, self._starter_index

    @once
    def citing(self) -> AgentAttribution:
        from litterm.container.constructors import open_citing

        return open_citing(self, self._models, self._settings)

    @once
    def drafts(self) -> Drafts:
        from litterm.container.constructors import open_drafts

        return open_drafts(self, self._settings.library)


def hybrid(
    parts: EngineParts, library: Library, index: IndexReader, kind: type[HybridSearcher] | None = None
) -> HybridSearcher:
    """Builds the default searcher over `library`, or one of the subclass `kind`."""
    from litterm.container.constructors import find_tagged_papers
    from litterm.library.index.static_embeddings import open_static
    from litterm.search.hybrid import HybridSearcher

    searcher = (kind or HybridSearcher)(
        library,
        index,
        embedder=open_static(),
        excerpt=_read_excerpt,
        paper=lambda key: parts.both_libraries.paper(key),
        tagged=lambda tag: find_tagged_papers(parts.annotations, tag),
    )
    searcher.use_citation_counts(parts.counts)
    return searcher


def _read_excerpt(text: str) -> Excerpt:
    # Imported when needed, because most queries are no excerpts.
    from litterm.attribution.excerpt import read_excerpt

    return read_excerpt(text)
