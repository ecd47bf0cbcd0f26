"""Serves the tools of the library to the process that started this one; its standard output holds nothing else."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from typing import Any, cast

import mcp_types as types
from anyio import BrokenResourceError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from litterm.core.errors import LittermError
from litterm.core.version import __version__
from litterm.engine import Engine
from litterm.model.events import Event, Progress
from litterm.server.protocol.codec import NotDecodable
from litterm.server.protocol.error_mapping import Refused, abridged
from litterm.server.stdio.message_lines import MAX_MESSAGE_BYTES, MessageLines
from litterm.server.tools.answer import INSTRUCTIONS, ToolAnswer, call_tool, describe_tools, refusal, tools
from litterm.server.workers import WorkerPool
from litterm.text.escape import plain

_log = logging.getLogger(__name__)
_THREADS, _WAITING = 4, 100
"""Calls that are answered at the same time, and those that may wait."""
_PROGRESS_S = 0.5
"""Between two messages on how far a call is."""
_NO_MESSAGE = f"This is no message of JSON-RPC 2.0, or it is longer than {MAX_MESSAGE_BYTES:,} bytes."


class ToolServer:
    """The tools of one library, for one client."""

    def __init__(self, engine: Engine, *, may_change: bool) -> None:
        """`may_change` also offers tools that change what the user has noted about papers."""
        self._engine = engine
        self._tools = tools(is_own=True, may_change=may_change)
        self._workers = WorkerPool("tool", _THREADS, _WAITING)

    def run(self) -> None:
        """Serves until standard input ends or whoever reads standard output has gone."""
        try:
            asyncio.run(self._serve())
        finally:
            self.close()

    def protocol_server(self) -> Server[Any]:
        """The tools in the terms of the protocol, for any transport."""
        return Server(
            "litterm",
            version=__version__,
            title="litterm",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    def close(self) -> None:
        """Waits for calls in progress to notice that they are given up."""
        self._workers.close()

    async def _serve(self) -> None:
        server = self.protocol_server()
        lines = MessageLines(_take_standard_input())
        is_torn = False
        try:
            # Nothing but iterated over.
            async with stdio_server(stdin=cast("Any", lines)) as (received, sent):
                checked = CheckedMessages(received, sent)
                await server.run(cast("Any", checked), sent, server.create_initialization_options())
        # The client has gone, or a message has come while the streams were closed.
        except* (BrokenPipeError, ConnectionResetError, BrokenResourceError):
            is_torn = True
        task = asyncio.current_task()
        if is_torn and task is not None and task.cancelling():
            # An interrupt, which that must not hide.
            raise asyncio.CancelledError

    async def _list_tools(
        self, _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        described = describe_tools(tuple(self._tools.values()))
        return types.ListToolsResult(tools=[types.Tool.model_validate(each) for each in described])

    async def _call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        operation = self._tools.get(params.name)
        if operation is None:
            known = ", ".join(self._tools)
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {plain(abridged(params.name))}; there are {known}.")
        task = call_tool(self._engine, operation, params.arguments or {}, is_own=True)
        try:
            answer = await self._workers.run("", task, 0, _progress_sender(context))
        except (NotDecodable, LittermError, Refused) as error:
            answer = refusal(error)
        except Exception as error:  # noqa: BLE001 - one call must never end the server
            _log.exception("%s", operation.name)
            answer = refusal(error)
        return _result(answer)


class CheckedMessages:
    """The messages of a client; what is none is answered here, as the package leaves it without an answer."""

    def __init__(self, received: Any, sent: Any) -> None:
        self._received = received
        self._sent = sent

    def __aiter__(self) -> CheckedMessages:
        return self

    async def __anext__(self) -> SessionMessage:
        while isinstance(item := await self._received.__anext__(), Exception):
            error = types.ErrorData(code=types.PARSE_ERROR, message=_NO_MESSAGE)
            await self._sent.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=error)))
        return cast("SessionMessage", item)

    async def __aenter__(self) -> CheckedMessages:
        await self._received.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return cast("bool | None", await self._received.__aexit__(*error))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._received, name)


def _take_standard_input() -> int:
    """A descriptor of standard input, in whose place the null device is: no child process reads messages."""
    descriptor = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return descriptor


def _progress_sender(context: ServerRequestContext[Any]) -> Callable[[Event], object]:
    """Tells the client, if it has asked for that, how far a call is; called in the thread that works on it."""
    loop = asyncio.get_running_loop()
    last_at = time.monotonic()
    count = 0

    def send(event: Event) -> None:
        nonlocal last_at, count
        if isinstance(event, Progress) and time.monotonic() - last_at > _PROGRESS_S:
            last_at = time.monotonic()
            count += 1
            # The protocol wants a number that grows, which that of a step among several is not.
            asyncio.run_coroutine_threadsafe(context.session.report_progress(count, message=event.what), loop)

    return send


def _result(answer: ToolAnswer) -> types.CallToolResult:
    # Twice, as clients of older versions of the protocol know the text only.
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text())],
        structured_content=answer.structured(),
        is_error=answer.is_error,
    )
