"""The messages on standard input, one a line, read by a thread that nothing has to wait for."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator

MAX_MESSAGE_BYTES = 2_000_000
"""As much as a request over HTTP may have."""
_CHUNK_BYTES = 65_536
_WAITING_LINES = 16
"""Lines that are read ahead: a client that sends faster waits."""
TOO_LONG = "\n"
"""Stands for a line that is longer; no message either."""


class MessageLines:
    """An iterator over lines that holds at most one of them, however long they are.

    A file object would not do: a thread that waits in one cannot be ended, keeps its lock, and holds up the end of the
    process; and it takes a line of any length into memory.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(_WAITING_LINES)
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="messages", daemon=True).start()

    def __aiter__(self) -> MessageLines:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        try:
            for line in self._split():
                self._put(line)
            self._put(None)
        # The loop has ended, and nobody asks for more.
        except RuntimeError:
            return

    def _split(self) -> Iterator[str]:
        begun, is_too_long = bytearray(), False
        while chunk := self._next_chunk():
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                begun += end
                yield TOO_LONG if is_too_long or len(begun) > MAX_MESSAGE_BYTES else begun.decode("utf-8", "replace")
                begun, is_too_long = bytearray(), False
            begun += rest
            if len(begun) > MAX_MESSAGE_BYTES:
                begun, is_too_long = bytearray(), True
        if begun or is_too_long:
            yield TOO_LONG if is_too_long else begun.decode("utf-8", "replace")

    def _next_chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK_BYTES)
        # A terminal that is gone, and the like.
        except OSError:
            return b""

    def _put(self, line: str | None) -> None:
        asyncio.run_coroutine_threadsafe(self._lines.put(line), self._loop).result()
