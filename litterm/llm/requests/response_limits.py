"""Limits on what is read of an answer: bytes after unpacking, and bytes of one event of a stream."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass

from litterm.core.errors import NoModelServer, ReplyTooLong

BYTES_PER_MB = 1 << 20
MAX_ANSWER_BYTES = 16 * BYTES_PER_MB
"""Vectors of 32 texts are the longest true answers, with about 8 MB."""
MAX_STREAM_BYTES = 64 * BYTES_PER_MB
"""Every token of a stream comes in some 250 bytes of JSON."""
MAX_EVENT_BYTES = BYTES_PER_MB
_MAX_EVENT_LINES = 1_000
"""Lines of one event; servers send one."""
MAX_ERROR_BYTES = 64 << 10
"""How much of an error is read: enough for what it says."""
_COMPRESSED_ENCODINGS = ("gzip", "x-gzip")


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """What the head of an answer says about its body."""

    host: str
    status: int
    encoding: str = ""
    """As in `content-encoding`."""
    kind: str = ""
    """As in `content-type`."""


def limit_body(head: ResponseHead, raw: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """The body `raw`, unpacked and no longer than it may be; of an error its beginning.

    An event stream comes in whole lines, so that whoever puts them together does so once.

    Raises:
        ReplyTooLong: it continues beyond every true reply.
        NoModelServer: it is packed in a way nobody asked for, or cannot be unpacked.
    """
    if head.status >= 300:
        return _beginning(head, raw)
    if "event-stream" in head.kind:
        return _whole_lines(head, _limit_pieces(head, raw, MAX_STREAM_BYTES))
    return _limit_pieces(head, raw, MAX_ANSWER_BYTES)


async def _beginning(head: ResponseHead, raw: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    received = 0
    async for piece in _decompress(head, raw, MAX_ERROR_BYTES):
        yield piece[: MAX_ERROR_BYTES - received]
        received += len(piece)
        if received >= MAX_ERROR_BYTES:
            return


async def _limit_pieces(head: ResponseHead, raw: AsyncIterable[bytes], max_bytes: int) -> AsyncIterator[bytes]:
    received = 0
    async for piece in _decompress(head, raw, max_bytes):
        received += len(piece)
        if received > max_bytes:
            raise ReplyTooLong(
                f"{head.host} sends more than {max_bytes // BYTES_PER_MB} MB for one reply; reading was stopped."
            )
        yield piece


async def _whole_lines(head: ResponseHead, pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """`pieces` cut again after line ends; what follows the last line end comes last."""
    waiting, event, lines = bytearray(), 0, 0
    async for piece in pieces:
        waiting += piece
        # Only what has just come can hold a new line break.
        end = waiting.rfind(b"\n", max(0, len(waiting) - len(piece))) + 1
        complete = bytes(waiting[:end])
        del waiting[:end]
        for line in complete.split(b"\n")[:-1]:
            event, lines = (event + len(line), lines + 1) if line.strip() else (0, 0)
            if event > MAX_EVENT_BYTES or lines > _MAX_EVENT_LINES:
                raise _endless_error(head)
        if event + len(waiting) > MAX_EVENT_BYTES:
            raise _endless_error(head)
        if complete:
            yield complete
    if waiting:
        yield bytes(waiting)


def _endless_error(head: ResponseHead) -> ReplyTooLong:
    return ReplyTooLong(f"{head.host} streams one piece of a reply without end; reading was stopped.")


async def _decompress(head: ResponseHead, raw: AsyncIterable[bytes], max_bytes: int) -> AsyncIterator[bytes]:
    """`raw` as it was before it was packed, in pieces of at most `max_bytes` bytes and one more."""
    encoding = head.encoding.strip().lower()
    if encoding in ("", "identity"):
        async for piece in raw:
            yield piece
        return
    if encoding not in _COMPRESSED_ENCODINGS:
        raise NoModelServer(f"{head.host} compresses its answer as “{encoding[:20]}”, which was not requested.")
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        async for piece in raw:
            remaining = piece
            while remaining:
                if unpacker.eof:
                    # Several packed parts in a row are one body.
                    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
                # In pieces of bounded size: a packed megabyte may unpack to a gigabyte.
                yield unpacker.decompress(remaining, max_bytes + 1)
                remaining = unpacker.unconsumed_tail or unpacker.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise NoModelServer(f"{head.host} sends a compressed answer that cannot be decompressed.") from error
