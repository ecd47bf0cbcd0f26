"""Reads the records of rows, a few hundred at a time, so that even ten thousand can be cancelled in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.model.events import Progress

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.model.paper import Paper
    from litterm.search.open_index import LiveRows

_PAPERS_PER_EVENT = 400
"""About 100 ms of reading."""


def load_papers(live: LiveRows, rows: Sequence[int], *, library: Library) -> Task[tuple[Paper, ...]]:
    """The papers at `rows`, in that order."""
    papers: list[Paper] = []
    for start in range(0, len(rows), _PAPERS_PER_EVENT):
        if start:
            yield Progress("fetching papers", start, len(rows))
        papers += library.papers(live.snapshot, live.refs(rows[start : start + _PAPERS_PER_EVENT]))
    return tuple(papers)
