"""A connection to the server of a group's library: requests and answers are data classes, errors those of litterm."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload
from urllib.parse import quote, urlsplit

from litterm.core.answer_bodies import (
    ACCEPTED_ENCODING,
    BYTES_PER_MB,
    BodyTooLong,
    BodyUnreadable,
    beginning,
    limit_pieces,
    unpack_pieces,
)
from litterm.core.async_bridge import EventLoop
from litterm.core.errors import BadInput, LibraryServerBusy, LibraryServerError, Offline, SettingsError, TokenRefused
from litterm.core.tasks import Task, run
from litterm.importers.byte_sources import check_values
from litterm.model.events import Notice
from litterm.model.library import ImportReport
from litterm.server.operations.table import operation_of
from litterm.server.protocol import codec
from litterm.server.protocol.codec import TYPED_MEDIA_TYPE, NotDecodable
from litterm.server.protocol.error_mapping import OK, abridged, error_of
from litterm.text.redaction import without_secret

if TYPE_CHECKING:
    import httpx

    from litterm.engine import Engine

T = TypeVar("T")
P = ParamSpec("P")
BATCH_SIZE = 500
"""Papers or names per request; below what a server takes at once, which the table of operations says."""
_MAX_ATTEMPTS = 3
_MAX_RETRY_WAIT_S = 30.0
_CONNECT_TIMEOUT_S, _READ_TIMEOUT_S, _IMPORT_TIMEOUT_S = 10.0, 90.0, 24 * 3600.0
_BODY_TIMEOUT_S = 600.0
"""For the body of an answer, after the silence that is allowed before it; most answers have less than 5 MB."""
_MAX_ANSWER_BYTES = 128 * BYTES_PER_MB
"""The longest true answer is a full text: 5,000,000 Chinese characters in 200,000 sentences are 81 MB."""
_MAX_ERROR_BYTES = 64 << 10
_MAX_NOTICES = 20
_MIN_TOKEN_CHARS = 6
"""Characters of the token in a row that are not shown."""
_NEEDLESS_ESCAPE = re.compile(rb"\\u00[2-7]")
_CHUNK_BYTES = 1 << 18
_LOOPBACK_HOSTS = frozenset(("localhost", "127.0.0.1", "::1"))
_OFFLINE = "The library on {} cannot be used with --offline; leave it out, or leave out --server."
_UNENCRYPTED = (
    "{} is not encrypted, and others could read the token on the way; use https, "
    "or a tunnel (`ssh -L 8765:localhost:8765 HOST`) and --server http://localhost:8765."
)
_NO_ANSWER = "The server {} cannot be reached ({}); check the address and whether it runs."
_TOO_SLOW = "The server {} sends its answer too slowly; try again, or ask for less at once."
_TOO_LONG = "The server {} sends more than {} for one answer; reading was stopped. Is it a litterm server?"
_UNREADABLE = "The server {} gave an answer that this litterm cannot read ({}); is one of the two older?"


class ServerConnection:
    """A client of one server, which reuses its connections; safe from any thread."""

    def __init__(self, url: str, token: str = "", *, offline: bool = False, token_hint: str = "") -> None:
        """`token_hint` is said after what a server says that wants a token.

        Raises:
            Offline, SettingsError: the server may not be asked so.
        """
        place = urlsplit(url)
        local = place.hostname in _LOOPBACK_HOSTS
        if offline and not local:
            raise Offline(_OFFLINE.format(url))
        if token and place.scheme != "https" and not local:
            raise SettingsError(_UNENCRYPTED.format(url))
        self.url = url.rstrip("/")
        self._token = token
        self._token_hint = token_hint
        self._loop = EventLoop()
        self._client: httpx.AsyncClient | None = None

    @overload
    def call(
        self, method: Callable[Concatenate[Engine, P], Task[T]], *arguments: P.args, **named: P.kwargs
    ) -> Task[T]: ...

    @overload
    def call(self, method: Callable[Concatenate[Engine, P], T], *arguments: P.args, **named: P.kwargs) -> Task[T]: ...

    def call(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Task[Any]:
        """Has the server call the method of an operation, and returns the result; its notices are passed on as events.

        Raises:
            LibraryServerError: it cannot be asked, or its answer cannot be read.
            LittermError: the server has refused the request, for a reason that the error names.
        """
        operation = operation_of(method)
        request = operation.make_request(*arguments, **named)
        content = codec.dumps(request)
        body = yield from self._loop.task(lambda _say: self._post(f"/v1/{operation.name}", content))
        try:
            fields = self._decode(body, "value", "notices")
            answer = codec.decode(operation.answer, fields["value"])
            operation.refuse_other_lengths(request, answer)
            notices = codec.decode(tuple[str, ...], fields["notices"])
        except NotDecodable as error:
            raise self.unreadable(error) from error
        for notice in notices[:_MAX_NOTICES]:
            yield Notice(abridged(notice))
        return operation.result_of(answer)

    @overload
    def ask(self, method: Callable[Concatenate[Engine, P], Task[T]], *arguments: P.args, **named: P.kwargs) -> T: ...

    @overload
    def ask(self, method: Callable[Concatenate[Engine, P], T], *arguments: P.args, **named: P.kwargs) -> T: ...

    def ask(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """As `call`, but waits for the result; notices are dropped."""
        return run(self.call(method, *arguments, **named))

    def upload(self, path: Path, *, retry: bool = False) -> Task[ImportReport]:
        """Has the server import a file; returns once everything of it is in the library.

        Raises:
            BadInput: it cannot be read here.
            LibraryServerError: as `call`.
        """
        _refuse_unless_file(path)
        path_and_query = f"/v1/add?name={quote(path.name)}" + ("&retry=1" if retry else "")
        body = yield from self._loop.task(lambda _say: self._send(path_and_query, path))
        try:
            return codec.decode(ImportReport, self._decode(body))
        except NotDecodable as error:
            raise self.unreadable(error) from error

    def unreadable(self, cause: object) -> LibraryServerError:
        """The error for an answer that does not fit its request, because of `cause`."""
        return LibraryServerError(_UNREADABLE.format(self.url, self._without_token(abridged(str(cause)))))

    def close(self) -> None:
        """Closes what is open."""
        self._loop.close()

    async def _post(self, path: str, content: bytes) -> bytes:
        """The body of the answer; a busy server is asked again after the time that it names."""
        for tries_left in reversed(range(_MAX_ATTEMPTS)):
            try:
                return await self._post_once(path, content, _READ_TIMEOUT_S)
            except _RetryLater as again:
                if not tries_left or again.wait_s > _MAX_RETRY_WAIT_S:
                    raise again.error from None
                await asyncio.sleep(again.wait_s)
        raise AssertionError("the last try raises")

    async def _send(self, path: str, file: Path) -> bytes:
        try:
            # The answer comes when everything is stored, which takes hours for a large file; a file is not sent twice
            # unasked.
            return await self._post_once(path, _chunks(file), _IMPORT_TIMEOUT_S)
        except _RetryLater as again:
            raise again.error from None
        except OSError as error:
            raise BadInput(f"{file}: cannot be read ({error.strerror}).") from error

    async def _post_once(self, path: str, content: bytes | AsyncIterator[bytes], silence_s: float) -> bytes:
        # Here, as only the client of a server needs it and importing it takes a sixth of a second.
        import httpx

        timeout = httpx.Timeout(_READ_TIMEOUT_S, connect=_CONNECT_TIMEOUT_S, read=silence_s)
        try:
            async with (
                # For head and body together: a byte now and then must not go on for ever.
                asyncio.timeout(silence_s + _BODY_TIMEOUT_S),
                self._open_client().stream("POST", f"{self.url}{path}", content=content, timeout=timeout) as response,
            ):
                body = await self._read_body(response)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            cause = self._without_token(abridged(str(error) or type(error).__name__))
            raise LibraryServerError(_NO_ANSWER.format(self.url, cause)) from error
        except TimeoutError as error:
            raise LibraryServerError(_TOO_SLOW.format(self.url)) from error
        if response.status_code == OK:
            return body
        fields = {name: self._without_token(value) for name, value in _error_fields(body).items()}
        refusal = error_of(response.status_code, fields, self.url)
        if isinstance(refusal, LibraryServerBusy):
            raise _RetryLater(refusal, _parse_retry_after(response.headers.get("retry-after", "")))
        if isinstance(refusal, TokenRefused) and self._token_hint:
            raise TokenRefused(f"{refusal} {self._token_hint}")
        raise refusal

    async def _read_body(self, response: httpx.Response) -> bytes:
        """The body of an answer, or the beginning of that of an error.

        Raises:
            LibraryServerError: it is longer than any answer, or cannot be unpacked.
        """
        is_answer = response.status_code == OK
        max_bytes = _MAX_ANSWER_BYTES if is_answer else _MAX_ERROR_BYTES
        pieces = unpack_pieces(response.headers.get("content-encoding", ""), response.aiter_raw())
        try:
            limited = limit_pieces(pieces, max_bytes) if is_answer else beginning(pieces, max_bytes)
            return b"".join([piece async for piece in limited])
        except BodyTooLong as error:
            raise LibraryServerError(_TOO_LONG.format(self.url, error)) from None
        except BodyUnreadable as error:
            if is_answer:
                raise self.unreadable(f"it {error}") from error
            # The status says what matters.
            return b""

    def _decode(self, body: bytes, *names: str) -> Mapping[str, object]:
        """The object in JSON that the body of an answer holds, with fields of these names.

        Raises:
            NotDecodable: it holds something else, or the token that was sent with the request.
        """
        try:
            check_values(body)
            fields: object = json.loads(body)
        except (BadInput, ValueError, RecursionError) as error:
            raise NotDecodable("it is no JSON, or too much of it") from error
        if self._token and self._token in _decoded_text(body, fields):
            # Papers hold no tokens: it is there to be seen on the screen, or in what is written for others.
            raise NotDecodable("it repeats the token")
        if not isinstance(fields, dict):
            raise NotDecodable("it is not an object")
        if missing := [name for name in names if name not in fields]:
            raise NotDecodable(f"{missing[0]} is missing")
        return fields

    def _without_token(self, value: T) -> T | str:
        return without_secret(value, self._token, _MIN_TOKEN_CHARS) if isinstance(value, str) else value

    def _open_client(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            headers = {
                "accept": TYPED_MEDIA_TYPE,
                "accept-encoding": ACCEPTED_ENCODING,
                "user-agent": "litterm",
                "content-type": "application/json",
            }
            if self._token:
                headers["authorization"] = f"Bearer {self._token}"
            # A redirect would carry the token elsewhere; a proxy of the environment has no business on this machine.
            local = urlsplit(self.url).hostname in _LOOPBACK_HOSTS
            self._client = httpx.AsyncClient(headers=headers, follow_redirects=False, trust_env=not local)
            self._loop.at_close(self._client.aclose)
        return self._client


def _refuse_unless_file(path: Path) -> None:
    """Refuses a path that cannot be sent to a server.

    Raises:
        BadInput: it is not there, or is a folder.
    """
    if not path.exists():
        raise BadInput(f"{path}: There is no such file.")
    if not path.is_file():
        raise BadInput(f"{path}: only single files can be imported by a server; send a folder as an archive.")


class _RetryLater(Exception):
    """The server is busy, and says after how long to try again."""

    def __init__(self, error: LibraryServerBusy, wait_s: float) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait_s = wait_s


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        # In a thread, as other requests go over the same event loop.
        while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield chunk


def _error_fields(content: bytes) -> Mapping[str, object]:
    try:
        fields = json.loads(content)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _decoded_text(body: bytes, fields: object) -> str:
    """All that is said in `body`, of which `fields` were decoded."""
    # Only where letters are escaped that no program needs to escape, as this takes as long as decoding.
    return json.dumps(fields, ensure_ascii=False) if _NEEDLESS_ESCAPE.search(body) else body.decode("utf-8", "replace")


def _parse_retry_after(header: str) -> float:
    # A date is allowed there, too; a second is then as good a guess as any.
    return float(header) if header.isascii() and header.isdigit() and len(header) < 10 else 1.0
