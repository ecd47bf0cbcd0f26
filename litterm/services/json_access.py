"""Reads JSON of services defensively: a value that is not of the promised type counts as missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from litterm.core.errors import BadInput, Malformed
from litterm.importers.author_names import author_from_name
from litterm.importers.byte_sources import check_values
from litterm.importers.jsonl.rows import JsonRow, parse_row
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Provenance
from litterm.services.http.messages import ServiceResponse
from litterm.services.http.rate_limit import rate_limit_of
from litterm.text.documents.hyphens import HyphenStatistics

Record = Mapping[str, object]
_NO_HYPHENS = HyphenStatistics()


def decode_json(answer: ServiceResponse, host: str) -> object:
    """The JSON of an answer.

    Raises:
        Malformed: it is not JSON, or would fill the memory.
    """
    try:
        check_values(answer.body)
    except BadInput as error:
        raise Malformed(f"{rate_limit_of(host).owner} answered with more than any answer holds: {error}") from error
    try:
        value: object = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{rate_limit_of(host).owner} answered with something other than JSON.") from error
    return value


def require_fields(answer: ServiceResponse, host: str, *names: str) -> Record:
    """The object in an answer that bears one of `names`.

    Raises:
        Malformed: it bears none: what is in something else says nothing of papers, and never that there are none.
    """
    fields = record(decode_json(answer, host))
    if fields.keys().isdisjoint(names):
        raise Malformed(f"{rate_limit_of(host).owner} gave an answer that does not fit the request.")
    return fields


def record(value: object) -> Record:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def records(value: object) -> list[Record]:
    """The objects in the list `value`, or none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """A string, or a whole number as one; else empty."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def texts(value: object) -> tuple[str, ...]:
    """The strings in the list `value`, without empty ones."""
    return tuple(item for item in map(text, value) if item) if isinstance(value, list) else ()


def integer(value: object) -> int | None:
    """A whole number, also one written as text; else `None`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    # Python takes long over thousands of digits, and none of these numbers has twelve.
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 12 else None


def position(cursor: str) -> Record:
    """What a connector wrote into the cursor of a batch; empty for the first step."""
    return record(json.loads(cursor)) if cursor else {}


def parse_service_row(values: Record, service: str, origin: str) -> Parsed | Failure:
    """The paper of a row with the fields of `importers.jsonl.rows`, as `service` gave it at the address `origin`."""
    try:
        result = parse_row(JsonRow(values), origin, _NO_HYPHENS)
    except BadInput as error:
        return Failure(origin, str(error))
    return replace(result, paper=replace(result.paper, provenance=Provenance(service, origin)))


def only_papers(items: Sequence[Parsed | Failure]) -> tuple[Parsed, ...]:
    """The papers among `items`."""
    return tuple(item for item in items if isinstance(item, Parsed))


def families_of(names: Iterable[str]) -> tuple[str, ...]:
    """The family names of printed names, in order; empty names are left out."""
    people = map(author_from_name, names)
    return tuple(author.surname for author in people if author is not None)
