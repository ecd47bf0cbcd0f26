"""The interface description (OpenAPI 3.1), made from the dataclasses that are sent."""

from __future__ import annotations

from functools import cache

from litterm.server.operations.operation import Operation
from litterm.server.operations.schemas import SCHEMA_REF, Schema, schema_of
from litterm.server.operations.table import OPERATIONS
from litterm.server.protocol.codec import TYPED_MEDIA_TYPE
from litterm.server.users.user_file import UserRequest

API_VERSION = "1"
"""Version of the interface: fields may be added to it, and none is removed or renamed."""
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
    added: Schema = {"requestBody": {"required": True, "content": _json_content(schema_of(UserRequest, schemas))}}
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
        status: {"description": meaning, "content": {"application/json": {"schema": {"$ref": f"{SCHEMA_REF}Fault"}}}}
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
                "value": schema_of(operation.answer, schemas),
            },
            "required": ["notices", "value"],
        }
    }
    return {
        "operationId": operation.name,
        "summary": operation.meaning,
        "requestBody": {"content": {"application/json": {"schema": schema_of(operation.request, schemas)}}},
        "responses": _describe_responses(content),
    }
