"""Operations for an agent on the user's machine, never over HTTP: bibliographies, and changes of the user's notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.annotations import MarkedPapers, PaperChanges, ReadStatus, Screening
from litterm.model.attribution.bibliography import BibliographyReport

if TYPE_CHECKING:
    from litterm.server.operations.operation import Body

MAX_MARKED = 200
"""Papers of one change."""


MAX_BIBTEX_CHARS = 500_000
"""Of a bibliography, some thousand entries."""
_BIBLIOGRAPHY = "references.bib"


def check(
    engine: Engine, bibtex: Annotated[str, "The entries, as the text of a .bib file."]
) -> Task[BibliographyReport]:
    """Every entry of a bibliography held against the library; nothing is sent anywhere."""
    # As text: an agent that could name a file could have any file of the user read.
    with TemporaryDirectory(prefix="litterm-") as folder:
        path = Path(folder) / _BIBLIOGRAPHY
        path.write_text(bibtex, "utf-8", "replace")
        read = engine.bibliographies.read(path)
        return (yield from engine.bibliographies.check(read))


def check_body(_engine: Engine, _request: Any, report: BibliographyReport) -> Body:
    """As `litterm check --json` prints it."""
    from litterm.render.attribution.bibliographies import report_data

    return {**report_data(report), "file": _BIBLIOGRAPHY}


@dataclass(frozen=True, slots=True)
class MarkedChange:
    """The papers of one change, and the name under which it can be taken back."""

    marked: MarkedPapers
    change: str
    """The id of the change; empty where nothing has changed."""


def mark(
    engine: Engine,
    papers: Annotated[tuple[str, ...], "Ids or citation keys."],
    *,
    starred: Annotated[bool | None, "Stars them, or removes the stars."] = None,
    screening: Annotated[Screening | Literal["undecided"] | None, "Includes or excludes them, or neither."] = None,
    status: Annotated[ReadStatus | None, "The reading status; an empty text is unread."] = None,
    note: Annotated[str | None, "Replaces the note on each; an empty one removes it."] = None,
    tags: Annotated[tuple[str, ...], "Tags to add."] = (),
    removed_tags: Annotated[tuple[str, ...], "Tags to take off."] = (),
    collections: Annotated[tuple[str, ...], "Collections to file them under; `A/B` lies in `A`."] = (),
    removed_collections: Annotated[tuple[str, ...], "Collections to take them out of."] = (),
) -> MarkedChange:
    """Changes stars, decisions, reading status, tags, collections and notes, as one change that can be taken back."""
    from litterm.annotations.paper_changes import check_changes

    changes = PaperChanges(screening, starred, status, note, tags, removed_tags, collections, removed_collections)
    check_changes(changes)
    if changes == PaperChanges():
        raise UsageError("Say what to change, such as `starred`, `tags` or `note`.")
    before = set(_change_ids(engine))
    marked = engine.marking.mark(papers, changes)
    # What another process has written meanwhile is not ours, and says something else.
    made = [event_id for event_id in _change_ids(engine, said=marked.summary) if event_id not in before]
    return MarkedChange(marked, made[0] if made else "")


def mark_body(engine: Engine, _request: Any, answer: MarkedChange) -> Body:
    """As `litterm mark --json` prints it, with the id of the change."""
    from litterm.render import json

    return {**json.marked(answer.marked, engine.annotations.notes_on(answer.marked.papers)), "change": answer.change}


@dataclass(frozen=True, slots=True)
class UndoAnswer:
    """What was taken back."""

    undone: str | None
    """A sentence; `None` where the change is taken back already."""


def undo(engine: Engine, change: Annotated[str, "The `change` that `mark` answered with."]) -> UndoAnswer:
    """Takes back a change made by `mark`, if it is the last one."""
    ids = _change_ids(engine)
    if change in ids[1:]:
        raise UsageError("Something else was changed since, which would be taken back, too; leave that to the user.")
    return UndoAnswer(engine.annotations.undo_through(change))


def undo_body(_engine: Engine, _request: Any, answer: UndoAnswer) -> Body:
    """As `litterm undo --json` prints it."""
    return {"undone": answer.undone}


def _change_ids(engine: Engine, *, said: str = "") -> Sequence[str]:
    """The changes that can be taken back, the newest first; of them those whose sentence begins with `said`."""
    _undone, done = engine.annotations.undo_log.steps()
    return [event.id for event in done if event.sentence.startswith(said)]
