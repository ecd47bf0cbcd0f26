"""Library records over the papers of a fake engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from litterm.core.errors import UnknownPaper
from litterm.model.document import Document
from litterm.model.paper import Paper, PaperId


class HasPapers(Protocol):
    """The part of an engine that records are made from."""

    @property
    def papers(self) -> Sequence[Paper]: ...


class EngineRecords:
    """`interfaces.Records` over the papers of an engine; `read_document` gives the text of one of them."""

    def __init__(self, engine: HasPapers, read_document: Callable[[Paper], Document | None]) -> None:
        self._engine = engine
        self._read_document = read_document

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple(tuple(paper.id for paper in self._engine.papers if paper.id == key) for key in keys)

    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        return tuple(tuple(paper.id for paper in self._engine.papers if paper.title == title) for title in titles)

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        papers = {paper.id: paper for paper in self._engine.papers}
        if not papers.keys() >= set(ids):
            raise UnknownPaper("It is not in the library.")
        return tuple(papers[paper_id] for paper_id in ids)

    def document(self, paper_id: PaperId) -> Document | None:
        return self._read_document(self.by_id([paper_id])[0])
