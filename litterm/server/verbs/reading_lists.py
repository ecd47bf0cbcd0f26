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
    reading_list = _without_paths((yield from engine.reading_lists.build(request)))
    return VerbAnswer(reading_list, lambda: list_data(reading_list, {}))


def candidates(engine: Engine, request: CandidatesRequest) -> Task[VerbAnswer]:
    """The papers that come into question for a list, with what speaks for each."""
    candidates = (yield from engine.reading_lists.builder().rank(request.asked)).candidates
    columns = tuple((name, tuple(column.tolist())) for name, column in candidates.columns.items())
    answer = CandidatesAnswer(candidates.topic, candidates.until, tuple(map(without_path, candidates.papers)), columns)
    return VerbAnswer(
        answer,
        lambda: {
            "until": answer.until,
            "papers": [paper.id for paper in answer.papers],
            "columns": {name: list(values) for name, values in columns},
        },
    )


def _without_paths(reading_list: ReadingList) -> ReadingList:
    sections = tuple(
        replace(
            section,
            entries=tuple(replace(entry, paper=without_path(entry.paper)) for entry in section.entries),
        )
        for section in reading_list.sections
    )
    return replace(reading_list, sections=sections)
