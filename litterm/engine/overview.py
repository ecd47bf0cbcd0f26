"""Builds the home screen from the user's data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.library.full_text import read_full_text
from litterm.model.annotations import PaperList
from litterm.model.events import Progress
from litterm.model.matrix import MatrixSummary
from litterm.model.overview import HalfWrittenText, HomeOverview, RecentDecision, UndoStep, UnfinishedPaper
from litterm.model.paper import Paper, PaperId
from litterm.text.queries.parser import append_filters

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.annotations.journal_codec import Event
    from litterm.engine.parts import Parts

_MAX_HALF_READ, _MAX_DECISIONS, _MAX_UNDO_STEPS = 10, 8, 50
_MAX_DRAFTS, _MAX_MATRICES = 5, 3
_PAPER_ID = re.compile(r"\b(?:acl|iclr|pmc|pmid|doi|arxiv|s2|local|starter):\S*\w")


def build_home(parts: Parts) -> Task[HomeOverview]:
    """Collects new papers of watches, unfinished reading and work, failures, and recent decisions."""
    yield Progress("loading home")
    annotations = parts.annotations
    news = yield from parts.saved_searches.news()
    reading = yield from _find_half_read(parts)
    return HomeOverview(
        project=annotations.projects.current,
        news=news,
        reading=reading,
        half_written=tuple(
            HalfWrittenText(paper, unsaved.kind, unsaved.text)
            for unsaved in parts.unsaved_texts.all()
            if (paper := _find_paper(parts, unsaved.paper_id)) is not None
        ),
        drafts=parts.drafts.in_progress(_MAX_DRAFTS),
        matrices=_find_matrices(parts),
        subscriptions=parts.services.subscriptions(),
        failures=tuple(reversed(parts.failures.all())),
        lists=tuple(
            reading_list
            for reading_list in reversed(parts.reading_lists.all())
            if reading_list.read < reading_list.papers
        ),
        paper_lists=(*_list_imports(parts), *annotations.paper_lists()),
        decisions=_find_last_decisions(parts),
    )


def _list_imports(parts: Parts) -> Iterator[PaperList]:
    """The user's own papers, then each import of theirs, the last one first."""
    if mine := parts.imports.mine():
        yield PaperList("my papers", "is:mine", len(mine))
    for one in parts.imports.own():
        yield PaperList(one.name, append_filters("", [("import", one.name)]), one.papers)


def _find_matrices(parts: Parts) -> tuple[MatrixSummary, ...]:
    """All that are not complete, then as many others as there is room for."""
    matrices = parts.matrices.all()
    incomplete = [matrix for matrix in matrices if not matrix.complete]
    complete = [matrix for matrix in matrices if matrix.complete]
    return (*incomplete, *complete[: max(0, _MAX_MATRICES - len(incomplete))])


def _find_half_read(parts: Parts) -> Task[tuple[UnfinishedPaper, ...]]:
    """Papers left in the middle, the most recent first, then those with status `reading`."""
    annotations = parts.annotations
    # A paper left at its first sentence has not been started.
    places = {paper_id: place for paper_id, place in reversed(annotations.session().scroll) if place}
    marked = [
        paper_id
        for paper_id in annotations.undo_log.state().papers("status")
        if _status(annotations, paper_id) == "reading"
    ]
    unfinished = []
    # Reversed, because the journal ends with the paper read last.
    for paper_id in dict.fromkeys((*places, *reversed(marked))):
        if _status(annotations, paper_id) != "read" and (paper := _find_paper(parts, paper_id)) is not None:
            unfinished.append((yield from _locate(parts, paper, places.get(paper_id, 0))))
        if len(unfinished) == _MAX_HALF_READ:
            break
    return tuple(unfinished)


def _locate(parts: Parts, paper: Paper, place: int) -> Task[UnfinishedPaper]:
    """Section and progress of the sentence `place` of a paper."""
    if not place:
        return UnfinishedPaper(paper, 0)
    document = yield from read_full_text(parts.lookup, paper.id)
    # The full text may have been replaced by a shorter one.
    index = min(place, len(document.sentences) - 1)
    section = document.sections[document.sentences[index].section]
    return UnfinishedPaper(
        paper, place, 100 * index // len(document.sentences), f"{section.number} {section.title}".strip()
    )


def _status(annotations: Annotations, paper_id: PaperId) -> str:
    return annotations.notes(paper_id).status


def _find_paper(parts: Parts, paper_id: PaperId) -> Paper | None:
    # The paper may have been removed.
    (ids,) = parts.lookup.find([paper_id])
    return parts.lookup.by_id(ids[:1])[0] if ids else None


def _find_last_decisions(parts: Parts) -> tuple[RecentDecision, ...]:
    events = list(parts.annotations.undo_log.state().done.values())[-_MAX_DECISIONS:]
    return tuple(_describe_event(parts, event) for event in reversed(events))


def list_undo_steps(parts: Parts) -> Task[tuple[UndoStep, ...]]:
    """Changes that can be repeated or undone, the newest first, each with the title of its paper."""
    yield Progress("listing changes")
    undone, done = parts.annotations.undo_log.steps()
    return tuple(
        UndoStep(event.id, _describe_event(parts, event).sentence, event.at, undone=is_undone)
        for is_undone, events in ((True, undone[-_MAX_UNDO_STEPS:]), (False, done[:_MAX_UNDO_STEPS]))
        for event in events
    )


def _describe_event(parts: Parts, event: Event) -> RecentDecision:
    """Describes an event, with the title of its paper instead of the id."""
    # The event is stored as a sentence that contains the id.
    named = _PAPER_ID.search(event.sentence)
    paper = _find_paper(parts, PaperId(named[0])) if named else None
    if named is None or paper is None:
        return RecentDecision(event.sentence, event.at)
    return RecentDecision(event.sentence.replace(named[0], f"“{paper.title}”"), event.at, paper.id)
