"""Sessions as JSON, of which the state of the library stores one for each project."""

from __future__ import annotations

from collections.abc import Mapping

from litterm.model.annotations import Session, UnfinishedJob
from litterm.model.paper import PaperId

_MAX_ROWS = 200
_MAX_COMMANDS, _MAX_QUESTIONS = 50, 50


def encode_session(session: Session) -> dict[str, object]:
    """Encodes `session` for JSON, with at most the newest 200 rows of each list."""
    return {
        "query": session.query,
        "paper": session.paper_id,
        "hypothesis": session.hypothesis,
        "matrix": session.matrix,
        "focus": session.focus,
        "scroll": [list(place) for place in session.scroll[-_MAX_ROWS:]],
        "history": list(session.history[-_MAX_ROWS:]),
        "tour": session.tour,
        "commands": list(session.commands[-_MAX_COMMANDS:]),
        "questions": list(session.questions[-_MAX_QUESTIONS:]),
        "unfinished": [[job.lane, job.what, *job.args] for job in session.unfinished[-_MAX_ROWS:]],
    }


def decode_session(body: Mapping[str, object]) -> Session:
    """Decodes a saved session; fields that cannot be read are left empty."""
    paper_id = body.get("paper")
    commands = tuple(row for row in _last_rows(body.get("commands")) if isinstance(row, str))
    return Session(
        query=_as_text(body.get("query")),
        paper_id=PaperId(paper_id) if isinstance(paper_id, str) and paper_id else None,
        hypothesis=_as_text(body.get("hypothesis")),
        matrix=_as_text(body.get("matrix")),
        focus=_as_text(body.get("focus")),
        scroll=tuple(place for row in _last_rows(body.get("scroll")) if (place := _decode_place(row)) is not None),
        history=tuple(row for row in _last_rows(body.get("history")) if isinstance(row, str)),
        # A damaged field must not affect the others.
        tour=tour if isinstance(tour := body.get("tour"), int) else 0,
        commands=commands[-_MAX_COMMANDS:],
        questions=tuple(row for row in _last_rows(body.get("questions")) if isinstance(row, str))[-_MAX_QUESTIONS:],
        note_drafts=tuple(
            draft for row in _last_rows(body.get("note_drafts")) if (draft := _decode_draft(row)) is not None
        ),
        unfinished=tuple(job for row in _last_rows(body.get("unfinished")) if (job := _decode_job(row)) is not None),
    )


def _as_text(raw: object) -> str:
    return raw if isinstance(raw, str) else ""


def _last_rows(raw: object) -> list[object]:
    return raw[-_MAX_ROWS:] if isinstance(raw, list) else []


def _decode_job(row: object) -> UnfinishedJob | None:
    match row:
        case [str(lane), str(what), *args] if all(isinstance(argument, str) for argument in args):
            return UnfinishedJob(lane, what, tuple(map(str, args)))
    return None


def _decode_draft(row: object) -> tuple[PaperId, str] | None:
    match row:
        case [str(paper_id), str(text)]:
            return PaperId(paper_id), text
        case _:
            return None


def _decode_place(row: object) -> tuple[PaperId, int] | None:
    match row:
        case [str(paper_id), int(index)] if index >= 0:
            return PaperId(paper_id), index
    return None
