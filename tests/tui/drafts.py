"""Drafts for the fake engine: the real verbs over its candidates, its papers and a session file in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from litterm.attribution.drafts.citation_check import CitationChecker
from litterm.attribution.drafts.decisions import DraftDecisions
from litterm.attribution.drafts.drafts import Drafts
from litterm.core.tasks import Task
from litterm.evidence.lexical import LexicalExtractor
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.model.document import Span
from litterm.model.paper import Paper
from litterm.model.search import Query, Ranking, SortOrder
from litterm.text.documents.builder import abstract_document
from litterm.text.queries.parser import literal_query
from tui.records import EngineRecords


class Cites(Protocol):
    """What of an engine is needed."""

    papers: Sequence[Paper]

    def excerpt(self, text: str, mark: int = 0, claim: Span | None = None) -> Excerpt: ...

    def cite(self, text: Excerpt, *, k: int = 5, source: str = "", starter_only: bool = False) -> Task[Attribution]: ...

    def search(
        self, typed: str | Query, *, k: int = 20, sort: SortOrder = "relevance", finished: bool = True
    ) -> Task[Ranking]: ...


class Kept:
    """A session file in memory."""

    def __init__(self) -> None:
        self.body: Mapping[str, object] = {}

    def load(self) -> Mapping[str, object]:
        return self.body

    def save(self, body: Mapping[str, object]) -> None:
        self.body = body


def drafts_of(engine: Cites) -> Drafts:
    """The verbs; `decisions` are forgotten with the object."""

    def cite(
        text: str, *, k: int = 5, before: int | str | None = None, source: str = "", starter_only: bool = False
    ) -> Task[Attribution]:
        return engine.cite(engine.excerpt(text), k=k, starter_only=starter_only)

    def checker() -> CitationChecker:
        records = EngineRecords(engine, abstract_document)

        def search(title: str, k: int) -> Task[Ranking]:
            return engine.search(literal_query(title), k=k)

        return CitationChecker(records, records, search, LexicalExtractor(), engine.excerpt)

    return Drafts(cite, checker, DraftDecisions(Kept()))
