"""Exports bibliography entries of papers, and a whole library as rows of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from litterm.interfaces import Library, ReferenceListSource
from litterm.model.library import RowRef
from litterm.model.paper import Paper, PaperId

if TYPE_CHECKING:
    from litterm.library.index.reader import IndexReader

_BATCH_SIZE = 500
"""Papers in memory at the same time."""


def export(papers: Sequence[Paper], style: Literal["bibtex", "ris", "csl"]) -> str:
    """Bibliography entries of the papers, in order, ready for a file."""
    # Only the module of the style that was asked for is imported.
    entries: str = import_module(f"litterm.render.bibliography.{style}").entries(papers)
    return entries


def export_rows(library: Library, index: IndexReader, lists: ReferenceListSource) -> Iterator[str]:
    """Every paper of the library as a line of JSON with its full text (or only its references), sorted by id.

    See `render.jsonl`.
    """
    from litterm.render.export.jsonl import paper_row

    # Of a record of PubMed the references may be known where the text is not.
    with_document = {head.paper for head in lists.heads() if head.source == "text"}
    for papers in paper_batches(library, index):
        for paper in papers:
            yield paper_row(paper, library.document(paper.id) if paper.id in with_document else None)


def paper_batches(library: Library, index: IndexReader) -> Iterator[Sequence[Paper]]:
    """Every paper of the library, sorted by id, some hundreds at a time."""
    snapshot = library.snapshot()
    refs_by_id: list[tuple[PaperId, RowRef]] = []
    for segment in snapshot.segments:
        hidden = frozenset(segment.shadowed)
        rows = [row for row in range(segment.count) if row not in hidden]
        ids = index.part(segment).ids(rows)
        refs_by_id += [(paper_id, RowRef(segment.key, row)) for paper_id, row in zip(ids, rows, strict=True)]
    # By id, so that two exports of one library can be compared line by line.
    refs_by_id.sort()
    for start in range(0, len(refs_by_id), _BATCH_SIZE):
        yield library.papers(snapshot, [ref for _, ref in refs_by_id[start : start + _BATCH_SIZE]])
