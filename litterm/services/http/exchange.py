"""One exchange with a service: redirects followed one by one, a body read no further than its limit."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx

from litterm.core.backoff import OnEvent
from litterm.core.errors import Malformed, SourceError, TooLarge, Unreachable
from litterm.model.events import Progress
from litterm.services.http.error_mapping import connection_error
from litterm.services.http.messages import Request
from litterm.services.http.rate_limit import RateLimiter, rate_limit_of
from litterm.services.http.safe_transport import check_url, unreadable_address_error

CONNECT_TIMEOUT_S = 10.0
_MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SEE_OTHER = 303
_MAX_REFUSAL_BYTES = 64 << 10
"""How much of an error response is read: enough for its message."""
_MIN_BYTES_PER_S = 100
"""Averaged over one read timeout; a slower service only holds the connection."""
_KEPT_HEADERS = frozenset(
    {
        "content-type",
        "content-length",
        "content-range",
        "content-encoding",
        "content-disposition",
        "etag",
        "last-modified",
        "link",
        "location",
        "retry-after",
    }
)
_RATE_LIMIT_PREFIXES = ("x-ratelimit", "ratelimit", "x-rate-limit")
Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """The head of an answer, and its body to be read."""

    url: str
    status: int
    headers: Headers
    raw: httpx.Response


@dataclass(frozen=True, slots=True)
class _Hop:
    """One of the addresses a request is sent to."""

    url: str
    headers: Headers
    own: bool
    """Whether it is still the service that was asked, so that secrets may go there."""
    posts: bool
    """Whether the body is sent to this address."""


class HttpExchange:
    """Requests at the pace that each service allows; used in one event loop."""

    def __init__(
        self, client: httpx.AsyncClient, rate_limiter: RateLimiter, *, trusted: frozenset[str] = frozenset()
    ) -> None:
        self._client = client
        self._rate_limiter = rate_limiter
        self._trusted = trusted

    @asynccontextmanager
    async def exchange(self, request: Request, tell: OnEvent, extra: Headers) -> AsyncIterator[Reply]:
        """The reply that is no redirect any more; it counts as a running request of its host until its body was read.

        Raises:
            SourceError: a connection failed, an address is refused, or it is sent round in circles.
        """
        url, is_same_service, posts = _with_params(request), True, request.method == "POST"
        for _ in range(_MAX_REDIRECTS + 1):
            async with AsyncExitStack() as stack:
                hop = _Hop(
                    url,
                    _headers(request, extra, is_same_service=is_same_service),
                    own=is_same_service,
                    posts=posts and is_same_service,
                )
                reply = await self._send_hop(stack, request, hop, tell)
                if reply.status not in _REDIRECTS or not reply.headers.get("location"):
                    yield reply
                    return
            target = _join_url(url, reply.headers["location"])
            # Once elsewhere, never back: a redirect home must not get the key either.
            is_same_service = is_same_service and _same_service(url, target)
            # "See other": what was asked for is to be read there, and nothing is sent again.
            url, posts = target, posts and reply.status != _SEE_OTHER
        raise Malformed(f"{rate_limit_of(request.host).owner} sends from one address to the next and never answers.")

    async def _send_hop(self, stack: AsyncExitStack, request: Request, hop: _Hop, tell: OnEvent) -> Reply:
        url, own, first = hop.url, hop.own, hop.posts
        host = self._checked_host(url)
        await stack.enter_async_context(self._rate_limiter.slot(host, tell, keyed=own and bool(request.secrets)))
        timeout = httpx.Timeout(request.read_s, connect=CONNECT_TIMEOUT_S)
        try:
            # A head that drips in byte by byte never meets the timeout of one read.
            async with asyncio.timeout(2 * CONNECT_TIMEOUT_S + request.read_s):
                response = await stack.enter_async_context(
                    self._client.stream(
                        "POST" if first else "GET",
                        url,
                        headers=dict(hop.headers),
                        json=request.json if first and not request.form else None,
                        data=dict(request.form) if first and request.form else None,
                        timeout=timeout,
                    )
                )
        except (httpx.TransportError, TimeoutError) as error:
            raise connection_error(request, error) from error
        except httpx.InvalidURL as error:
            raise unreadable_address_error() from error
        headers = {name: value for name, value in response.headers.items() if _is_kept(name)}
        return Reply(_without_query(url) if own else url, response.status_code, headers, response)

    def _checked_host(self, url: str) -> str:
        parts = urlsplit(url)
        if parts.netloc not in self._trusted:
            check_url(url)
        return (parts.hostname or "").lower()


async def read_body(request: Request, reply: Reply, tell: OnEvent) -> bytes:
    """The whole body, unpacked; of a refusal, enough to see its message.

    Raises:
        TooLarge: it is, or unpacks to, more than the request allows.
        SourceError: the connection broke off, or it cannot be unpacked.
    """
    if reply.status >= 300:
        return await _read_refusal(request, reply)
    body = bytearray()
    unpacker = Unpacker(request, reply)
    async for piece in read_pieces(request, reply):
        body += unpacker.unpack(piece, request.most_bytes - len(body) + 1)
        if len(body) > request.most_bytes:
            raise TooLarge(f"{request.host} sends more than {request.most_bytes / 2**20:,.0f} MB for one answer.")
        tell(Progress(f"from {rate_limit_of(request.host).owner}", len(body), announced_bytes(reply), "bytes"))
    unpacker.check_complete()
    return bytes(body)


async def _read_refusal(request: Request, reply: Reply) -> bytes:
    body = bytearray()
    try:
        unpacker = Unpacker(request, reply)
        async for piece in read_pieces(request, reply):
            body += unpacker.unpack(piece, _MAX_REFUSAL_BYTES)
            if len(body) > _MAX_REFUSAL_BYTES:
                break
    except SourceError:
        # The status says what matters; a broken body must not hide it.
        return bytes(body)
    return bytes(body)


async def read_pieces(request: Request, reply: Reply) -> AsyncIterator[bytes]:
    """The body as it comes over the wire, still packed.

    Raises:
        SourceError: the connection broke off, or next to nothing comes over it.
    """
    clock = asyncio.get_running_loop().time
    span_start, received = clock(), 0
    try:
        async for piece in reply.raw.aiter_raw():
            received += len(piece)
            # Over a span and not a piece: the timeout of httpx begins again with every byte.
            if clock() - span_start > request.read_s:
                if received < _MIN_BYTES_PER_S * request.read_s:
                    raise Unreachable(
                        f"{rate_limit_of(request.host).owner} ({request.host}) sends its answer too slowly."
                    )
                span_start, received = clock(), 0
            yield piece
    except httpx.TransportError as error:
        raise connection_error(request, error) from error


def announced_bytes(reply: Reply) -> int:
    """How many bytes the service says will come; 0 where it does not, or packs them."""
    text = reply.headers.get("content-length", "")
    return int(text) if text.isdecimal() and not reply.headers.get("content-encoding") else 0


class Unpacker:
    """Decompresses a body in pieces of limited size, as a small body may unpack to gigabytes."""

    def __init__(self, request: Request, reply: Reply) -> None:
        """Raises `Malformed` if the body has an encoding that was not requested."""
        encoding = reply.headers.get("content-encoding", "identity").strip().lower()
        # Brotli and the like would need a package of their own.
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise Malformed(f"{request.host} compresses its answer as “{encoding[:20]}”, which was not requested.")
        self._request = request
        self._inflate = _new_gunzip() if "gzip" in encoding else None
        self._came = 0

    def unpack(self, piece: bytes, max_bytes: int) -> bytes:
        """What `piece` unpacks to, or its first `max_bytes` bytes.

        Raises:
            Malformed: it cannot be unpacked.
        """
        self._came += len(piece)
        if self._inflate is None:
            return piece
        unpacked, remaining = b"", self._inflate.unconsumed_tail + piece
        try:
            while remaining and len(unpacked) < max_bytes:
                if self._inflate.eof:
                    # Several packed parts in a row are one body.
                    self._inflate = _new_gunzip()
                unpacked += self._inflate.decompress(remaining, max_bytes - len(unpacked))
                remaining = self._inflate.unused_data.lstrip(b"\0")
        except zlib.error as error:
            raise Malformed(f"{self._request.host} sends a compressed answer that cannot be decompressed.") from error
        return unpacked

    def check_complete(self) -> None:
        """Raises `Unreachable` where the end of what is packed has not come, whatever length was announced."""
        if self._inflate is not None and self._came and not self._inflate.eof:
            raise Unreachable(f"The answer of {rate_limit_of(self._request.host).owner} broke off.")


def _new_gunzip() -> zlib._Decompress:
    return zlib.decompressobj(16 + zlib.MAX_WBITS)


def _headers(request: Request, extra: Headers, *, is_same_service: bool) -> Headers:
    headers = {"accept-encoding": "gzip", **dict(request.headers), **extra}
    # A key belongs to the service it was made for, never to where that service points.
    return {**headers, **dict(request.secret_headers)} if is_same_service else headers


def _with_params(request: Request) -> str:
    params = (*request.params, *request.secret_params)
    return str(httpx.URL(request.url).copy_merge_params(list(params))) if params else request.url


def _without_query(url: str) -> str:
    return urlsplit(url)._replace(query="", fragment="").geturl()


def _join_url(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise unreadable_address_error() from error


def _same_service(url: str, other: str) -> bool:
    source, target = urlsplit(url), urlsplit(other)
    return (source.scheme, source.netloc) == (target.scheme, target.netloc) or (
        # To https alone: the other way round the key would travel in the open.
        source.hostname == target.hostname and (source.scheme, target.scheme) == ("http", "https")
    )


def _is_kept(name: str) -> bool:
    return name in _KEPT_HEADERS or name.startswith(_RATE_LIMIT_PREFIXES)
