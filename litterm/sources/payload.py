"""JSON of services, of which nothing is certain: what is not of the promised type counts as not there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from litterm.errors import BadInput, Malformed
from litterm.formats.people import author_from_name
from litterm.formats.row_text import Row
from litterm.formats.rows import parsed_row
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Provenance
from litterm.sources.pace import pace_of
from litterm.sources.request import Answer
from litterm.text.hyphens import Hyphens

Record = Mapping[str, object]
_UNMENDED = Hyphens()


def decoded(answer: Answer, host: str) -> object:
    """The JSON of an answer.

    Raises:
        Malformed: it is none.
    """
    try:
        told: object = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{pace_of(host).owner} answered with something that is no JSON.") from error
    return told


def promised(answer: Answer, host: str, *names: str) -> Record:
    """The object in an answer that bears one of `names`.

    Raises:
        Malformed: it bears none: what stands in something else says nothing of papers, and never that there are none.
    """
    told = record(decoded(answer, host))
    if told.keys().isdisjoint(names):
        raise Malformed(f"{pace_of(host).owner} answered with something that is no answer to what it was asked.")
    return told


def record(value: object) -> Record:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def records(value: object) -> list[Record]:
    """The objects in the list `value`, or none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """A string, or a whole number as one; else empty."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def texts(value: object) -> tuple[str, ...]:
    """The strings in the list `value`, without empty ones."""
    return tuple(each for each in map(text, value) if each) if isinstance(value, list) else ()


def whole(value: object) -> int | None:
    """A whole number, also one written as text; else `None`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 12 else None


def position(cursor: str) -> Record:
    """What a connector wrote into the cursor of a batch; empty for the first step."""
    return record(json.loads(cursor)) if cursor else {}


def parsed(values: Record, service: str, origin: str) -> Parsed | Failure:
    """The paper of a row with the fields of `formats.rows`, as `service` gave it at the address `origin`."""
    try:
        made = parsed_row(Row(values), origin, _UNMENDED)
    except BadInput as error:
        return Failure(origin, str(error))
    return replace(made, paper=replace(made.paper, provenance=Provenance(service, origin)))


def only_papers(items: Sequence[Parsed | Failure]) -> tuple[Parsed, ...]:
    """The papers among `items`."""
    return tuple(each for each in items if isinstance(each, Parsed))


def families_of(names: Iterable[str]) -> tuple[str, ...]:
    """The family names of printed names, in order; empty names are left out."""
    people = map(author_from_name, names)
    return tuple(author.family for author in people if author is not None)
