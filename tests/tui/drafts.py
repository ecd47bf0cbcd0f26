"""Drafts for the fake engine: real drafts over its candidates, its papers and a session file in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from litterm.attribution.drafts.citation_check import CitationChecker
from litterm.attribution.drafts.decisions import DraftDecisions
from litterm.attribution.drafts.drafts import Drafts
from litterm.core.tasks import Task
from litterm.evidence.lexical import LexicalExtractor
from litterm.model.attribution.citation import Attribution, CandidateBounds, Excerpt
from litterm.model.document import Span
from litterm.model.paper import CollectionName, Paper
from litterm.model.search import Query, Ranking, SortOrder
from litterm.text.documents.builder import abstract_document
from tui.records import EngineRecords


class Cites(Protocol):
    """What of an engine is needed."""

    papers: Sequence[Paper]

    def excerpt(self, text: str, mark: int = 0, claim: Span | None = None) -> Excerpt: ...

    def cite(
        self, text: Excerpt, *, k: int = 5, source: str = "", collection: CollectionName | None = None
    ) -> Task[Attribution]: ...

    def search(
        self, typed: str | Query, *, k: int = 20, sort: SortOrder = "relevance", finished: bool = True
    ) -> Task[Ranking]: ...


class Kept:
    """Decisions in memory."""

    def __init__(self) -> None:
        self.body: Mapping[str, object] = {}

    def load(self) -> Mapping[str, object]:
        return self.body

    def save(self, body: Mapping[str, object]) -> None:
        self.body = body


class EngineAttributor:
    """The attributor of an engine, by its method `cite`."""

    name = "engine"

    def __init__(self, engine: Cites, collection: CollectionName | None) -> None:
        self._engine, self._collection = engine, collection

    def attribute(self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds) -> Task[Attribution]:
        return self._engine.cite(excerpt, k=k, collection=self._collection)


def drafts_of(engine: Cites) -> Drafts:
    """The drafts; `decisions` are forgotten with the object."""
    records = EngineRecords(engine, abstract_document)

    def attributor(collection: CollectionName | None) -> EngineAttributor:
        return EngineAttributor(engine, collection)

    def checker() -> CitationChecker:
        return CitationChecker(records, records, engine, LexicalExtractor())

    return Drafts(records, lambda: records, attributor, checker, DraftDecisions(Kept()))
