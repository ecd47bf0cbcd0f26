"""The interface description (OpenAPI 3.1), made from the dataclasses that are sent."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Literal, NewType, get_args, get_origin

from litterm.server.operations.operation import Operation
from litterm.server.operations.parameters import MEANING
from litterm.server.operations.table import OPERATIONS
from litterm.server.protocol.codec import TYPED_MEDIA_TYPE, default_of, encode, item_types, types_of, union_members
from litterm.server.users.user_file import UserRequest

Schema = dict[str, object]
API_VERSION = "1"
"""Version of the interface: fields may be added to it, and none is removed or renamed."""
_JSON_TYPES: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}
_SCHEMA_REF = "#/components/schemas/"
_FAULT_MEANINGS = {
    "400": "the request is not valid",
    "401": "no token, or an unknown one",
    "403": "the user's role does not allow it",
    "404": "the library does not hold the paper",
    "429": "too many requests; `Retry-After` says when to try again",
    "503": "too much to do; `Retry-After` says when to try again",
    "504": "the answer took too long",
}


@cache
def describe_api() -> Schema:
    """The whole description."""
    schemas: dict[str, Schema] = {"Fault": _FAULT_SCHEMA}
    paths: Schema = {
        f"/v1/{operation.name}": {"post": describe_operation(operation, schemas)} for operation in OPERATIONS
    }
    paths["/v1/add"] = {"post": _UPLOAD_OPERATION}
    added: Schema = {"requestBody": {"required": True, "content": _json_content(_schema_of(UserRequest, schemas))}}
    paths["/v1/users"] = {
        "get": _users_operation("users", "the users of the server"),
        "post": {
            **_users_operation("add-user", "adds a user, or gives another token; the answer has it"),
            **added,
        },
    }
    paths["/v1/users/{name}"] = {
        "delete": {
            **_users_operation("remove-user", "removes a user"),
            "parameters": [_NAME_PARAMETER],
        }
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "litterm", "version": API_VERSION, "description": "A library of papers for a group."},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def request_schema(operation: Operation) -> Schema:
    """The schema of an operation's request for programs that call tools, without fields that only litterm can fill."""
    known: dict[str, Schema] = {}
    schema = _object_schema(operation.request, known, plain_only=True)
    return {**schema, "additionalProperties": False}


_FAULT_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "type": {"type": "string"},
                "message": {"type": "string", "description": "One sentence."},
                "start": {"type": "integer"},
                "end": {"type": "integer"},
            },
            "required": ["type", "message"],
        }
    },
    "required": ["error"],
}


def _describe_responses(content: Schema) -> Schema:
    faults: Schema = {
        status: {"description": meaning, "content": {"application/json": {"schema": {"$ref": f"{_SCHEMA_REF}Fault"}}}}
        for status, meaning in _FAULT_MEANINGS.items()
    }
    return {"200": {"description": "the answer", "content": content}, **faults}


_UPLOAD_OPERATION: Schema = {
    "operationId": "add",
    "summary": "import a file, which is the body; the role `import` is needed",
    "parameters": [
        {"name": "name", "in": "query", "required": True, "schema": {"type": "string"}, "description": "of the file"},
        {
            "name": "retry",
            "in": "query",
            "schema": {"enum": ["1"]},
            "description": "reads the file even if its content is known",
        },
    ],
    "requestBody": {"required": True, "content": {"application/octet-stream": {}}},
    "responses": _describe_responses({"application/json": {"schema": {"type": "object"}}}),
}


_NAME_PARAMETER: Schema = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}


def _users_operation(operation: str, summary: str) -> Schema:
    return {
        "operationId": operation,
        "summary": f"{summary}; the role `admin` is needed",
        "responses": _describe_responses(_json_content({"type": "object"})),
    }


def _json_content(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def describe_operation(operation: Operation, schemas: dict[str, Schema]) -> Schema:
    """The description of an operation; the data classes that it sends are added to `schemas`."""
    content: Schema = {
        "application/json": {
            "schema": {
                "type": "object",
                "description": "As `--json` gives it; see docs/reference/json.md.",
            }
        }
    }
    content[TYPED_MEDIA_TYPE] = {
        "schema": {
            "type": "object",
            "properties": {
                "notices": {"type": "array", "items": {"type": "string"}},
                "value": _schema_of(operation.answer, schemas),
            },
            "required": ["notices", "value"],
        }
    }
    return {
        "operationId": operation.name,
        "summary": operation.meaning,
        "requestBody": {"content": {"application/json": {"schema": _schema_of(operation.request, schemas)}}},
        "responses": _describe_responses(content),
    }


def _schema_of(kind: object, schemas: dict[str, Schema]) -> Schema:
    """The schema of a type; data classes are added to `schemas` and referred to."""
    if isinstance(kind, NewType):
        return _schema_of(kind.__supertype__, schemas)
    alternatives = union_members(kind)
    if len(alternatives) > 1:
        return {"anyOf": [_schema_of(alternative, schemas) for alternative in alternatives]}
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
        return {"$ref": f"{_SCHEMA_REF}{kind.__name__}"}
    return {"type": _JSON_TYPES[kind]}


def _array_schema(items: tuple[object, ...], schemas: dict[str, Schema]) -> Schema:
    if len(items) == 2 and items[1] is Ellipsis:
        return {"type": "array", "items": _schema_of(items[0], schemas)}
    return {
        "type": "array",
        "prefixItems": [_schema_of(item, schemas) for item in items],
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
        described = _schema_of(types[field.name], schemas)
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
