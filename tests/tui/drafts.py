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
from litterm.model.document import Document, Span
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query, Ranking, SortOrder
from litterm.text.documents.builder import abstract_document
from litterm.text.queries.parser import literal


class Cites(Protocol):
    """What of an engine is needed."""

    papers: Sequence[Paper]

    def excerpt(self, text: str, mark: int = 0, claim: Span | None = None) -> Excerpt: ...

    def cite(self, text: Excerpt, *, k: int = 5, source: str = "") -> Task[Attribution]: ...

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


class FakeRecords:
    """Its papers by id and title."""

    def __init__(self, engine: Cites) -> None:
        self._engine = engine

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple(tuple(each.id for each in self._engine.papers if each.id == key) for key in keys)

    def titled(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple(tuple(each.id for each in self._engine.papers if each.title == title) for title in titles)

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        return tuple(next(each for each in self._engine.papers if each.id == wanted) for wanted in ids)

    def document(self, paper_id: PaperId) -> Document | None:
        return abstract_document(self.by_id([paper_id])[0])


def drafts_of(engine: Cites) -> Drafts:
    """The verbs; `decisions` are forgotten with the object."""

    def cite(text: str, *, k: int = 5, before: int | str | None = None, source: str = "") -> Task[Attribution]:
        return engine.cite(engine.excerpt(text), k=k)

    def checker() -> CitationChecker:
        records = FakeRecords(engine)

        def search(title: str, k: int) -> Task[Ranking]:
            return engine.search(literal(title), k=k)

        return CitationChecker(records, records, search, LexicalExtractor(), engine.excerpt)

    return Drafts(cite, checker, DraftDecisions(Kept()))
