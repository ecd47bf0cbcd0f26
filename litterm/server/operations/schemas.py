"""Schemas (JSON Schema 2020-12) of what is sent and answered, made from the data classes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Literal, NewType, get_args, get_origin

from litterm.server.operations.operation import Operation
from litterm.server.operations.parameters import MEANING
from litterm.server.protocol.codec import default_of, encode, item_types, types_of, union_members

Schema = dict[str, object]
_JSON_TYPES: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}
SCHEMA_REF = "#/components/schemas/"


def request_schema(operation: Operation) -> Schema:
    """The schema of an operation's request for programs that call tools, without fields that only litterm can fill."""
    known: dict[str, Schema] = {}
    schema = _object_schema(operation.request, known, plain_only=True)
    return {**schema, "additionalProperties": False}


def schema_of(kind: object, schemas: dict[str, Schema]) -> Schema:
    """The schema of a type; data classes are added to `schemas` and referred to."""
    if isinstance(kind, NewType):
        return schema_of(kind.__supertype__, schemas)
    alternatives = union_members(kind)
    if len(alternatives) > 1:
        return {"anyOf": [schema_of(alternative, schemas) for alternative in alternatives]}
    origin = get_origin(kind)
    if origin is Literal:
        return {"enum": list(get_args(kind))}
    if (items := item_types(kind)) is not None:
        array = _array_schema(items, schemas)
        return {**array, "uniqueItems": True} if origin is frozenset else array
    if isinstance(kind, type) and is_dataclass(kind):
        if kind.__name__ not in schemas:
            # Named before it is described: data classes may hold one another.
            schemas[kind.__name__] = {}
            schemas[kind.__name__] = _object_schema(kind, schemas)
        return {"$ref": f"{SCHEMA_REF}{kind.__name__}"}
    return {"type": _JSON_TYPES[kind]}


def _array_schema(items: tuple[object, ...], schemas: dict[str, Schema]) -> Schema:
    if len(items) == 2 and items[1] is Ellipsis:
        return {"type": "array", "items": schema_of(items[0], schemas)}
    return {
        "type": "array",
        "prefixItems": [schema_of(item, schemas) for item in items],
        "minItems": len(items),
        "maxItems": len(items),
    }


def _object_schema(kind: type, schemas: dict[str, Schema], *, plain_only: bool = False) -> Schema:
    types = types_of(kind)
    properties: Schema = {}
    required: list[str] = []
    for field in fields(kind):
        if plain_only and _holds_dataclass(types[field.name]):
            continue
        described = schema_of(types[field.name], schemas)
        default = default_of(field)
        if default is MISSING:
            required.append(field.name)
        elif default is None or isinstance(default, str | int | float | tuple | frozenset):
            described = {**described, "default": encode(default)}
        if meaning := field.metadata.get(MEANING) or _field_meanings(kind).get(field.name):
            described = {**described, "description": meaning}
        properties[field.name] = described
    summary = (inspect.getdoc(kind) or "").splitlines()[0]
    schema: Schema = {"type": "object", "description": summary, "properties": properties}
    return {**schema, "required": required} if required else schema


def _holds_dataclass(kind: object) -> bool:
    return any(isinstance(alternative, type) and is_dataclass(alternative) for alternative in union_members(kind))


@cache
def _field_meanings(kind: type) -> Mapping[str, str]:
    """The docstrings below the fields of a data class in its source."""
    import ast

    try:
        (tree,) = ast.parse(inspect.getsource(kind)).body
    # Without sources, as in a bundle, fields go without their meaning.
    except (OSError, TypeError, SyntaxError):
        return {}
    assert isinstance(tree, ast.ClassDef)
    meanings = {}
    for field, below in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            value = below.value if isinstance(below, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                meanings[field.target.id] = " ".join(value.value.split())
    return meanings
