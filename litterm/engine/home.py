"""The verb *home*: what one comes back to, gathered from everything that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.model.events import Progress
from litterm.model.home import Done, HalfRead, Home
from litterm.model.paper import Paper, PaperId
from litterm.tasks import Task

if TYPE_CHECKING:
    from litterm.engine.desk import Desk
    from litterm.engine.parts import Parts

_READING, _DECISIONS = 10, 8


def home(parts: Parts) -> Task[Home]:
    """What is new in the watches of the project in use, half read, unfinished, failed, and was decided last."""
    yield Progress("looking at home")
    desk = parts.desk
    news = yield from parts.watching.news()
    return Home(
        project=desk.projects.current,
        news=news,
        reading=_half_read(parts),
        matrices=tuple(each for each in parts.matrices.all() if not each.complete),
        subscriptions=parts.sources.subscriptions(),
        failures=tuple(reversed(parts.failures.all())),
        decisions=_decided(desk),
    )


def _half_read(parts: Parts) -> tuple[HalfRead, ...]:
    """Papers left in the middle, the last read first, then those marked as being read; none that is read."""
    desk = parts.desk
    places = {paper_id: place for paper_id, place in reversed(desk.session().scroll) if place}
    marked = [paper_id for paper_id in desk.ledger.state().papers("status") if _status(desk, paper_id) == "reading"]
    found = []
    for paper_id in dict.fromkeys((*places, *reversed(marked))):
        if _status(desk, paper_id) != "read" and (paper := _paper(parts, paper_id)) is not None:
            found.append(HalfRead(paper, places.get(paper_id, 0)))
        if len(found) == _READING:
            break
    return tuple(found)


def _status(desk: Desk, paper_id: PaperId) -> str:
    return desk.notes(paper_id).status


def _paper(parts: Parts, paper_id: PaperId) -> Paper | None:
    (ids,) = parts.shelves.find([paper_id])
    return parts.shelves.by_id(ids[:1])[0] if ids else None


def _decided(desk: Desk) -> tuple[Done, ...]:
    events = list(desk.ledger.state().done.values())[-_DECISIONS:]
    return tuple(Done(event.sentence, event.at) for event in reversed(events))
