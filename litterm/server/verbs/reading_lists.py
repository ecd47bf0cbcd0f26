"""Verbs that make reading lists; the server stores none, as lists belong to the user who asked."""

from __future__ import annotations

from dataclasses import replace

from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.reading_list import ListRequest, ReadingList
from litterm.render.reading_lists.reading_list import list_data
from litterm.server.protocol.disk_paths import without_path
from litterm.server.protocol.requests import CandidatesAnswer, CandidatesRequest
from litterm.server.verbs.verb import VerbAnswer


def reading_list(engine: Engine, request: ListRequest) -> Task[VerbAnswer]:
    """A reading list on a topic."""
    made = _without_paths((yield from engine.reading_lists.build(request)))
    return VerbAnswer(made, lambda: list_data(made, {}))


def candidates(engine: Engine, request: CandidatesRequest) -> Task[VerbAnswer]:
    """The papers that come into question for a list, with what speaks for each."""
    found = (yield from engine.reading_lists.builder().rank(request.asked)).candidates
    columns = tuple((name, tuple(column.tolist())) for name, column in found.columns.items())
    answer = CandidatesAnswer(found.topic, found.until, tuple(map(without_path, found.papers)), columns)
    return VerbAnswer(
        answer,
        lambda: {
            "until": answer.until,
            "papers": [paper.id for paper in answer.papers],
            "columns": {name: list(values) for name, values in columns},
        },
    )


def _without_paths(made: ReadingList) -> ReadingList:
    sections = tuple(
        replace(
            section,
            entries=tuple(replace(entry, paper=without_path(entry.paper)) for entry in section.entries),
        )
        for section in made.sections
    )
    return replace(made, sections=sections)
