"""The library as tools for programs with a language model: the Model Context Protocol, over HTTP, without sessions.

A message in, a message out: JSON-RPC 2.0 as the protocol's streamable HTTP transport has it. Nothing is pushed, so
there is no stream to open. The official package serves `litterm mcp`, and not this: it sends back ids of any length
and size, takes a request with an id that is none for a notification, and knows nothing of our tokens and limits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

from starlette.responses import Response

from litterm.core.errors import LittermError
from litterm.server.http.app import JSON_MEDIA_TYPE, LibraryApp, ServedRequest
from litterm.server.http.openapi import API_VERSION
from litterm.server.protocol.codec import NotDecodable
from litterm.server.protocol.error_mapping import BAD_REQUEST, Refused, abridged
from litterm.server.tools.answer import INSTRUCTIONS, call_tool, describe_tools, refusal, tools

PATH = "/mcp"
PROTOCOL_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
"""Supported versions of the protocol, the newest first; a client with another one is offered the newest."""
ACCEPTED = 202
_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS = -32700, -32600, -32601, -32602
_MAX_ID_CHARS, _MAX_ID_NUMBER = 256, 2**53
"""Clients count their requests, or name them by a UUID; larger whole numbers are not exact in JavaScript."""
_INVALID_ID = f"The id of a request must be a whole number or a text of at most {_MAX_ID_CHARS} characters."
_TOOLS = tools()
_Message: TypeAlias = "dict[str, object]"


class _RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class ToolEndpoint:
    """The endpoint for tools: each request holds one message."""

    def __init__(self, library: LibraryApp) -> None:
        self._library = library

    async def answer(self, served: ServedRequest) -> Response:
        """The answer to a request of the client; nothing but a status to a notification."""
        self._library.admit(served, "read")
        version = served.request.headers.get("mcp-protocol-version", "")
        # The protocol asks for this status; a client that names no version uses the oldest.
        if version and version not in PROTOCOL_VERSIONS:
            raise Refused(BAD_REQUEST, "UsageError", f"The version {version} of the protocol is not supported.")
        try:
            message = _parse_message(await self._library.body(served))
        except _RpcError as error:
            # No id is known of a message that cannot be read; JSON-RPC wants null then.
            return _response({"jsonrpc": "2.0", "id": None, "error": _error_fields(error)}, BAD_REQUEST)
        if "id" not in message or "method" not in message:
            # A notification, or the answer to a request that we never send.
            return Response(status_code=ACCEPTED)
        if not _is_id(message["id"]):
            invalid = _RpcError(_INVALID_REQUEST, _INVALID_ID)
            return _response({"jsonrpc": "2.0", "id": None, "error": _error_fields(invalid)}, BAD_REQUEST)
        answer: _Message = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            answer["result"] = await self._result(
                served, str(message["method"]), _require_object(message.get("params", {}))
            )
        except _RpcError as error:
            answer["error"] = _error_fields(error)
        return _response(answer)

    async def _result(self, served: ServedRequest, method: str, params: Mapping[str, object]) -> _Message:
        match method:
            case "initialize":
                return _describe_server(params)
            case "ping":
                return {}
            case "tools/list":
                return {"tools": describe_tools(tuple(_TOOLS.values()))}
            case "tools/call":
                return await self._call_tool(served, params)
            case _:
                raise _RpcError(_NO_METHOD, f"There is no method {method}.")

    async def _call_tool(self, served: ServedRequest, params: Mapping[str, object]) -> _Message:
        """Calls a tool; an error in the call is part of the answer, so that the model can correct it."""
        operation = _TOOLS.get(str(params.get("name", "")))
        if operation is None:
            raise _RpcError(_INVALID_PARAMS, f"There is no tool of that name; there are {', '.join(_TOOLS)}.")
        try:
            arguments = _require_object(params.get("arguments", {}))
            answer = await self._library.run(served, call_tool(self._library.engine, operation, arguments))
        except (NotDecodable, LittermError, Refused) as error:
            answer = refusal(error)
        # Twice, as older versions of the protocol know the text only.
        return {
            "content": [{"type": "text", "text": answer.text()}],
            "structuredContent": answer.structured(),
            "isError": answer.is_error,
        }


def _parse_message(content: bytes) -> _Message:
    try:
        message = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _RpcError(_PARSE_ERROR, "The message is not JSON.") from error
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise _RpcError(_INVALID_REQUEST, "The message is not a JSON-RPC 2.0 request; batches are not supported.")
    return message


def _is_id(value: object) -> bool:
    """Whether the protocol allows `value` as the id of a request, which is sent back as it came."""
    if isinstance(value, str):
        return len(value) <= _MAX_ID_CHARS
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MAX_ID_NUMBER


def _require_object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _RpcError(_INVALID_PARAMS, "The parameters must be an object.")
    return value


def _describe_server(params: Mapping[str, object]) -> _Message:
    version = params.get("protocolVersion")
    return {
        "protocolVersion": version if version in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "litterm", "version": API_VERSION},
        "instructions": INSTRUCTIONS,
    }


def _error_fields(error: _RpcError) -> _Message:
    return {"code": error.code, "message": abridged(str(error))}


def _response(message: _Message, status: int = 200) -> Response:
    return Response(json.dumps(message), status, media_type=JSON_MEDIA_TYPE)
