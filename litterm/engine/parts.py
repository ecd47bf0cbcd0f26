"""The interface of the engine's parts; `container` builds each part on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from litterm.annotations.annotations import Annotations
from litterm.annotations.duplicates import RecordCuration
from litterm.annotations.saved_searches import SavedSearches
from litterm.attribution.agent.runs import AgentAttribution
from litterm.attribution.drafts.drafts import Drafts
from litterm.attribution.excerpt import ExcerptReader
from litterm.citations.citations import Citations
from litterm.citations.counts import CitationCounts
from litterm.evidence.llm.llm_evidence import LlmEvidence
from litterm.evidence.matrix.matrices import Matrices
from litterm.interfaces import (
    Attributor,
    ChatModel,
    EvidenceExtractor,
    FacetSearcher,
    HopSearcher,
    Library,
    PaperReader,
    PaperSearcher,
    WorkLookup,
)
from litterm.library.combined_library import CombinedLibrary
from litterm.model.llm import ModelCost
from litterm.reading_lists.reading_lists import ReadingLists
from litterm.search.aspects.aspects import Aspects
from litterm.search.rerank.rerank import ModelRanking
from litterm.services.online import OnlineServices

if TYPE_CHECKING:
    from litterm.library.failure_list import FailureList
    from litterm.library.index.reader import IndexReader
    from litterm.library.index.verification import IndexVerifier
    from litterm.library.writer.library_writer import LibraryWriter


class Parts(Protocol):
    """The parts of the engine. Each is built once; thread-safe."""

    def damage_notice(self) -> str:
        """A sentence that says which part of the library is damaged, as far as is known; else empty."""
        ...

    @property
    def verifier(self) -> IndexVerifier:
        """Compares the files of opened indexes with their checksums, in the background."""
        ...

    @property
    def library(self) -> Library:
        """The user's own papers."""
        ...

    @property
    def both_libraries(self) -> CombinedLibrary:
        """The user's papers and the starter library, by id."""
        ...

    @property
    def facet_searcher(self) -> FacetSearcher:
        """Counts results by year, venue, type and source."""
        ...

    @property
    def searcher(self) -> PaperSearcher:
        """Ranks papers for a query."""
        ...

    def works(self) -> WorkLookup:
        """Looks up the user's papers by title, and by author and year; a new object for each task."""
        ...

    @property
    def extractor(self) -> EvidenceExtractor:
        """Extracts evidence on a hypothesis from a document."""
        ...

    def attributor(self, *, starter_only: bool = False) -> Attributor:
        """Finds candidates for an excerpt; in the starter library if there are no papers, or by choice."""
        ...

    @property
    def read_excerpt(self) -> ExcerptReader:
        """Parses a text with citation marks."""
        ...

    @property
    def reader(self) -> PaperReader:
        """Reads papers from files."""
        ...

    @property
    def failures(self) -> FailureList:
        """Inputs that could not be imported."""
        ...

    def writer(self) -> LibraryWriter:
        """A new writer for the user's library, not started."""
        ...

    @property
    def matrices(self) -> Matrices:
        """The evidence matrices of the library."""
        ...

    @property
    def annotations(self) -> Annotations:
        """The user's annotations."""
        ...

    @property
    def services(self) -> OnlineServices:
        """Online services."""
        ...

    @property
    def index(self) -> IndexReader:
        """The index of the user's library."""
        ...

    @property
    def citations(self) -> Citations:
        """The citation graph of the user's library and the starter library."""
        ...

    @property
    def counts(self) -> CitationCounts:
        """Citation counts, within the user's library and by service."""
        ...

    @property
    def hops(self) -> HopSearcher:
        """Search that adds papers linked to the best results by citations."""
        ...

    @property
    def model_ranking(self) -> ModelRanking:
        """Reranking by a language model, if one is set."""
        ...

    @property
    def aspects(self) -> Aspects:
        """Queries in several aspects."""
        ...

    @property
    def model_evidence(self) -> LlmEvidence:
        """Evidence with a language model, if one is set."""
        ...

    @property
    def citing(self) -> AgentAttribution:
        """Attribution by an agent, if a language model is set."""
        ...

    @property
    def spent(self) -> ModelCost:
        """What this process has spent on models so far."""
        ...

    @property
    def model(self) -> ChatModel | None:
        """The configured language model; `None` if there is none, or if it may not be used offline."""
        ...

    @property
    def record_curation(self) -> RecordCuration:
        """Merging duplicate records, and hiding papers."""
        ...

    @property
    def saved_searches(self) -> SavedSearches:
        """Saved searches."""
        ...

    @property
    def reading_lists(self) -> ReadingLists:
        """Reading lists."""
        ...

    @property
    def drafts(self) -> Drafts:
        """Drafts with missing or existing citations."""
        ...
