"""The interface of the engine's parts; `container` builds each part on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from litterm.annotations.annotations import Annotations
from litterm.annotations.duplicates import RecordCuration
from litterm.annotations.saved_searches import SavedSearches
from litterm.attribution.agent.runs import AgentAttribution
from litterm.attribution.cite import ExcerptReader
from litterm.attribution.drafts.drafts import Drafts
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
    from litterm.library.writer.library_writer import LibraryWriter


class Parts(Protocol):
    """One of each; asking twice gives the same object, from any thread."""

    def left_out(self) -> str:
        """One sentence where a part of the user's library cannot be read, as far as reading has shown; else empty."""
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
        """What tells of the papers found what they are."""
        ...

    @property
    def searcher(self) -> PaperSearcher:
        """Query to ranking."""
        ...

    def works(self) -> WorkLookup:
        """The user's papers by title, and by author and year; a new one for each task."""
        ...

    @property
    def extractor(self) -> EvidenceExtractor:
        """Hypothesis and document to evidence."""
        ...

    def attributor(self, *, starter_only: bool = False) -> Attributor:
        """Excerpt to candidates, from the user's papers or, while there are none or by choice, the starter library."""
        ...

    @property
    def read_excerpt(self) -> ExcerptReader:
        """Text to excerpt."""
        ...

    @property
    def reader(self) -> PaperReader:
        """Paths to papers."""
        ...

    @property
    def failures(self) -> FailureList:
        """Inputs that could not be imported."""
        ...

    def writer(self) -> LibraryWriter:
        """A new writer to the user's library, not begun."""
        ...

    @property
    def matrices(self) -> Matrices:
        """Every evidence matrix of the library."""
        ...

    @property
    def annotations(self) -> Annotations:
        """What the user writes."""
        ...

    @property
    def sources(self) -> OnlineServices:
        """Services of papers, asked when a verb needs them."""
        ...

    @property
    def index(self) -> IndexReader:
        """The index of the user's library."""
        ...

    # What ranks papers by more than the words of a query, and what asks a model.

    @property
    def citations(self) -> Citations:
        """Who cites whom, in the user's library and the starter library."""
        ...

    @property
    def counts(self) -> CitationCounts:
        """How often papers are cited, in the user's library and as services say."""
        ...

    @property
    def hops(self) -> HopSearcher:
        """Search that takes in what its best papers cite, or are cited by."""
        ...

    @property
    def model_ranking(self) -> ModelRanking:
        """Rankings by a language model, if one is set."""
        ...

    @property
    def aspects(self) -> Aspects:
        """Queries in several parts."""
        ...

    @property
    def model_evidence(self) -> LlmEvidence:
        """Evidence with a language model, if one is set."""
        ...

    @property
    def citing(self) -> AgentAttribution:
        """Citations by an agent, if a language model is set."""
        ...

    @property
    def spent(self) -> ModelCost:
        """What this process has spent on models so far."""
        ...

    @property
    def model(self) -> ChatModel | None:
        """The language model of the settings; `None` if none is set, or it may not be asked offline."""
        ...

    # What the user decided about the library as a whole, and what serves texts that somebody writes.

    @property
    def record_curation(self) -> RecordCuration:
        """Which records are one paper, and which papers are not shown."""
        ...

    @property
    def saved_searches(self) -> SavedSearches:
        """Saved searches."""
        ...

    @property
    def reading_lists(self) -> ReadingLists:
        """Reading lists, made and kept."""
        ...

    @property
    def drafts(self) -> Drafts:
        """Drafts read, answered, checked and patched."""
        ...
