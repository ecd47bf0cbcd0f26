"""The session as the session file takes it, there and back."""

from __future__ import annotations

from collections.abc import Mapping

from litterm.model.annotations import Session, UnfinishedJob
from litterm.model.paper import PaperId

_MOST = 200
_MOST_COMMANDS = 50


def as_body(session: Session) -> dict[str, object]:
    """`session` for JSON, its lists cut to the newest 200."""
    return {
        "query": session.query,
        "paper": session.paper_id,
        "hypothesis": session.hypothesis,
        "matrix": session.matrix,
        "scroll": [list(place) for place in session.scroll[-_MOST:]],
        "history": list(session.history[-_MOST:]),
        "tour": session.tour,
        "commands": list(session.commands[-_MOST_COMMANDS:]),
        "unfinished": [[job.lane, job.what, *job.args] for job in session.unfinished[-_MOST:]],
    }


def session_of(body: Mapping[str, object]) -> Session:
    """What was saved; whatever cannot be read is as if it had never been."""
    paper_id = body.get("paper")
    commands = tuple(row for row in _rows(body.get("commands")) if isinstance(row, str))
    return Session(
        query=_text(body.get("query")),
        paper_id=PaperId(paper_id) if isinstance(paper_id, str) and paper_id else None,
        hypothesis=_text(body.get("hypothesis")),
        matrix=_text(body.get("matrix")),
        scroll=tuple(place for row in _rows(body.get("scroll")) if (place := _place(row)) is not None),
        history=tuple(row for row in _rows(body.get("history")) if isinstance(row, str)),
        # Field by field, so that one that was damaged does not cost the others.
        tour=tour if isinstance(tour := body.get("tour"), int) else 0,
        commands=commands[-_MOST_COMMANDS:],
        unfinished=tuple(job for row in _rows(body.get("unfinished")) if (job := _job(row)) is not None),
    )


def _text(raw: object) -> str:
    return raw if isinstance(raw, str) else ""


def _rows(raw: object) -> list[object]:
    return raw[-_MOST:] if isinstance(raw, list) else []


def _job(row: object) -> UnfinishedJob | None:
    match row:
        case [str(lane), str(what), *args] if all(isinstance(argument, str) for argument in args):
            return UnfinishedJob(lane, what, tuple(map(str, args)))
    return None


def _place(row: object) -> tuple[PaperId, int] | None:
    match row:
        case [str(paper_id), int(index)] if index >= 0:
            return PaperId(paper_id), index
    return None
