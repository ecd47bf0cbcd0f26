"""Statements in SQL over the user's library: what its views show besides the segments."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, cast

from litterm.library.segments.sql_statement import run_statement
from litterm.library.segments.sql_views import CitationColumns, MarkColumns, ViewSources
from litterm.model.annotations import PaperNotes

if TYPE_CHECKING:
    from litterm.annotations.journal_codec import Topic
    from litterm.core.tasks import Task
    from litterm.engine.parts import Parts
    from litterm.model.paper import Paper
    from litterm.model.sql import SqlResult

_NO_NOTES = PaperNotes()


def run_sql(parts: Parts, statement: str, *, limit: int | None) -> Task[SqlResult]:
    """Runs one statement that reads; what its words do not name is not prepared.

    Raises:
        SqlError: it is not one statement that reads, or the database refuses it.
        LibraryError: the library cannot be read.
    """
    words = statement.casefold()
    # The functions `query` and `query_table` may put a name together from pieces.
    named = {view for view in ("sentences", "citations", "marks") if view in words or "query" in words}
    citations = (yield from _citations(parts)) if "citations" in named else CitationColumns()
    sources = ViewSources(
        snapshot=parts.library.snapshot(),
        merged=_merged_papers(parts),
        citations=citations,
        marks=_marks(parts) if "marks" in named else MarkColumns(),
        with_sentences="sentences" in named,
    )
    return (yield from run_statement(parts.library.root, sources, statement, limit=limit))


def _merged_papers(parts: Parts) -> tuple[Paper, ...]:
    """The papers that the user merged from several records."""
    shown = tuple(dict.fromkeys(parts.library.decided().shown.values()))
    return parts.library.by_id([ids[0] for ids in parts.library.find(shown) if ids])


def _citations(parts: Parts) -> Task[CitationColumns]:
    yield from parts.own_citations.catch_up()
    shown_id = parts.library.decided().shown_id
    with parts.own_citations.store.read() as stored:
        edges = [(shown_id(citing), shown_id(cited), marks, year) for citing, cited, marks, year in stored.all_edges()]
    if not edges:
        return CitationColumns()
    citing, cited, marks, years = zip(*edges, strict=True)
    return CitationColumns(citing, cited, marks, years)


def _marks(parts: Parts) -> MarkColumns:
    annotations, state = parts.annotations, parts.annotations.undo_log.state()
    names = ("filed" if field.name == "collections" else field.name for field in fields(PaperNotes))
    topics = cast("tuple[Topic, ...]", tuple(names))
    shown_id = state.record_decisions().shown_id
    papers = dict.fromkeys(shown_id(paper) for topic in topics for paper in state.papers(topic))
    notes = {paper: note for paper, note in annotations.notes_on(papers).items() if note != _NO_NOTES}
    return MarkColumns(
        paper=tuple(notes),
        starred=[note.starred for note in notes.values()],
        screening=[note.screening or "" for note in notes.values()],
        status=[note.status for note in notes.values()],
        tags=[note.tags for note in notes.values()],
        note=[note.note for note in notes.values()],
        collections=[note.collections for note in notes.values()],
    )
