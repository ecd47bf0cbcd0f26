"""Settings to engine: the one place that names concrete parts. Nothing is imported before a verb needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from litterm.engine import Engine
from litterm.once import once

if TYPE_CHECKING:
    from litterm.engine.agent import Citing
    from litterm.engine.aspects import Aspects
    from litterm.engine.citations import Citations
    from litterm.engine.cite import ExcerptReader
    from litterm.engine.curating import Curating
    from litterm.engine.desk import Desk
    from litterm.engine.drafts import Drafts
    from litterm.engine.judged import ModelEvidence
    from litterm.engine.matrix import Matrices
    from litterm.engine.reading_lists import ReadingLists
    from litterm.engine.rerank import ModelRanking
    from litterm.engine.search import SearchPapers
    from litterm.engine.shelves import Shelves
    from litterm.engine.sources import Sources
    from litterm.engine.watching import Watching
    from litterm.engine.works import LibraryWorks
    from litterm.formats.reader import FileReader
    from litterm.index.memory import MemoryIndex
    from litterm.index.reader import IndexFolder
    from litterm.llm.models import Models
    from litterm.model.citation import Excerpt
    from litterm.model.llm import Spent
    from litterm.protocols import (
        Attributor,
        ChatModel,
        EvidenceExtractor,
        FailureBook,
        HopSearcher,
        IndexReader,
        Library,
    )
    from litterm.retrieve.hybrid import HybridSearcher
    from litterm.settings import Settings
    from litterm.store.memory import MemoryLibrary
    from litterm.store.shown import ShownLibrary
    from litterm.store.writer import LibraryWriter


def build_engine(settings: Settings) -> Engine:
    """The engine these settings ask for; takes microseconds."""
    return Engine(_AllParts(settings))


class _PaperParts:
    """What knows the papers on this disk: library, starter library, and the searchers over them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @once
    def library(self) -> ShownLibrary:
        from litterm.shelving import open_library

        return open_library(self._settings.library, lambda: self.desk)

    @once
    def shelves(self) -> Shelves:
        from litterm.engine.shelves import Shelves

        return Shelves(self.library, lambda: self._starter)

    @once
    def searcher(self) -> SearchPapers:
        from litterm.engine.search import SearchPapers

        # Reading and indexing the starter papers takes 50 ms that a full library never needs.
        return SearchPapers(
            self._own_searcher,
            self.library,
            lambda: self._starter_searcher,
            named=self.shelves.paper,
            left_out=self.library.left_out,
        )

    @once
    def desk(self) -> Desk:
        from litterm.shelving import desk_of

        return desk_of(self._settings.library)

    @once
    def index(self) -> IndexFolder:
        from litterm.index.reader import IndexFolder

        return IndexFolder()

    @once
    def _own_searcher(self) -> HybridSearcher:
        return _hybrid(self, self.library, self.index)

    @once
    def _starter_searcher(self) -> HybridSearcher | None:
        if self._starter is None:
            return None
        return _hybrid(self, self._starter, self._starter_index)

    @once
    def _starter_index(self) -> MemoryIndex:
        from litterm.index.memory import MemoryIndex
        from litterm.index.static import open_static
        from litterm.model.index import index_row

        return MemoryIndex(map(index_row, self._starter.all if self._starter else ()), model=open_static())

    def searchers(self) -> tuple[HybridSearcher, ...]:
        """The one over the user's papers, then the one over those of the starter library."""
        return (self._own_searcher, *([self._starter_searcher] if self._starter_searcher else ()))

    @once
    def _attribution(self) -> Callable[[], Attributor]:
        from litterm.wiring import open_attribution

        def starter() -> tuple[Library, IndexReader] | None:
            return None if self._starter is None else (self._starter, self._starter_index)

        return open_attribution(self.library, self.index, starter, self.shelves, self.works)

    @property
    def attributor(self) -> Attributor:
        return self._attribution()

    @property
    def read_excerpt(self) -> ExcerptReader:
        from litterm.cite.excerpt import read_excerpt

        return read_excerpt

    def works(self) -> LibraryWorks:
        from litterm.engine.works import LibraryWorks

        return LibraryWorks(self.library, self.index)

    @once
    def _starter(self) -> MemoryLibrary | None:
        if not self._settings.starter:
            return None
        from litterm.store.memory import MemoryLibrary
        from litterm.wiring import starter_papers

        return MemoryLibrary(starter_papers())


