"""The file that stores a session: if two workbenches share a library, the last one to save wins."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path

from litterm.core.durable_files import replace_file, translate_write_errors
from litterm.core.json_fields import mapping
from litterm.model.annotations import Session, UnfinishedJob
from litterm.model.paper import PaperId

_MAX_ROWS = 200
_MAX_COMMANDS = 50


class SessionFile:
    """A JSON file that is replaced as a whole."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Mapping[str, object]:
        """Loads the file; empty if it does not exist or cannot be read."""
        try:
            return mapping(json.loads(self._path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return {}

    def save(self, body: Mapping[str, object]) -> None:
        """Replaces the file atomically.

        Raises:
            DiskFull: it could not be written.
        """
        with translate_write_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        # A query pasted from a terminal may contain lone surrogates.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
        # Queries and commands are private to the user.
        replace_file(self._path, content, private=True)


def last_project_file(folder: Path) -> SessionFile:
    """The file that stores which project of the library `folder` was used last."""
    return SessionFile(folder / "project.json")


def project_session_file(folder: Path, project: str) -> SessionFile:
    """The session file of a project of the library `folder`; of the default project with an empty name."""
    if not project:
        return SessionFile(folder / "session.json")
    # Encoded, so that every name is a valid file name and no two collide.
    name = urlsafe_b64encode(project.encode()).decode().rstrip("=")
    return SessionFile(folder / "projects" / f"{name}.json")


def encode_session(session: Session) -> dict[str, object]:
    """Encodes `session` for JSON, with at most the newest 200 rows of each list."""
    return {
        "query": session.query,
        "paper": session.paper_id,
        "hypothesis": session.hypothesis,
        "matrix": session.matrix,
        "scroll": [list(place) for place in session.scroll[-_MAX_ROWS:]],
        "history": list(session.history[-_MAX_ROWS:]),
        "tour": session.tour,
        "commands": list(session.commands[-_MAX_COMMANDS:]),
        "note_drafts": [list(draft) for draft in session.note_drafts[-_MAX_ROWS:]],
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
        scroll=tuple(place for row in _last_rows(body.get("scroll")) if (place := _decode_place(row)) is not None),
        history=tuple(row for row in _last_rows(body.get("history")) if isinstance(row, str)),
        # A damaged field must not affect the others.
        tour=tour if isinstance(tour := body.get("tour"), int) else 0,
        commands=commands[-_MAX_COMMANDS:],
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
