"""Base classes of `Engine`: its methods for citations, for language models, and for what the user keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from litterm.core.tasks import Task
from litterm.model.reading_list import DEFAULT_PAPERS

# For types only; a method imports what it needs, because a light command must load nothing that it does not use.
from litterm.model.search import DEFAULT_RESULTS

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.attribution.agent.runs import AgentAttribution
    from litterm.attribution.drafts.drafts import Drafts
    from litterm.citations.citations import Citations
    from litterm.citations.counts import CitationCounts
    from litterm.engine.parts import Parts
    from litterm.evidence.llm.llm_evidence import LlmEvidence
    from litterm.evidence.matrix.matrices import Matrices
    from litterm.interfaces import ChatModel
    from litterm.model.attribution.citation import Attribution
    from litterm.model.citations.graph import FirstPapers
    from litterm.model.evidence import Evidence
    from litterm.model.llm import ModelCost
    from litterm.model.overview import HomeOverview, UndoStep
    from litterm.model.reading_list import ReadingList
    from litterm.model.search import HopOptions, Query, Ranking
    from litterm.reading_lists.reading_lists import ReadingLists
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.rerank.rerank import ModelRanking

T = TypeVar("T", "Attribution", "Evidence", "FirstPapers", "ReadingList")


class EngineCitations:
    """The part of the engine for citations."""

    _parts: Parts

    @property
    def citations(self) -> Citations:
        """The citation graph, and the task that updates it."""
        return self._parts.citations

    @property
    def counts(self) -> CitationCounts:
        """Citation counts, within the library and by service, and the task that updates them."""
        return self._parts.counts

    def first(self, query: Query, *, k: int = 10) -> Task[FirstPapers]:
        """Finds the `k` papers with which a topic began: by citing sentences, then the oldest relevant ones.

        Raises:
            UsageError: `query` has no word to search for.
        """
        from litterm.citations.first_papers import find_first_papers

        graph = self.citations.update()
        return (
            yield from self._with_damage_notice(
                find_first_papers(query, k=k, searcher=self._parts.searcher, graph=graph)
            )
        )

    def _with_damage_notice(self, task: Task[T]) -> Task[T]:
        """Runs `task`, then adds a notice to its result if a part of the library is damaged.

        Afterwards, because damage is often noticed only while reading.
        """
        return self._add_damage_notice((yield from task))

    def _add_damage_notice(self, result: T) -> T:
        notice = self._parts.damage_notice()
        return replace(result, notices=(*result.notices, notice)) if notice else result

    def one_hop(self, query: Query, *, k: int = DEFAULT_RESULTS, hop: HopOptions | None = None) -> Task[Ranking]:
        """Searches, adds papers linked to the first results by citations, and ranks all together; offline.

        Yields the ranking of the search first. `hop` sets which neighbours are added and how many.
        """
        from litterm.model.search import HopOptions

        return (yield from self._parts.hops.search(query, k=k, hop=hop or HopOptions()))


class EngineModels:
    """The part of the engine for language models."""

    _parts: Parts

    @property
    def model(self) -> ChatModel | None:
        """The configured language model; `None` if there is none, or if it may not be used offline."""
        return self._parts.model

    def spent(self) -> ModelCost:
        """What this process has spent on models so far."""
        return self._parts.spent

    @property
    def aspects(self) -> Aspects:
        """Queries in several aspects, scored and weighed separately, and graded by a model if there is one."""
        return self._parts.aspects

    @property
    def model_ranking(self) -> ModelRanking:
        """Reranking by a model: cost, requests and results."""
        return self._parts.model_ranking

    @property
    def citing(self) -> AgentAttribution:
        """Attribution by an agent that searches and reads: start, resume, replay."""
        return self._parts.citing

    @property
    def model_evidence(self) -> LlmEvidence:
        """Evidence by a model: cost, requests, results and retries."""
        return self._parts.model_evidence


class EngineUserData:
    """The part of the engine for the user's own data."""

    _parts: Parts

    @property
    def annotations(self) -> Annotations:
        """Marks, decisions, tags, notes and the session."""
        return self._parts.annotations

    @property
    def matrices(self) -> Matrices:
        """Evidence matrices: hypotheses over many papers, filled in the background."""
        return self._parts.matrices

    @property
    def drafts(self) -> Drafts:
        """Drafts: suggests missing citations and checks existing ones."""
        return self._parts.drafts

    @property
    def record_curation(self) -> RecordCuration:
        """Merging duplicate records, and hiding papers."""
        return self._parts.record_curation

    @property
    def saved_searches(self) -> SavedSearches:
        """Saved searches and their new papers."""
        return self._parts.saved_searches

    @property
    def reading_lists(self) -> ReadingLists:
        """The reading lists of the current project."""
        return self._parts.reading_lists

    def reading_list(
        self, topic: str, *, n: int = DEFAULT_PAPERS, until: int | None = None, sections: bool = False
    ) -> Task[ReadingList]:
        """Builds a reading list of `n` papers (3 to 20), none newer than `until`, without saving it.

        Raises:
            UsageError: the topic has no word to search for.
        """
        from litterm.model.reading_list import ListRequest

        return (yield from self.reading_lists.build(ListRequest(topic, n, until, sections)))

    def home(self) -> Task[HomeOverview]:
        """The home screen: new papers of saved searches, unfinished reading and work, failures, recent decisions."""
        from litterm.engine.overview import build_home

        return (yield from build_home(self._parts))

    def undo_steps(self) -> Task[tuple[UndoStep, ...]]:
        """Changes that redo would repeat, then those that undo takes back, the newest first."""
        from litterm.engine.overview import list_undo_steps

        return (yield from list_undo_steps(self._parts))
