"""Exports papers for other programs, with the tags, notes and quotes that the user keeps about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.library.full_text import read_full_text
from litterm.model.annotations import PaperNotes
from litterm.model.events import Notice, Progress
from litterm.model.export import FORMATS_WITH_QUOTES, ExportFormat
from litterm.model.library import RowRef
from litterm.model.paper import Paper, PaperId
from litterm.render.bibliography.publication import NO_NOTES
from litterm.render.export.markdown import Quote, quote
from litterm.render.export.papers import MAX_NOTICES, Export
from litterm.text.file_annotations import without_annotations

if TYPE_CHECKING:
    from litterm.engine.parts import Parts
    from litterm.interfaces import Library
    from litterm.library.index.reader import IndexReader

_BATCH_SIZE = 500
"""Papers in memory at a time."""


def find_project_papers(parts: Parts) -> tuple[PaperId, ...]:
    """Papers included in the current project, then those with sentences accepted or marked by hand there."""
    annotations = parts.annotations
    return tuple(dict.fromkeys((*annotations.included_papers(), *annotations.quoted_papers())))


def export_papers(
    parts: Parts,
    ids: Sequence[str] | None,
    form: ExportFormat,
    *,
    notes: bool,
    most: int | None = None,
    keys: Mapping[PaperId, str] | None = None,
) -> Task[str]:
    """Exports the papers `ids` in order, or with `None` the whole user library, sorted by id.

    `notes` includes tags, notes and quotes; `most` limits the number of papers, for a preview. `keys` are
    citation keys to be written in place of the papers' own.

    Raises:
        UnknownPaper: one of them is not in the library.
        AmbiguousPaper: one of them may be any of several.
    """
    export, texts, written = Export(form, parts.citation_keys.with_given(keys)), list[str](), 0
    total = parts.library.status().papers if ids is None else len(ids)
    # Looked up once, because the journal would otherwise be searched for each paper. Formats without quotes need no
    # full texts.
    quoted = frozenset(parts.annotations.quoted_papers()) if notes and form in FORMATS_WITH_QUOTES else frozenset()
    for batch in load_batches(parts, ids):
        papers = [paper if notes else without_annotations(paper) for paper in batch[:most]]
        yield Progress("exporting", written, total)
        kept = yield from find_kept(parts, papers, quoted, notes=notes)
        texts.append(export.render_batch(papers, *kept))
        written += len(papers)
        if written == most:
            break
    for sentence in export.notices:
        yield Notice(sentence)
    return "".join((*texts, export.render_end()))


def load_batches(parts: Parts, ids: Sequence[str] | None) -> Iterator[Sequence[Paper]]:
    """The papers `ids`, or with `None` all of the user library, some hundreds at a time."""
    return _paper_batches(parts.library, parts.index) if ids is None else _load_in_batches(parts, ids)


def find_kept(
    parts: Parts, papers: Sequence[Paper], quoted: Collection[PaperId], *, notes: bool
) -> Task[tuple[Mapping[PaperId, PaperNotes], Mapping[PaperId, Sequence[Quote]]]]:
    """What the user keeps about `papers`: with `notes` tags, notes and decisions, and quotes of those in `quoted`."""
    notes_by_id: Mapping[PaperId, PaperNotes] = (
        parts.annotations.notes_on(paper.id for paper in papers) if notes else {}
    )
    quotes_by_id: dict[PaperId, Sequence[Quote]] = {}
    for paper in papers:
        if paper.id in quoted:
            quotes_by_id[paper.id] = yield from find_quotes(parts, paper)
    return notes_by_id or NO_NOTES, quotes_by_id


@dataclass(frozen=True, slots=True)
class KeptPaper:
    """A paper with what the user keeps about it."""

    paper: Paper
    key: str
    """Its citation key, which no other paper of the export has."""
    notes: PaperNotes
    quotes: Sequence[Quote]


def write_papers(
    parts: Parts,
    ids: Sequence[str] | None,
    write: Callable[[KeptPaper], None],
    *,
    notes: bool,
    keys: Mapping[PaperId, str] | None,
) -> Task[None]:
    """Calls `write` for each paper, once; what the user should know of the keys is said at the end."""
    quoted = frozenset(parts.annotations.quoted_papers()) if notes else frozenset()
    total = parts.library.status().papers if ids is None else len(ids)
    taken_keys, done, sentences = set[str](), set[PaperId](), list[str]()
    citation_keys = parts.citation_keys.with_given(keys)
    for batch in load_batches(parts, ids):
        yield Progress("exporting", len(done), total)
        papers = list({paper.id: paper for paper in batch if paper.id not in done}.values())
        papers = papers if notes else [without_annotations(paper) for paper in papers]
        done |= {paper.id for paper in papers}
        notes_by_id, quotes_by_id = yield from find_kept(parts, papers, quoted, notes=notes)
        own_keys = citation_keys.keys_of(papers, taken_keys)
        sentences += citation_keys.notices(papers, own_keys)
        for paper in papers:
            kept = notes_by_id.get(paper.id, PaperNotes())
            write(KeptPaper(paper, own_keys[paper.id], kept, quotes_by_id.get(paper.id, ())))
    for sentence in sentences[:MAX_NOTICES]:
        yield Notice(sentence)


def find_quotes(parts: Parts, paper: Paper) -> Task[tuple[Quote, ...]]:
    """Sentences accepted or marked by hand in the current project, in reading order, those not located last."""
    document = yield from read_full_text(parts.lookup, paper.id)
    quotes_by_place: list[tuple[int, Quote]] = []
    for located in parts.annotations.marks(document):
        mark, index = located.mark, located.index
        if mark.kind == "rejected":
            continue
        if index is None:
            quotes_by_place.append(
                (len(document.sentences), Quote(paper, mark.anchor.quote, hypothesis=mark.hypothesis))
            )
        else:
            quotes_by_place.append(
                (index, quote(paper, document, document.sentences[index], hypothesis=mark.hypothesis))
            )
    return tuple(item for _, item in sorted(quotes_by_place, key=lambda pair: (pair[1].hypothesis, pair[0])))


def find_project_quotes(parts: Parts) -> Task[tuple[Quote, ...]]:
    """All sentences accepted or marked by hand in the current project, sorted by hypothesis."""
    quotes: list[Quote] = []
    for paper_id in parts.annotations.quoted_papers():
        quotes += yield from find_quotes(parts, parts.lookup.paper(paper_id))
    return tuple(sorted(quotes, key=lambda quoted: quoted.hypothesis))


def _load_in_batches(parts: Parts, ids: Sequence[str]) -> Iterator[Sequence[Paper]]:
    for start in range(0, len(ids), _BATCH_SIZE):
        yield parts.lookup.papers_by_key(ids[start : start + _BATCH_SIZE])


def export_rows(parts: Parts) -> Iterator[str]:
    """Every paper of the user library as a line of JSON with its full text (or only its references), sorted by id.

    See `render.export.jsonl`.
    """
    from litterm.render.export.jsonl import paper_row

    # Of a record of PubMed the references may be known where the text is not.
    with_document = {head.paper for head in parts.citations.texts.heads()}
    mine = parts.imports.mine()
    for papers in _paper_batches(parts.library, parts.index):
        for paper in papers:
            document = parts.library.document(paper.id) if paper.id in with_document else None
            yield paper_row(paper, document, is_mine=paper.id in mine)


def _paper_batches(library: Library, index: IndexReader) -> Iterator[Sequence[Paper]]:
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