class _KeptParts(_PaperParts):
    """What the user decided about the library as a whole."""

    @once
    def curating(self) -> Curating:
        from litterm.shelving import open_curating

        return open_curating(self.desk, self.library, lambda: self.shelves)

    @once
    def watching(self) -> Watching:
        from litterm.shelving import open_watching

        return open_watching(self.desk, self.searcher)


class _LocalParts(_KeptParts):
    """What the verbs are made of, over the library on this disk."""

    @once
    def citations(self) -> Citations:
        from litterm.wiring import open_citations

        return open_citations(self.library, self.index, lambda: self._starter)

    @once
    def hops(self) -> HopSearcher:
        from litterm.wiring import open_hops

        return open_hops(self.searcher, self.citations)

    @once
    def model_ranking(self) -> ModelRanking:
        from litterm.wiring import open_ranking

        return open_ranking(self.searcher, self.hops, self._models)

    @once
    def sources(self) -> Sources:
        from litterm import __version__
        from litterm.wiring import open_sources

        return open_sources(self._settings, __version__, self.library, self.writer, lambda: self.reader)

    @once
    def extractor(self) -> EvidenceExtractor:
        from litterm.evidence.shipped import open_extractor

        return open_extractor()

    @once
    def matrices(self) -> Matrices:
        from litterm import __version__
        from litterm.engine.filling import Filling
        from litterm.engine.matrix import Matrices
        from litterm.store.matrices import FileMatrices

        filling = Filling(
            store=FileMatrices(self._settings.library),
            library=self.shelves,
            extractor=lambda: self.extractor,
            failures=lambda: self.failures.all(),
            version=__version__,
            judge=self.model_evidence.judge,
            rehearse=self.model_evidence.rehearse,
        )
        return Matrices(filling, self.desk)

    @once
    def model_evidence(self) -> ModelEvidence:
        from litterm.wiring import open_model_evidence

        return open_model_evidence(lambda: self.shelves, lambda: self.extractor, self._models)

    @once
    def aspects(self) -> Aspects:
        from litterm.wiring import open_aspects

        return open_aspects(self.searchers, lambda: self._models, self._settings.cache / "grades")

    @property
    def model(self) -> ChatModel | None:
        return self._models.model() if self._models.is_there else None

    @property
    def spent(self) -> Spent:
        return self._models.spent()

    @once
    def _models(self) -> Models:
        from litterm.llm.models import Models

        return Models(self._settings)

    def left_out(self) -> str:
        return self.library.left_out()

    @once
    def reader(self) -> FileReader:
        from litterm.child.parser import ChildParser
        from litterm.child.pdf_pool import PdfPool
        from litterm.formats.reader import FileReader

        return FileReader(PdfPool(self._settings.pdf), ChildParser)

    @once
    def failures(self) -> FailureBook:
        return self.library.failures

    def writer(self) -> LibraryWriter:
        from litterm.child.builder import Builder
        from litterm.store.writer import LibraryWriter

        return LibraryWriter(self._settings.library, Builder(), library=self.library.stored)


class _AllParts(_LocalParts):
    """Implements `engine.parts.Parts`: with what serves texts that somebody writes."""

    @once
    def reading_lists(self) -> ReadingLists:
        from litterm.wiring import open_reading_lists

        return open_reading_lists(self, self._list_grounds, lambda: self._models)

    def _list_grounds(self) -> tuple[HybridSearcher, Library, IndexReader]:
        """What lists are made from: the user's papers or, as long as there are none, the starter library."""
        if self._starter_searcher is None or self.library.status().papers:
            return self._own_searcher, self.library, self.index
        assert self._starter is not None
        return self._starter_searcher, self._starter, self._starter_index

    @once
    def citing(self) -> Citing:
        from litterm.wiring import open_citing

        return open_citing(self, self._models, self._settings)

    @once
    def drafts(self) -> Drafts:
        from litterm.wiring import open_drafts

        return open_drafts(self, self._settings.library)


def _hybrid(parts: _PaperParts, library: Library, index: IndexReader) -> HybridSearcher:
    from litterm.index.static import open_static
    from litterm.retrieve.hybrid import HybridSearcher
    from litterm.wiring import with_tag

    return HybridSearcher(
        library,
        index,
        embedder=open_static(),
        excerpt=_read_excerpt,
        paper=lambda key: parts.shelves.paper(key),
        tagged=lambda tag: with_tag(parts.desk, tag),
    )


def _read_excerpt(text: str) -> Excerpt:
    # Most queries are none: what reads one is imported when it is needed.
    from litterm.cite.excerpt import read_excerpt

    return read_excerpt(text)
