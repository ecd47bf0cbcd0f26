"""Reads the body of an answer over HTTP in pieces, unpacked, and no further than its limit.

For the models and for the server of a group's library: neither is trusted to end.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

ACCEPTED_ENCODING: Final = "gzip"
"""The only packing that is asked for."""
BYTES_PER_MB: Final = 1 << 20
_PIECE_BYTES: Final = BYTES_PER_MB
_PACKED_ENCODINGS: Final = ("gzip", "x-gzip")


class BodyTooLong(Exception):
    """The body goes on beyond its limit."""


class BodyUnreadable(Exception):
    """The body cannot be unpacked; the message goes on after the name of whoever sent it."""


async def unpack_pieces(encoding: str, raw: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """`raw` as it was before it was packed, in pieces of bounded size.

    `encoding` is that of `content-encoding`.

    Raises:
        BodyUnreadable: it is packed in a way nobody asked for, or damaged.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        async for piece in raw:
            yield piece
        return
    if encoding not in _PACKED_ENCODINGS:
        raise BodyUnreadable(f"compresses its answer as “{encoding[:20]}”, which was not requested")
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        async for piece in raw:
            remaining = piece
            while remaining:
                if unpacker.eof:
                    # Several packed parts in a row are one body.
                    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
                # Not all at once: a packed megabyte may unpack to a gigabyte.
                yield unpacker.decompress(remaining, _PIECE_BYTES)
                remaining = unpacker.unconsumed_tail or unpacker.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise BodyUnreadable("sends a compressed answer that cannot be decompressed") from error


async def limit_pieces(pieces: AsyncIterable[bytes], max_bytes: int) -> AsyncIterator[bytes]:
    """`pieces` as long as they are at most `max_bytes` bytes together.

    Raises:
        BodyTooLong: they are more.
    """
    received = 0
    async for piece in pieces:
        received += len(piece)
        if received > max_bytes:
            raise BodyTooLong(f"{max_bytes // BYTES_PER_MB} MB")
        yield piece


async def beginning(pieces: AsyncIterable[bytes], max_bytes: int) -> AsyncIterator[bytes]:
    """The first `max_bytes` bytes of `pieces`."""
    received = 0
    async for piece in pieces:
        yield piece[: max_bytes - received]
        received += len(piece)
        if received >= max_bytes:
            return
