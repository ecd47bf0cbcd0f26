"""Full texts that cite: which of a paper's texts is read for its references, and what new segments change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from litterm.core.errors import OutOfMemory
from litterm.core.json_fields import integer, integer_or_none, text
from litterm.library.segments.documents import ORIGINS_BEST_FIRST, read_documents
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.lineage import Lineage
from litterm.library.segments.lookup import papers_by_key
from litterm.model.citations.graph import ListChanges, ReferenceListHead, reading_order
from litterm.model.document import Document, DocumentId
from litterm.model.library import RowRef, Segment, Snapshot
from litterm.model.paper import Paper, PaperId
from litterm.text.references.identity import paper_ids

_DOCUMENTS_SQL = "SELECT paper, origin, stored, id FROM {segment}.document"
_DOCUMENTS_OF_SQL = f"{_DOCUMENTS_SQL} WHERE paper IN (SELECT unnest(?))"
_TEXT_PAPERS_SQL = "SELECT paper FROM {segment}.document"
_PAPERS_SQL = "SELECT row, id FROM {segment}.paper"
_ALIASES_SQL = "SELECT row, id FROM {segment}.alias"
_ROWS_OF_SQL = "SELECT row, id FROM {segment}.paper WHERE id IN (SELECT unnest(?))"
_YEARS_SQL = "SELECT row, id, try_cast(record ->> '$.year' AS INTEGER) FROM {segment}.paper WHERE id IN "
_YEARS_OF_SQL = f"{_YEARS_SQL} (SELECT unnest(?))"
_YEARS_OF_TEXTS_SQL = f"{_YEARS_SQL} (SELECT paper FROM {{segment}}.document)"
_DOCUMENTS_BY_ID_SQL = "SELECT doc, id FROM {{segment}}.document WHERE id IN ({ids}) ORDER BY stored"
_CITING_PARTS = ("sentence", "reference", "context")
"""The parts of a full text that are needed to resolve its citations."""
_IdsAndYears = dict[PaperId, tuple[PaperId, int | None]]
"""By an id that a paper has or had, the id it has now and its year."""
_ORIGIN_RANK = {origin: -place for place, origin in enumerate(ORIGINS_BEST_FIRST)}


class CitingTexts:
    """The full texts of a library, by whose reference lists papers cite others."""

    def __init__(self, library: DuckLibrary) -> None:
        self._library = library

    def heads(self) -> tuple[ReferenceListHead, ...]:
        """The reference list of every paper with a full text; of several texts, that of the best one."""
        return reading_order(self._library.with_newest_snapshot(self._document_heads))

    def changed_rows(self, known: frozenset[str], snapshot: Snapshot) -> tuple[RowRef, ...]:
        """The current rows that did not come from the segments `known`, compacted or not, and whose paper changed."""
        ranges = Lineage(self._library.root).fresh_rows(known, snapshot.segments)
        hidden = {segment.key: frozenset(segment.shadowed) for segment in snapshot.segments}
        rows = [
            RowRef(key, row)
            for key, row_ranges in ranges.items()
            for row_range in row_ranges
            for row in row_range
            if row not in hidden[key]
        ]
        if not rows:
            return ()
        # A new full text does not change which references match a paper.
        unchanged = {ref for ref, changed in self._changed_rows(rows, snapshot).items() if not changed}
        return tuple(ref for ref in rows if ref not in unchanged)

    def changes_since(self, known: frozenset[str], snapshot: Snapshot) -> ListChanges | None:
        """The changes since the segments `known`; `None` if one of these was lost."""
        lineage = Lineage(self._library.root)
        if not lineage.explains(known, [segment.key for segment in snapshot.segments]):
            return None
        rows = set(self.changed_rows(known, snapshot))
        # What known segments were merged into brings nothing, and looking through it would take longer with each paper.
        fresh = [segment for segment in snapshot.segments if not lineage.comes_from(segment, known)]
        ids = self._ids_at(rows, snapshot)
        aliases = {alias for segment in fresh for ref, alias in self._ids_by_row(segment, _ALIASES_SQL) if ref in rows}
        papers = {
            *ids.values(),
            *aliases,
            *(PaperId(text(paper)) for (paper,) in self._select(fresh, _TEXT_PAPERS_SQL)),
        }
        document_rows = self._documents_of(papers, snapshot)
        current_papers = self.current_papers(sorted({PaperId(text(paper)) for paper, *_ in document_rows}), snapshot)
        # A full text may be stored under an id that only an older record of its paper has.
        other_ids = {other for paper in current_papers.values() for other in paper_ids(paper)} - papers
        if other_ids:
            papers |= other_ids
            document_rows = self._documents_of(papers, snapshot)
        moved = aliases - set(ids.values())
        rewritten = {ids[ref] for ref in self._changed_rows(rows, snapshot)}
        return ListChanges(
            reading_order(self._best_heads(document_rows, snapshot)), frozenset(papers), frozenset({*moved, *rewritten})
        )

    def documents(self, heads: Sequence[ReferenceListHead]) -> tuple[Document | None, ...]:
        """The full texts with the ids `head.key`, under the papers' current ids, without sections and tables."""
        keys = [DocumentId(head.key) for head in heads]
        documents = self._library.with_newest_snapshot(lambda snapshot: self._documents(snapshot, keys))
        return tuple(
            replace(documents[key], paper_id=head.paper) if key in documents else None
            for head, key in zip(heads, keys, strict=True)
        )

    def current_papers(self, ids: list[PaperId], snapshot: Snapshot | None = None) -> Mapping[PaperId, Paper]:
        """The papers by the ids they had when something was stored about them."""
        if snapshot is None:
            return self._library.with_newest_snapshot(lambda newest: self.current_papers(ids, newest))
        papers_by_id = zip(ids, papers_by_key(self._library.view, snapshot, ids), strict=True)
        return {stored_id: _choose_paper(stored_id, papers) for stored_id, papers in papers_by_id if papers}

    def _document_heads(self, snapshot: Snapshot) -> list[ReferenceListHead]:
        # Most texts are in the segment of their paper: looking up 100,000 papers would take ten times as long.
        papers_of_texts = self._ids_and_years(snapshot, _YEARS_OF_TEXTS_SQL)
        return self._best_heads(self._select(snapshot.segments, _DOCUMENTS_SQL), snapshot, papers_of_texts)

    def _best_heads(
        self, document_rows: Sequence[Sequence[object]], snapshot: Snapshot, known: _IdsAndYears | None = None
    ) -> list[ReferenceListHead]:
        """The best of each paper's full texts; `known` are papers that have the ids under which texts are stored."""
        stored_ids = {PaperId(text(paper)) for paper, *_ in document_rows}
        current = {**(known or {})}
        current |= self._ids_and_years(snapshot, _YEARS_OF_SQL, [sorted(stored_ids - current.keys())])
        # Only these have another id now.
        others = self.current_papers(sorted(stored_ids - current.keys()), snapshot)
        current |= {stored_id: (paper.id, paper.year) for stored_id, paper in others.items()}
        best: dict[PaperId, tuple[tuple[int, str], str, int | None]] = {}
        for paper, origin, stored, key in document_rows:
            if id_and_year := current.get(PaperId(text(paper))):
                current_id, year = id_and_year
                candidate = ((_ORIGIN_RANK[origin], text(stored)), text(key), year)  # type: ignore[index]
                best[current_id] = max(best.get(current_id, candidate), candidate)
        return [ReferenceListHead(paper_id, key, year) for paper_id, (_, key, year) in best.items()]

    def _ids_by_row(self, segment: Segment, sql: str) -> Iterator[tuple[RowRef, PaperId]]:
        for row, paper_id in self._library.view.select(segment, sql):
            yield RowRef(segment.key, integer(row)), PaperId(text(paper_id))

    def _select(self, segments: Iterable[Segment], sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return [row for segment in segments for row in self._library.view.select(segment, sql, values)]

    def _documents_of(self, papers: Collection[PaperId], snapshot: Snapshot) -> list[tuple[object, ...]]:
        return self._select(snapshot.segments, _DOCUMENTS_OF_SQL, [sorted(papers)])

    def _changed_rows(self, rows: Collection[RowRef], snapshot: Snapshot) -> dict[RowRef, bool]:
        """Of `rows`, those whose paper has an older row: whether its title, year, authors or ids differ."""
        ids = self._ids_at(rows, snapshot)
        parameters, view = [sorted(set(ids.values()))], self._library.view
        older: dict[PaperId, RowRef] = {}
        for segment in snapshot.segments:
            for row, paper in view.select(segment, _ROWS_OF_SQL, parameters):
                ref, paper_id = RowRef(segment.key, integer(row)), PaperId(text(paper))
                if ref not in ids:
                    # Keys ascend with time.
                    older[paper_id] = max(
                        older.get(paper_id, ref), ref, key=lambda row_ref: (row_ref.segment, row_ref.row)
                    )
        pairs = [(ref, older[paper]) for ref, paper in ids.items() if paper in older]
        current_fields, older_fields = [
            [(paper.title, paper.year, paper.authors, frozenset(paper_ids(paper))) for paper in papers]
            for papers in (self._library.papers(snapshot, [pair[place] for pair in pairs]) for place in (0, 1))
        ]
        return {
            pair[0]: current != before
            for pair, current, before in zip(pairs, current_fields, older_fields, strict=True)
        }

    def _ids_at(self, rows: Collection[RowRef], snapshot: Snapshot) -> dict[RowRef, PaperId]:
        distinct_rows, segments = set(rows), {ref.segment for ref in rows}
        fresh = [segment for segment in snapshot.segments if segment.key in segments]
        return {
            ref: paper
            for segment in fresh
            for ref, paper in self._ids_by_row(segment, _PAPERS_SQL)
            if ref in distinct_rows
        }

    def _ids_and_years(self, snapshot: Snapshot, sql: str, values: Sequence[object] = ()) -> _IdsAndYears:
        """By id, the id again and the year of the papers that `sql` finds."""
        papers: _IdsAndYears = {}
        for segment in snapshot.segments:
            shadowed = frozenset(segment.shadowed)
            for row, value, year in self._library.view.select(segment, sql, values):
                if row not in shadowed:
                    paper = PaperId(text(value))
                    papers[paper] = paper, integer_or_none(year)
        return papers

    def _documents(self, snapshot: Snapshot, keys: Sequence[DocumentId]) -> dict[DocumentId, Document]:
        """The documents of `keys` that can be read."""
        missing, documents = set(keys), dict[DocumentId, Document]()
        for segment in reversed(snapshot.segments):
            if not missing:
                break
            sql = _DOCUMENTS_BY_ID_SQL.format(ids=", ".join("?" * len(missing)))
            stored = self._library.view.select(segment, sql, sorted(missing))
            # Of two the one that was stored later.
            doc_by_key = {DocumentId(text(key)): integer(doc) for doc, key in stored}
            missing -= doc_by_key.keys()
            documents |= {document.id: document for document in self._read(segment, sorted(doc_by_key.values()))}
        return documents

    def _read(self, segment: Segment, docs: Sequence[int]) -> Iterator[Document]:
        """The documents numbered `docs`; one that is too large to be read is left out, as if there were none."""
        try:
            if docs:
                yield from read_documents(self._library.view, segment, docs, parts=_CITING_PARTS).values()
        except OutOfMemory:
            if len(docs) > 1:
                # One by one: a single huge text must not take the others with it.
                for doc in docs:
                    yield from self._read(segment, [doc])


def _choose_paper(stored_id: PaperId, papers: tuple[Paper, ...]) -> Paper:
    # An id may be another paper's alias: two versions of a work can share a DOI.
    return next((paper for paper in papers if paper.id == stored_id), papers[0])
