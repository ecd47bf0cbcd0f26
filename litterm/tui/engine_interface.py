"""The methods of the engine that the workbench calls.

An interface and not the class `Engine`, so that the tests can drive the workbench over an engine in memory whose
tasks they hold back, and so that importing the screen imports no feature of the core.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from litterm.core.tasks import Task
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.model.document import Document, Span
from litterm.model.evidence import Evidence, EvidenceScope
from litterm.model.export import ExportFormat
from litterm.model.library import Failure, ImportReport, LibraryStatus, TakenBack
from litterm.model.paper import Paper, PaperId
from litterm.model.search import DEFAULT_RESULTS, Facet, Query, Ranking, SortOrder

# For types only: at run time each of these would bring a feature of the core along.
if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.attribution.agent.runs import AgentAttribution
    from litterm.attribution.drafts.drafts import Drafts
    from litterm.citations.citations import Citations
    from litterm.citations.counts import CitationCounts
    from litterm.evidence.llm.llm_evidence import LlmEvidence
    from litterm.evidence.matrix.matrices import Matrices
    from litterm.model.citations.graph import FirstPapers
    from litterm.model.overview import HomeOverview, UndoStep
    from litterm.model.search import HopOptions
    from litterm.model.services import RetryReport
    from litterm.reading_lists.reading_lists import ReadingLists
    from litterm.render.export.markdown import Quote
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.rerank.rerank import ModelRanking
    from litterm.services.online import OnlineServices


class WorkbenchEngine(Protocol):
    """The engine as the workbench uses it; tasks run in threads."""

    @property
    def saved_searches(self) -> SavedSearches:
        """Saved searches."""
        ...

    @property
    def record_curation(self) -> RecordCuration:
        """Merged records and removed papers."""
        ...

    def damage_notice(self) -> str:
        """A sentence that says which part of the library is damaged, as far as is known; else empty."""
        ...

    def home(self) -> Task[HomeOverview]:
        """Gather the home page: what is new, half read and unfinished."""
        ...

    def undo_steps(self) -> Task[tuple[UndoStep, ...]]:
        """Changes that can be redone or undone, the newest first."""
        ...

    @property
    def matrices(self) -> Matrices:
        """Hypotheses over many papers."""
        ...

    @property
    def reading_lists(self) -> ReadingLists:
        """Reading lists, made, kept and changed."""
        ...

    @property
    def drafts(self) -> Drafts:
        """Texts the user writes."""
        ...

    def add(self, paths: Sequence[Path], *, retry: bool = False) -> Task[ImportReport]:
        """Import files and folders."""
        ...

    def correct(self, paper_id: PaperId, correction: Paper) -> Task[Paper]:
        """Correct a record by hand."""
        ...

    def undo_correction(self, paper_id: PaperId) -> Task[Paper]:
        """Take back all corrections of a record."""
        ...

    def separate(self, paper_id: PaperId, number: int) -> Task[tuple[Paper, Paper]]:
        """Take a source out of a merged record."""
        ...

    def take_back(self, path: Path) -> Task[TakenBack]:
        """Take back an import."""
        ...

    def failures(self) -> tuple[Failure, ...]:
        """Inputs that could not be imported."""
        ...

    def retry_failures(self, only: Collection[str] = ()) -> Task[RetryReport]:
        """Try everything that failed again, or what failed of these origins."""
        ...

    def dismiss_failures(self, only: Collection[str] = ()) -> int:
        """Forget them, or those of these origins; how many there were."""
        ...

    @property
    def services(self) -> OnlineServices:
        """Synchronising, full texts and live search."""
        ...

    @property
    def aspects(self) -> Aspects:
        """Queries in several parts."""
        ...

    @property
    def citing(self) -> AgentAttribution:
        """Citations by a model that searches and reads."""
        ...

    @property
    def model_evidence(self) -> LlmEvidence:
        """Evidence with a language model."""
        ...

    @property
    def model_ranking(self) -> ModelRanking:
        """The order of the results by a model."""
        ...

    @property
    def annotations(self) -> Annotations:
        """What the user writes."""
        ...

    @property
    def citations(self) -> Citations:
        """Who cites whom."""
        ...

    @property
    def counts(self) -> CitationCounts:
        """How often papers are cited."""
        ...

    def one_hop(self, query: Query, *, k: int = DEFAULT_RESULTS, hop: HopOptions | None = None) -> Task[Ranking]:
        """The best `k` papers of a search and of what its best papers cite."""
        ...

    def parse(self, typed: str, *, finished: bool = True) -> Query:
        """Read a query; raises `QueryError`."""
        ...

    def search(
        self, typed: str | Query, *, k: int = DEFAULT_RESULTS, sort: SortOrder = "relevance", finished: bool = True
    ) -> Task[Ranking]:
        """The best `k` papers."""
        ...

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """What the papers found are, with how many."""
        ...

    def first(self, query: Query, *, k: int = 10) -> Task[FirstPapers]:
        """The papers a topic comes from."""
        ...

    def paper(self, key: str) -> Paper:
        """By id or bare key; raises `UnknownPaper`, `AmbiguousPaper`."""
        ...

    def papers_by_key(self, keys: Sequence[str]) -> tuple[Paper, ...]:
        """Several as `paper`, which cost little more than one."""
        ...

    def read(self, paper_id: PaperId) -> Task[Document]:
        """Its full text, else title and abstract."""
        ...

    def link_references(self, document: Document) -> Task[Document]:
        """The document with each reference that the library holds pointing at its paper."""
        ...

    def evidence(
        self, paper_id: PaperId, hypothesis: str, *, k: int = 10, scope: EvidenceScope = "all"
    ) -> Task[Evidence]:
        """Sentences that bear on the hypothesis."""
        ...

    def excerpt(self, text: str, mark: int = 0, claim: Span | None = None) -> Excerpt:
        """What would be attributed; cheap."""
        ...

    def cite(self, text: Excerpt, *, k: int = 5, source: str = "", starter_only: bool = False) -> Task[Attribution]:
        """Candidates for the masked citation, with `starter_only` from the starter library."""
        ...

    def status(self) -> LibraryStatus:
        """Counts, and who writes."""
        ...

    def export_papers(
        self, ids: Sequence[str] | None, form: ExportFormat, *, notes: bool = True, most: int | None = None
    ) -> Task[str]:
        """These papers, or the whole library, for other programs; at most `most` of them."""
        ...

    def project_papers(self) -> tuple[PaperId, ...]:
        """Papers included in the project in use, or with accepted sentences there."""
        ...

    def project_quotes(self) -> Task[tuple[Quote, ...]]:
        """Every sentence accepted in the project in use or marked by hand."""
        ...
