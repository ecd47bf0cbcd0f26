"""A library and its index in memory: for measuring and fitting on papers drawn by chance, and for small tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import UnknownPaper
from litterm.library.index.bm25_weights import postings, whole_record_weighting
from litterm.library.index.build import (
    RowCollector,
    TermMatrix,
    build_arrays,
    build_terms,
    collect_rows,
    mean_length,
    title_arrays,
)
from litterm.library.index.full_text import FullTextIndex, full_text_arrays
from litterm.library.index.segment_index import SegmentIndex
from litterm.library.index.title_author_stats import TitleAuthorIndex, fact_arrays
from litterm.library.index.vectors import Vectors, vector_arrays
from litterm.library.segments.papers import name_lines
from litterm.model.document import Document
from litterm.model.library import LibraryStatus, Parsed, RowRef, Segment, Snapshot
from litterm.model.paper import Paper, PaperId
from litterm.text.queries.author_variants import name_parts

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.index import IndexRow

_SEGMENT_KEY = "memory"


def _is_full(document: Document | None) -> bool:
    """Whether there is more than an abstract with its reference list."""
    return document is not None and document.origin != "abstract"


class MemoryLibrary:
    """Implements `interfaces.Library` over papers that never change; one segment, rows in the order given."""

    def __init__(self, parsed: Iterable[Parsed]) -> None:
        """Of several papers with one id, the first is used."""
        first: dict[PaperId, Parsed] = {}
        for record in parsed:
            first.setdefault(record.paper.id, record)
        self.all = tuple(replace(record.paper, full_text=_is_full(record.document)) for record in first.values())
        self._documents = {id_: record.document for id_, record in first.items() if record.document is not None}
        # Backwards, so that the first of several papers with one alias is found by it.
        self._by_id = {name: paper for paper in reversed(self.all) for name in (*paper.aliases, paper.id)}
        self._snapshot = Snapshot(0, (Segment(_SEGMENT_KEY, Path(), len(self.all)),) if self.all else ())

    def snapshot(self) -> Snapshot:
        """The only snapshot there is."""
        return self._snapshot

    def papers(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Paper, ...]:
        """The papers at `rows`, in that order."""
        return tuple(self.all[ref.row] for ref in rows)

    def texts(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[tuple[str, str], ...]:
        """Title and abstract at `rows`, in that order."""
        return tuple((paper.title, paper.abstract) for paper in self.papers(snapshot, rows))

    def author_rows(self, snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
        """Per name, the rows with an author whose name holds every word of it, accents and case folded."""
        return tuple(self._author_rows(name) for name in names)

    def _author_rows(self, name: str) -> tuple[RowRef, ...]:
        parts = name_parts(name)
        return tuple(
            RowRef(_SEGMENT_KEY, row)
            for row, paper in enumerate(self.all)
            if parts and any(all(part in line for part in parts) for line in name_lines(paper.authors).split("\n"))
        )

    def keywords(self, segment: Segment) -> Mapping[int, tuple[str, ...]]:
        """The keywords of the papers that have any, by row."""
        return {row: paper.keywords for row, paper in enumerate(self.all) if paper.keywords}

    def added_times(self, segment: Segment) -> Sequence[int]:
        """Import times, which are not known here."""
        return [0] * len(self.all)

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is, with or without its scheme; empty if unknown."""
        return tuple(tuple(sorted({paper.id for paper in self._named(key)})) for key in keys)

    def find_by_citation_key(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per citation key, the papers that bear it; spelled with other capitals only where none has it exactly."""
        return tuple(self._with_citation_key(key.strip()) for key in keys)

    def _with_citation_key(self, key: str) -> tuple[PaperId, ...]:
        bearers = [paper for paper in self.all if key and paper.imprint.bibkey.lower() == key.lower()]
        exact = [paper for paper in bearers if paper.imprint.bibkey == key]
        return tuple(sorted({paper.id for paper in exact or bearers}))

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids or aliases, in order.

        Raises:
            UnknownPaper: one of them is not here.
        """
        missing = [paper_id for paper_id in ids if paper_id not in self._by_id]
        if missing:
            raise UnknownPaper(f"There is no paper {missing[0]} here.")
        return tuple(self._by_id[paper_id] for paper_id in ids)

    def document(self, paper_id: PaperId) -> Document | None:
        """The parsed full text, or `None`."""
        paper = self._by_id.get(paper_id)
        return self._documents.get(paper.id) if paper else None

    def status(self) -> LibraryStatus:
        """Numbers of papers and full texts."""
        sources = Counter(paper.id.partition(":")[0] for paper in self.all)
        return LibraryStatus(
            generation=0,
            papers=len(self.all),
            documents=sum(paper.full_text for paper in self.all),
            by_source=tuple(sorted(sources.items(), key=lambda item: (-item[1], item[0]))),
            segments=len(self._snapshot.segments),
        )

    def _named(self, key: str) -> Iterable[Paper]:
        if key in self._by_id:
            return (self._by_id[key],)  # type: ignore[index]
        return (paper for name, paper in self._by_id.items() if name.partition(":")[2] == key)


class MemoryIndex:
    """An `IndexReader` of a library of one segment, without bm25s and without files."""

    def __init__(
        self,
        rows: Iterable[IndexRow],
        *,
        average_length: float | None = None,
        model: StaticModel | None = None,
        bodies: Iterable[tuple[PaperId, str]] = (),
    ) -> None:
        """`rows` in the order of their row numbers; `bodies` are full texts with their papers."""
        collected = collect_rows(rows)
        terms = build_terms(collected)
        self._part = _part(collected, terms, average_length)
        self._title_index = TitleAuthorIndex(fact_arrays(collected, terms))
        self._vectors = None if model is None else Vectors(vector_arrays(terms, model))
        full_texts = FullTextIndex(full_text_arrays(bodies))
        self._bodies = full_texts if full_texts.papers else None

    def part(self, segment: Segment) -> SegmentIndex:
        """The one index there is, whatever the segment."""
        return self._part

    def vectors(self, segment: Segment) -> Vectors | None:
        """The vectors; `None` when it was made without a model."""
        return self._vectors

    def bodies(self, segment: Segment) -> FullTextIndex | None:
        """The full texts; `None` where there are none."""
        return self._bodies

    def title_index(self, segment: Segment) -> TitleAuthorIndex:
        """Titles and authors by year."""
        return self._title_index

    def check(self, segments: Sequence[Segment]) -> None:
        """Memory is never damaged."""


def _part(collected: RowCollector, terms: TermMatrix, average_length: float | None) -> SegmentIndex:
    # Without bm25s, whose import alone takes 0.1 s.
    average = average_length if average_length is not None else mean_length(terms.lengths.tolist())
    scores = postings(terms.flat, terms.lengths, vocabulary=len(terms.stems), field=whole_record_weighting(average))
    return SegmentIndex(build_arrays(collected, terms) | title_arrays(terms), scores, average)
