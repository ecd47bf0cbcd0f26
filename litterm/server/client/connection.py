"""A connection to the server of a group's library: requests and answers are data classes, errors those of litterm."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload
from urllib.parse import quote, urlsplit

from litterm.core.async_bridge import EventLoop
from litterm.core.errors import BadInput, LibraryServerBusy, LibraryServerError, Offline, SettingsError
from litterm.core.tasks import Task, run
from litterm.model.events import Notice
from litterm.model.library import ImportReport
from litterm.server.operations.table import operation_of
from litterm.server.protocol import codec
from litterm.server.protocol.codec import TYPED_MEDIA_TYPE, NotDecodable
from litterm.server.protocol.error_mapping import OK, error_of

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
_CHUNK_BYTES = 1 << 18
_LOOPBACK_HOSTS = frozenset(("localhost", "127.0.0.1", "::1"))
_OFFLINE = "The library on {} cannot be used with --offline; leave it out, or leave out --server."
_UNENCRYPTED = (
    "{} is not encrypted, and others could read the token on the way; use https, "
    "or a tunnel (`ssh -L 8765:localhost:8765 HOST`) and --server http://localhost:8765."
)
_NO_ANSWER = "The server {} cannot be reached ({}); check the address and whether it runs."
_UNREADABLE = "The server {} gave an answer that this litterm cannot read ({}); is one of the two older?"


class ServerConnection:
    """A client of one server, which reuses its connections; safe from any thread."""

    def __init__(self, url: str, token: str = "", *, offline: bool = False) -> None:
        """Raises `Offline` or `SettingsError` where the server may not be asked so."""
        place = urlsplit(url)
        local = place.hostname in _LOOPBACK_HOSTS
        if offline and not local:
            raise Offline(_OFFLINE.format(url))
        if token and place.scheme != "https" and not local:
            raise SettingsError(_UNENCRYPTED.format(url))
        self.url = url.rstrip("/")
        self._token = token
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
        content = codec.dumps(operation.make_request(*arguments, **named))
        body = yield from self._loop.task(lambda _say: self._post(f"/v1/{operation.name}", content))
        try:
            fields = json.loads(body)
            answer = codec.decode(operation.answer, fields["value"])
            notices = codec.decode(tuple[str, ...], fields["notices"])
        except (ValueError, KeyError, TypeError) as error:
            raise LibraryServerError(_UNREADABLE.format(self.url, error)) from error
        for notice in notices:
            yield Notice(notice)
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
            return codec.loads(ImportReport, body)
        except NotDecodable as error:
            raise LibraryServerError(_UNREADABLE.format(self.url, error)) from error

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
            response = await self._open_client().post(f"{self.url}{path}", content=content, timeout=timeout)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            cause = str(error) or type(error).__name__
            raise LibraryServerError(_NO_ANSWER.format(self.url, cause)) from error
        if response.status_code == OK:
            return response.content
        refusal = error_of(response.status_code, _error_fields(response.content), self.url)
        if isinstance(refusal, LibraryServerBusy):
            raise _RetryLater(refusal, _parse_retry_after(response.headers.get("retry-after", "")))
        raise refusal

    def _open_client(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            headers = {"accept": TYPED_MEDIA_TYPE, "user-agent": "litterm", "content-type": "application/json"}
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
    except (ValueError, KeyError, TypeError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _parse_retry_after(header: str) -> float:
    # A date is allowed there, too; a second is then as good a guess as any.
    return float(header) if header.isascii() and header.isdigit() else 1.0
