"""Encodes changes of annotations as lines of the journal, and decodes them."""

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
    "collection",
    "filed",
    "wrong_name",
    "imported",
    "grade",
    "agreement",
    "value",
]
Value: TypeAlias = str | bool | tuple[str, ...] | Mark | None
"""The value of a register; `None` if it is empty."""

_TOPICS = frozenset(get_args(Topic))
_ALLOWED_WORDS = {"screening": get_args(Screening), "status": get_args(ReadStatus), "cell": get_args(CellDecision)}
_MARK_KINDS = frozenset(get_args(MarkKind))


@dataclass(frozen=True, slots=True)
class RegisterChange:
    """Sets one register to a value; `place` distinguishes registers of one topic and paper."""

    topic: Topic
    paper_id: PaperId
    value: Value
    place: str = ""


class Event(NamedTuple):
    """A change by the user; its register changes are undone and redone together."""

    id: str
    writer: str
    sentence: str
    """A description, such as `included acl:P18-1001`."""
    at: str
    """UTC, ISO 8601."""
    order: int
    """From 0, in the order of the journal."""
    is_import: bool = False
    """Whether it was taken over from another program, so that a later import may change it again."""


class JournalRow(NamedTuple):
    """A register change as stored in the journal; its value is decoded when needed."""

    topic: Topic
    paper_id: PaperId
    place: str
    raw: object


def encode_event(sentence: str, changes: Iterable[RegisterChange], *, is_import: bool = False) -> dict[str, object]:
    """Encodes an event for JSON, without its id and writer."""
    rows = [[c.topic, c.paper_id, c.place, _encode_value(c.value)] for c in changes]
    # Lines of the user's own are encoded as before there were others.
    return {"say": sentence, **({"import": True} if is_import else {}), "set": rows}


def decode_event(body: Mapping[str, object], time: str, order: int) -> Event:
    """Decodes the event of one line."""
    event_id, writer, sentence = (str(body.get(name, "")) for name in ("id", "by", "say"))
    return Event(event_id, writer, sentence, time, order, body.get("import") is True)


def decode_rows(body: Mapping[str, object]) -> Iterator[JournalRow]:
    """Decodes the changes of one line, skipping topics that this version does not know."""
    rows = body.get("set")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 4 and all(isinstance(name, str) for name in row[:3]):
            topic, paper_id, place, raw = row
            # A newer litterm may have written other topics. They stay in the journal.
            if topic in _TOPICS:
                yield JournalRow(topic, paper_id, place, raw)


def decode_value(row: JournalRow, time: str) -> Value:
    """Decodes the value of a change made at `time`; `None` also if it cannot be read."""
    match row.topic:
        case "mark":
            return _decode_mark(row.paper_id, row.raw, time) if isinstance(row.raw, dict) else None
        case "tags":
            return tuple(str(tag) for tag in row.raw) if isinstance(row.raw, list) else None
        case "starred" | "removed" | "filed" | "wrong_name":
            return row.raw if isinstance(row.raw, bool) else None
        case "project":
            return row.raw if isinstance(row.raw, bool | str) else None
        case "note" | "twin" | "watch" | "reading_list" | "collection" | "imported" | "grade" | "agreement" | "value":
            return row.raw if isinstance(row.raw, str) else None
        case "screening" | "status" | "cell":
            # A word of another version must not be shown as a decision.
            return str(row.raw) if row.raw in _ALLOWED_WORDS[row.topic] else None


def _encode_value(value: Value) -> object:
    if isinstance(value, tuple):
        return list(value)
    if not isinstance(value, Mark):
        return value
    anchor = value.anchor
    # Marks without a project are encoded as before there were projects.
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


def _decode_mark(paper_id: PaperId, raw: Mapping[str, object], time: str) -> Mark | None:
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


def is_same_value(first: Value, second: Value) -> bool:
    """Whether two values are equal, apart from the time of a mark."""
    if isinstance(first, Mark) and isinstance(second, Mark):
        # Otherwise making the same mark twice would be another change to undo.
        return replace(first, at="") == replace(second, at="")
    return first == second


def join_values(topic: Topic, values: Iterable[Value]) -> Value:
    """Joins the values of the records of one paper: tags are united, notes concatenated, else the first one wins."""
    present = [value for value in values if value is not None]
    if len(present) < 2:
        return present[0] if present else None
    if topic == "tags":
        return tuple(dict.fromkeys(tag for value in present if isinstance(value, tuple) for tag in value))
    if topic == "note":
        return "\n\n".join(dict.fromkeys(str(value) for value in present))
    return present[0]
