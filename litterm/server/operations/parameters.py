"""How the parameters of a method are written in a request: each is one field, except papers and queries."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field
from typing import Annotated, Any, get_args, get_origin

from litterm.engine import Engine
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query
from litterm.server.protocol.codec import types_of
from litterm.server.protocol.own_conditions import refuse_own_conditions
from litterm.text.request_limits import check_query

MEANING = "meaning"
"""The key under which the metadata of a field say what it means."""
WHOLE_REQUEST = "request"
"""The name of a parameter that is the whole request, as a data class of its own."""
_MEANINGS: Mapping[str, str] = {
    "everything": "Whether to return `k` sentences even if fewer bear on the hypothesis.",
    "hypothesis": "A sentence that the paper may support or contradict.",
    "k": "Maximum number of results.",
    "paper": "An id such as `acl:P18-1082`, or its key alone where that is unambiguous.",
    "parsed": "The query as parsed by a litterm client; replaces `query`.",
    "query": "In the query language of `litterm search`.",
    "scope": "`results`: only sentences that report results.",
}
"""What a field means unless its parameter says so (`Annotated[int, "..."]`), as the methods of the engine do not."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a method, and the fields of a request that stand for it."""

    name: str
    fields: tuple[tuple[str, object, Field[Any]], ...]
    """Name, type, and default with meaning."""
    read: Callable[[Engine, Any], object]
    """The argument that a request stands for."""
    write: Callable[[Any], Mapping[str, object]]
    """The fields that stand for an argument."""


def parameters_of(method: Callable[..., object]) -> tuple[Parameter, ...]:
    """The parameters of a method of the engine, or of a function that takes the engine first; without the engine."""
    types = types_of(method)
    _engine, *parameters = inspect.signature(method).parameters.values()
    return tuple(_parameter(parameter, types[parameter.name]) for parameter in parameters)


def _parameter(parameter: inspect.Parameter, kind: object) -> Parameter:
    name, meaning = parameter.name, ""
    if get_origin(kind) is Annotated:
        kind, meaning = get_args(kind)
    if kind is Query:
        return Parameter(
            name,
            (_field("query", str, ""), _field("parsed", Query | None, None)),
            _read_query,
            lambda query: {"parsed": query},
        )
    if kind is Paper:
        paper = (_field("paper", str),)
        return Parameter(
            name, paper, lambda engine, request: engine.paper(request.paper), lambda paper: {"paper": paper.id}
        )
    if kind is PaperId:
        paper = (_field("paper", str),)
        return Parameter(
            name, paper, lambda engine, request: engine.paper(request.paper).id, lambda paper_id: {"paper": paper_id}
        )
    if name == WHOLE_REQUEST:
        return Parameter(name, (), lambda _engine, request: request, lambda _request: {})
    default = MISSING if parameter.default is inspect.Parameter.empty else parameter.default
    return Parameter(
        name,
        (_field(name, kind, default, meaning),),
        lambda _engine, request: getattr(request, name),
        lambda argument: {name: argument},
    )


def _field(name: str, kind: object, default: Any = MISSING, meaning: str = "") -> tuple[str, object, Field[Any]]:
    described: Field[Any] = field(default=default, metadata={MEANING: meaning or _MEANINGS.get(name, "")})
    return name, kind, described


def _read_query(engine: Engine, request: Any) -> Query:
    query: Query = request.parsed or engine.parse(request.query)
    check_received(query)
    return query


def check_received(query: Query) -> None:
    """Checks a query that a client sent, perhaps parsed: its size, and that it asks for nothing of the owner's.

    Raises:
        UsageError: it is larger than a query may be, or has conditions on tags, notes and the like.
    """
    check_query(query)
    refuse_own_conditions(query)
