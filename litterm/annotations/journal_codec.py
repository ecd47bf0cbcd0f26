"""Changes of annotations as lines of the journal, there and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from litterm.model.annotations import Anchor, Mark, MarkKind, ReadStatus, Screening
from litterm.model.document import DocumentId
from litterm.model.matrix import CellDecision
from litterm.model.paper import PaperId

Topic = Literal[
    "screening",
    "starred",
    "tags",
    "note",
    "status",
    "mark",
    "cell",
    "twin",
    "removed",
    "watch",
    "project",
    "reading_list",
]
Value: TypeAlias = str | bool | tuple[str, ...] | Mark | None
"""What a register holds; `None` is nothing."""

_TOPICS = frozenset(get_args(Topic))
_WORDS = {"screening": get_args(Screening), "status": get_args(ReadStatus), "cell": get_args(CellDecision)}
_MARK_KINDS = frozenset(get_args(MarkKind))


@dataclass(frozen=True, slots=True)
class RegisterChange:
    """One register set to a value; `place` tells the marks of one paper apart."""

    topic: Topic
    paper_id: PaperId
    value: Value
    place: str = ""


class Event(NamedTuple):
    """One verb; its changes are undone and redone together."""

    id: str
    writer: str
    sentence: str
    """What was done: `included acl:P18-1001`."""
    at: str
    """UTC, ISO 8601."""
    order: int
    """From 0, in the order of the journal."""


class JournalRow(NamedTuple):
    """One change as the journal holds it; its value is read when it is asked for."""

    topic: Topic
    paper_id: PaperId
    place: str
    raw: object


def as_body(sentence: str, changes: Iterable[RegisterChange]) -> dict[str, object]:
    """A verb without its id and writer, as JSON takes it."""
    return {"say": sentence, "set": [[c.topic, c.paper_id, c.place, _as_json(c.value)] for c in changes]}


def event_of(body: Mapping[str, object], time: str, order: int) -> Event:
    """The verb of one line."""
    return Event(str(body.get("id", "")), str(body.get("by", "")), str(body.get("say", "")), time, order)


def rows_of(body: Mapping[str, object]) -> Iterator[JournalRow]:
    """The changes of one line; topics this version does not know are left out, never an error."""
    rows = body.get("set")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 4 and all(isinstance(name, str) for name in row[:3]):
            topic, paper_id, place, raw = row
            # A newer litterm may have written more; its lines stay in the journal, for when it is used again.
            if topic in _TOPICS:
                yield JournalRow(topic, paper_id, place, raw)


def value_of(row: JournalRow, time: str) -> Value:
    """What a change of the time `time` set; `None` also for what cannot be read."""
    match row.topic:
        case "mark":
            return _mark_of(row.paper_id, row.raw, time) if isinstance(row.raw, dict) else None
        case "tags":
            return tuple(str(tag) for tag in row.raw) if isinstance(row.raw, list) else None
        case "starred" | "removed":
            return row.raw if isinstance(row.raw, bool) else None
        case "project":
            return row.raw if isinstance(row.raw, bool | str) else None
        case "note" | "twin" | "watch" | "reading_list":
            return row.raw if isinstance(row.raw, str) else None
        case "screening" | "status" | "cell":
            # Checked: a word of another version must not come on the screen as a decision.
            return str(row.raw) if row.raw in _WORDS[row.topic] else None


def _as_json(value: Value) -> object:
    if isinstance(value, tuple):
        return list(value)
    if not isinstance(value, Mark):
        return value
    anchor = value.anchor
    # Only where there is one: marks that belong to no project keep the lines they had before there were projects.
    project = {} if value.project is None else {"project": value.project}
    return {
        "document": anchor.document_id,
        "index": anchor.index,
        "quote": anchor.quote,
        "before": anchor.before,
        "after": anchor.after,
        "kind": value.kind,
        "hypothesis": value.hypothesis,
        **project,
    }


def _mark_of(paper_id: PaperId, raw: Mapping[str, object], time: str) -> Mark | None:
    index, kind = raw.get("index"), raw.get("kind")
    if not isinstance(index, int) or kind not in _MARK_KINDS:
        return None
    anchor = Anchor(
        document_id=DocumentId(str(raw.get("document", ""))),
        index=index,
        quote=str(raw.get("quote", "")),
        before=str(raw.get("before", "")),
        after=str(raw.get("after", "")),
    )
    project = raw.get("project")
    return Mark(
        paper_id,
        anchor,
        cast("MarkKind", kind),
        str(raw.get("hypothesis", "")),
        time,
        project if isinstance(project, str) else None,
    )


def same(first: Value, second: Value) -> bool:
    """Whether two values say the same; the time of a mark does not count."""
    if isinstance(first, Mark) and isinstance(second, Mark):
        # The same mark made twice would otherwise be a verb of its own to undo.
        return replace(first, at="") == replace(second, at="")
    return first == second


def joined(topic: Topic, values: Iterable[Value]) -> Value:
    """What the records of one paper hold together, that of the first first: tags united, notes one below another."""
    present = [value for value in values if value is not None]
    if len(present) < 2:
        return present[0] if present else None
    if topic == "tags":
        return tuple(dict.fromkeys(tag for value in present if isinstance(value, tuple) for tag in value))
    if topic == "note":
        return "\n\n".join(dict.fromkeys(str(value) for value in present))
    return present[0]
