"""Finds model servers that run on this machine: one GET request to each of the usual ports, and nothing else is sent.

Looked for only where a user wants a model and has set none. What answers is offered, never used unasked: any program
of this machine may listen at such a port.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from litterm.core.async_bridge import EventLoop
from litterm.core.backoff import OnEvent
from litterm.core.tasks import Task
from litterm.text.escape import plain

LOCAL_SERVERS: Mapping[int, str] = {11434: "ollama", 8080: "llama.cpp", 1234: "LM Studio", 8000: "vLLM"}
"""The ports of this machine that are looked at, with the server that usually listens there."""
_TIMEOUT_S = 0.3
"""For all ports together; a server of this machine answers in a few milliseconds."""
_HOST = "127.0.0.1"
_MAX_ANSWER_BYTES = 1 << 20
_MAX_MODELS = 200
_MAX_NAME_CHARACTERS = 200
_NOT_FOR_CHAT = ("embed", "rerank", "whisper")
"""Parts of the names of models that do not chat; servers list these with the others."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server of this machine that lists models."""

    port: int
    models: tuple[str, ...]
    """Names, at least one, as the server lists them; those that most likely do not chat come last."""

    @property
    def base_url(self) -> str:
        """Its address, as in the settings."""
        return local_address(self.port)

    @property
    def label(self) -> str:
        """Host and port, for the screen."""
        return f"{_HOST}:{self.port}"


def local_address(port: int) -> str:
    """The address of a server of this machine, as in the settings."""
    return f"http://{_HOST}:{port}/v1"


def find_local_servers() -> Task[tuple[LocalServer, ...]]:
    """The servers at the ports of `LOCAL_SERVERS` that list models, in that order, within 0.3 s; never raises."""
    loop = EventLoop()

    async def ask_all(_say: OnEvent) -> tuple[LocalServer, ...]:
        answers = await asyncio.gather(*map(_ask, LOCAL_SERVERS))
        return tuple(server for server in answers if server is not None)

    try:
        return (yield from loop.task(ask_all))
    finally:
        loop.close()


async def _ask(port: int) -> LocalServer | None:
    raw = bytearray()
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(_TIMEOUT_S):
            await _request_models(port, raw)
    # Of a server that keeps its connection open the whole answer may be here all the same.
    models = _read_models(bytes(raw))
    return LocalServer(port, models) if models else None


async def _request_models(port: int, raw: bytearray) -> None:
    reader, writer = await asyncio.open_connection(_HOST, port)
    try:
        # The oldest version, in which an answer ends with its connection: it need not be put together from pieces.
        writer.write(f"GET /v1/models HTTP/1.0\r\nHost: {_HOST}:{port}\r\nAccept: application/json\r\n\r\n".encode())
        await writer.drain()
        while len(raw) <= _MAX_ANSWER_BYTES and not _read_models(bytes(raw)):
            piece = await reader.read(_MAX_ANSWER_BYTES)
            if not piece:
                return
            raw += piece
    finally:
        writer.close()


def _read_models(raw: bytes) -> tuple[str, ...]:
    """The names in a whole and proper answer; empty if it is another, or none."""
    head, _, body = raw.partition(b"\r\n\r\n")
    status = head.split(b"\r\n", 1)[0].split()
    if len(raw) > _MAX_ANSWER_BYTES or len(status) < 2 or not status[0].startswith(b"HTTP/") or status[1] != b"200":
        return ()
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    rows = payload.get("data") if isinstance(payload, dict) else None
    names = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    # A name that would have to be changed to be shown is none that a user can agree to.
    sound = [name for name in names if isinstance(name, str) and name and plain(name) == name]
    short = dict.fromkeys(name for name in sound[:_MAX_MODELS] if len(name) <= _MAX_NAME_CHARACTERS)
    return tuple(sorted(short, key=lambda name: any(part in name.casefold() for part in _NOT_FOR_CHAT)))
