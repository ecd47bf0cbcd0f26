"""The interface description (OpenAPI 3.1), made from the dataclasses that are sent."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, Literal, NewType, get_args, get_origin

from litterm.server.protocol.codec import encode, is_required, members, types_of
from litterm.server.users.user_file import UserRequest
from litterm.server.verbs.table import VERBS
from litterm.server.verbs.verb import Verb

Schema = dict[str, object]
API_VERSION = "1"
"""Of the interface: fields may be added to it, and none is removed or renamed."""
_PLAIN: Mapping[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}
_REF = "#/components/schemas/"
_FAULTS = {
    "400": "what was asked makes no sense",
    "401": "no token, or an unknown one",
    "403": "the user's role does not allow it",
    "404": "the library does not hold the paper",
    "429": "too many requests; `Retry-After` says when to try again",
    "503": "too much to do; `Retry-After` says when to try again",
    "504": "the answer took too long",
}


@cache
def describe() -> Schema:
    """The whole description."""
    schemas: dict[str, Schema] = {"Fault": _FAULT}
    paths: Schema = {f"/v1/{verb.name}": {"post": _operation(verb, schemas)} for verb in VERBS}
    paths["/v1/add"] = {"post": _UPLOAD}
    added: Schema = {"requestBody": {"required": True, "content": _json(_schema(UserRequest, schemas))}}
    paths["/v1/users"] = {
        "get": _users("users", "the users of the server"),
        "post": {**_users("add-user", "adds a user, or gives another token; the answer has it"), **added},
    }
    paths["/v1/users/{name}"] = {
        "delete": {**_users("remove-user", "takes away the right to ask"), "parameters": [_NAME]}
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


def request_schema(verb: Verb) -> Schema:
    """What a verb takes, without what only litterm itself can make; for programs that call tools."""
    known: dict[str, Schema] = {}
    schema = _noun(verb.request, known, plain_only=True)
    return {**schema, "additionalProperties": False}


_FAULT: Schema = {
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


def _answers(content: Schema) -> Schema:
    faults: Schema = {
        status: {"description": meaning, "content": {"application/json": {"schema": {"$ref": f"{_REF}Fault"}}}}
        for status, meaning in _FAULTS.items()
    }
    return {"200": {"description": "the answer", "content": content}, **faults}


_UPLOAD: Schema = {
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
    "responses": _answers({"application/json": {"schema": {"type": "object"}}}),
}


_NAME: Schema = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}


def _users(operation: str, summary: str) -> Schema:
    return {
        "operationId": operation,
        "summary": f"{summary}; the role `admin` is needed",
        "responses": _answers(_json({"type": "object"})),
    }


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def _operation(verb: Verb, schemas: dict[str, Schema]) -> Schema:
    content: Schema = {
        "application/json": {
            "schema": {
                "type": "object",
                "description": "As `--json` gives it; see docs/reference/json.md.",
            }
        }
    }
    if is_dataclass(verb.answer):
        value = _schema(verb.answer, schemas)
        content["application/vnd.litterm+json"] = {
            "schema": {
                "type": "object",
                "properties": {"notices": {"type": "array", "items": {"type": "string"}}, "value": value},
                "required": ["notices", "value"],
            }
        }
    return {
        "operationId": verb.name,
        "summary": verb.meaning,
        "requestBody": {"content": {"application/json": {"schema": _schema(verb.request, schemas)}}},
        "responses": _answers(content),
    }


def _schema(kind: object, schemas: dict[str, Schema]) -> Schema:
    """The schema of a type; nouns are put into `schemas` and referred to."""
    if isinstance(kind, NewType):
        return _schema(kind.__supertype__, schemas)
    alternatives = members(kind)
    if len(alternatives) > 1:
        return {"anyOf": [_schema(alternative, schemas) for alternative in alternatives]}
    origin = get_origin(kind)
    if origin is Literal:
        return {"enum": list(get_args(kind))}
    if origin is tuple:
        return _array(get_args(kind), schemas)
    if origin is frozenset:
        return {**_array((*get_args(kind), Ellipsis), schemas), "uniqueItems": True}
    if isinstance(kind, type) and is_dataclass(kind):
        if kind.__name__ not in schemas:
            # Named before it is described: nouns may hold one another.
            schemas[kind.__name__] = {}
            schemas[kind.__name__] = _noun(kind, schemas)
        return {"$ref": f"{_REF}{kind.__name__}"}
    return {"type": _PLAIN[kind]}


def _array(items: tuple[Any, ...], schemas: dict[str, Schema]) -> Schema:
    if len(items) == 2 and items[1] is Ellipsis:
        return {"type": "array", "items": _schema(items[0], schemas)}
    return {
        "type": "array",
        "prefixItems": [_schema(item, schemas) for item in items],
        "minItems": len(items),
        "maxItems": len(items),
    }


def _noun(kind: type, schemas: dict[str, Schema], *, plain_only: bool = False) -> Schema:
    types = types_of(kind)
    properties: Schema = {}
    required: list[str] = []
    for field in fields(kind):
        if plain_only and _holds_a_noun(types[field.name]):
            continue
        described = _schema(types[field.name], schemas)
        if is_required(field):
            required.append(field.name)
        elif field.default is None or isinstance(field.default, str | int | float | tuple | frozenset):
            described = {**described, "default": encode(field.default)}
        if meaning := _meanings(kind).get(field.name):
            described = {**described, "description": meaning}
        properties[field.name] = described
    summary = (inspect.getdoc(kind) or "").splitlines()[0]
    schema: Schema = {"type": "object", "description": summary, "properties": properties}
    return {**schema, "required": required} if required else schema


def _holds_a_noun(kind: object) -> bool:
    return any(isinstance(alternative, type) and is_dataclass(alternative) for alternative in members(kind))


@cache
def _meanings(kind: type) -> Mapping[str, str]:
    """What stands below the fields of a noun in its source."""
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
