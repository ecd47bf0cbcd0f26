"""The parts of the engine for citations, language models and what the user keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from litterm.core.tasks import Task
from litterm.model.reading_list import DEFAULT_PAPERS

# For types only; a method imports what it needs, because a light command must load nothing that it does not use.
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
    from litterm.model.citations.graph import FirstPapers
    from litterm.model.llm import ModelCost
    from litterm.model.overview import HomeOverview
    from litterm.model.reading_list import ReadingList
    from litterm.model.search import HopOptions, Query, Ranking
    from litterm.reading_lists.reading_lists import ReadingLists
    from litterm.search.aspects.aspects import Aspects
    from litterm.search.rerank.rerank import ModelRanking

T = TypeVar("T")


class EngineCitations:
    """The part of the engine that knows who cites whom."""

    _parts: Parts

    @property
    def citations(self) -> Citations:
        """The citation graph: read at once, brought up to date by a task."""
        return self._parts.citations

    @property
    def counts(self) -> CitationCounts:
        """How often papers are cited, in the library and as services say; brought up to date by a task."""
        return self._parts.counts

    def first(self, query: Query, *, k: int = 10) -> Task[FirstPapers]:
        """The `k` papers a topic began with: named so by citing sentences, then the oldest of the relevant.

        Raises:
            UsageError: `query` has no word to search for.
        """
        from litterm.citations.first_papers import first_of

        graph = self.citations.update()
        return (yield from self._announced(first_of(query, k=k, searcher=self._parts.searcher, graph=graph)))

    def _announced(self, task: Task[T]) -> Task[T]:
        """What `task` gives, and a notice where a part of the library was left out of it.

        Asked behind it: what is damaged may show only when it is read.
        """
        from litterm.model.events import Notice

        result = yield from task
        if notice := self._parts.left_out():
            yield Notice(notice)
        return result

    def one_hop(self, query: Query, *, k: int = 20, hop: HopOptions | None = None) -> Task[Ranking]:
        """The best `k` papers of a search and of what its first papers cite, ranked together; offline.

        Yields the search's own ranking first. `hop` says which neighbours, of how many papers, and how many in all.
        """
        from litterm.model.search import HopOptions

        return (yield from self._parts.hops.search(query, k=k, hop=hop or HopOptions()))


class EngineModels:
    """The part of the engine that asks a language model."""

    _parts: Parts

    @property
    def model(self) -> ChatModel | None:
        """The language model of the settings; `None` if none is set, or it may not be asked offline."""
        return self._parts.model

    def spent(self) -> ModelCost:
        """What this process has spent on models so far; for a running total on the screen."""
        return self._parts.spent

    @property
    def aspects(self) -> Aspects:
        """Queries in several parts: split, scored a part, muted and weighed; graded where there is a model."""
        return self._parts.aspects

    @property
    def model_ranking(self) -> ModelRanking:
        """Rankings by a model: their cost, the requests, the answer in place of the local order."""
        return self._parts.model_ranking

    @property
    def citing(self) -> AgentAttribution:
        """Citations by a model that searches and reads: begun, gone on with, replayed."""
        return self._parts.citing

    @property
    def model_evidence(self) -> LlmEvidence:
        """Evidence with a model: its cost, its requests, the answer, another try at what failed."""
        return self._parts.model_evidence


class UserState:
    """The part of the engine that holds what the user keeps."""

    _parts: Parts

    @property
    def annotations(self) -> Annotations:
        """What the user writes: marks, decisions, tags, notes, the session."""
        return self._parts.annotations

    @property
    def matrices(self) -> Matrices:
        """Hypotheses over many papers: begun, filled in the background, opened again."""
        return self._parts.matrices

    @property
    def drafts(self) -> Drafts:
        """Texts that somebody writes: what citations they lack, and whether those they have hold."""
        return self._parts.drafts

    @property
    def record_curation(self) -> RecordCuration:
        """Records that are one paper, and papers that are not to be shown."""
        return self._parts.record_curation

    @property
    def saved_searches(self) -> SavedSearches:
        """Saved searches, and what is new in them."""
        return self._parts.saved_searches

    @property
    def reading_lists(self) -> ReadingLists:
        """Reading lists of the project: made, kept, changed, made again."""
        return self._parts.reading_lists

    def reading_list(
        self, topic: str, *, n: int = DEFAULT_PAPERS, until: int | None = None, sections: bool = False
    ) -> Task[ReadingList]:
        """A list of `n` papers (3 to 20) that supports learning, in reading order, none newer than `until`; not kept.

        Raises:
            UsageError: the topic has no word to search for.
        """
        from litterm.model.reading_list import ListRequest

        return (yield from self.reading_lists.build(ListRequest(topic, n, until, sections)))

    def home(self) -> Task[HomeOverview]:
        """What the home screen shows: new in the saved searches, half read, unfinished, failed, and decided last."""
        from litterm.engine.overview import build_home

        return (yield from build_home(self._parts))
