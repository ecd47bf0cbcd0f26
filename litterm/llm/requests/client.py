"""The only user of the `openai` package, which is imported with the first request; its errors end here.

What leaves this machine is the body handed in and the headers any HTTP client sends: no retries, no redirects, no
facts about this computer, nothing from `OPENAI_*` variables.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.answer_bodies import (
    ACCEPTED_ENCODING,
    BYTES_PER_MB,
    BodyTooLong,
    BodyUnreadable,
    beginning,
    limit_pieces,
    unpack_pieces,
)
from litterm.core.backoff import retry_after_s
from litterm.core.errors import (
    ModelError,
    ModelTimeout,
    ModelUnreachable,
    NoModelServer,
    ReplyCut,
    ReplyTooLong,
    ReplyUnreadable,
)
from litterm.core.settings.secrets import ApiKey
from litterm.llm.endpoint import Endpoint
from litterm.llm.requests.error_mapping import UNREADABLE, ErrorAnswer, model_error
from litterm.text.escape import plain, valid_text

if TYPE_CHECKING:
    import httpx2 as httpx
    import openai
    from openai import RequestOptions

MAX_ANSWER_BYTES = 16 * BYTES_PER_MB
"""Vectors of 32 texts are the longest true answers, with about 8 MB."""
MAX_STREAM_BYTES = 64 * BYTES_PER_MB
"""Every token of a stream comes in some 250 bytes of JSON."""
MAX_EVENT_BYTES = BYTES_PER_MB
_MAX_EVENT_LINES = 1_000
"""Lines of one event; servers send one."""
MAX_ERROR_BYTES = 64 << 10
"""How much of an error is read: enough for what it says."""
# A machine that is switched off does not even refuse: only this limit ends the wait for it.
_CONNECT_TIMEOUT_S = 5.0
_SEND_TIMEOUT_S = 60.0
_CUSTOM_HEADERS_VARIABLE = "OPENAI_CUSTOM_HEADERS"
_IDENTIFYING_HEADERS = (
    "X-Stainless-Lang",
    "X-Stainless-Package-Version",
    "X-Stainless-OS",
    "X-Stainless-Arch",
    "X-Stainless-Runtime",
    "X-Stainless-Runtime-Version",
    "X-Stainless-Async",
    "X-Stainless-Retry-Count",
    "X-Stainless-Read-Timeout",
    "OpenAI-Organization",
    "OpenAI-Project",
)
_REQUIRED_HEADERS = ("authorization", "accept", "content-type", "host", "user-agent", "content-length")
Body = Mapping[str, object]


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
        return _own_errors_of(head, beginning(unpack_pieces(head.encoding, raw), MAX_ERROR_BYTES))
    streamed = "event-stream" in head.kind
    max_bytes = MAX_STREAM_BYTES if streamed else MAX_ANSWER_BYTES
    pieces = _own_errors_of(head, limit_pieces(unpack_pieces(head.encoding, raw), max_bytes))
    return _whole_lines(head, pieces) if streamed else pieces


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


async def _own_errors_of(head: ResponseHead, pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    try:
        async for piece in pieces:
            yield piece
    except BodyTooLong as error:
        raise ReplyTooLong(f"{head.host} sends more than {error} for one reply; reading was stopped.") from None
    except BodyUnreadable as error:
        raise NoModelServer(f"{head.host} {error}.") from error


class Client:
    """Requests to one endpoint; to be used in the loop that made the first one."""

    def __init__(self, endpoint: Endpoint, model: str, key: Callable[[], ApiKey], *, timeout_s: float) -> None:
        """`key` is asked for with the first request; it may raise `ModelError`."""
        self._endpoint = endpoint
        self._model = model
        self._find_key = key
        self._key: ApiKey | None = None
        self._timeout_s = timeout_s
        self._openai: openai.AsyncOpenAI | None = None

    @property
    def secret(self) -> str:
        """The key; for taking it out of what a server says."""
        return self._key.reveal() if self._key is not None else ""

    async def post(self, address: str, body: Body, *, path: str = "/chat/completions") -> object:
        """The answer to a request: decoded JSON, or the text where it is none.

        Raises:
            ModelError: there is no answer, or it is an error.
        """
        client = self._client()
        with self._own_errors():
            return await client.post(f"{address}{path}", cast_to=object, body=body, options=self._options())

    async def stream(self, address: str, body: Body) -> AsyncIterator[object]:
        """The chunks of an answer, decoded; the connection is closed when the iterator is.

        Raises:
            ModelError: there is no answer, or an error before or in the middle of it.
        """
        import openai

        client = self._client()
        path = f"{address}/chat/completions"
        with self._own_errors():
            chunks = await client.post(
                path,
                cast_to=object,
                body=body,
                options=self._options(),
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
        try:
            kind = chunks.response.headers.get("content-type", "")
            # A login page of a network, or a web server that answers everything.
            if "html" in kind:
                raise model_error(ErrorAnswer(200, "<html>"), *self._endpoint_model_secret())
            with self._own_errors(has_begun=True):
                if "json" in kind:
                    # It does not stream, whatever it was asked.
                    yield json.loads(await chunks.response.aread())
                    return
                async for chunk in chunks:
                    yield chunk
        finally:
            await chunks.close()

    async def models(self, address: str) -> tuple[str, ...]:
        """The models the server says it has, ascending; empty where it does not say.

        Raises:
            ModelError: there is no answer, or it is an error.
        """
        client = self._client()
        with self._own_errors():
            payload = await client.get(f"{address}/models", cast_to=object, options=self._options())
        rows = payload.get("data") if isinstance(payload, dict) else None
        names = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        if not isinstance(payload, dict):
            raise model_error(ErrorAnswer(200, payload), *self._endpoint_model_secret())
        return tuple(sorted({valid_text(name) for name in names if isinstance(name, str)}))

    async def close(self) -> None:
        """Closes every connection."""
        if self._openai is not None:
            await self._openai.close()
            self._openai = None

    def _client(self) -> openai.AsyncOpenAI:
        if self._openai is None:
            self._openai = self._new_client()
        return self._openai

    def _new_client(self) -> openai.AsyncOpenAI:
        import openai

        self._key = self._find_key()
        # What is before a server on this machine is no business of a proxy, and a redirect may lead off it.
        transport = openai.DefaultAsyncHttpxClient(
            trust_env=not self._endpoint.local,
            follow_redirects=False,
            event_hooks={"response": [_limiting(self._endpoint)]},
        )
        timeout = openai.Timeout(
            self._timeout_s, connect=min(_CONNECT_TIMEOUT_S, self._timeout_s), write=_SEND_TIMEOUT_S
        )
        return openai.AsyncOpenAI(
            api_key=self._key.reveal(),
            base_url=self._endpoint.addresses[0],
            timeout=timeout,
            # Retries of its own would be neither counted, nor paid for from the budget, nor stopped.
            max_retries=0,
            http_client=transport,
        )

    def _options(self) -> RequestOptions:
        """Our own key, whatever the client's variables say, and no header that is about this computer."""
        import openai

        header_names = (
            line.partition(":")[0].strip() for line in os.environ.get(_CUSTOM_HEADERS_VARIABLE, "").splitlines()
        )
        left_out = [
            name for name in (*_IDENTIFYING_HEADERS, *header_names) if name and name.lower() not in _REQUIRED_HEADERS
        ]
        omitted: dict[str, str | openai.Omit] = {name: openai.Omit() for name in left_out}
        # Only what is unpacked here, with a limit, is asked for.
        return {"headers": {**omitted, "Authorization": f"Bearer {self.secret}", "Accept-Encoding": ACCEPTED_ENCODING}}

    @contextlib.contextmanager
    def _own_errors(self, *, has_begun: bool = False) -> Iterator[None]:
        """Turns what the client raises into errors of litterm; with `has_begun` the server had started to answer."""
        import openai

        try:
            yield
        except openai.APIStatusError as error:
            # Not chained: the client's own message is the server's, which may echo a piece of the key or the prompt.
            raise self._of_status(error) from None
        except (openai.APIConnectionError, _broken_connection()) as error:
            raise self._of_connection(error, has_begun=has_begun) from error
        except openai.APIError as error:
            raise model_error(ErrorAnswer(None, error.body or error.message), *self._endpoint_model_secret()) from None
        except UNREADABLE as error:
            raise self._of_reply(error, has_begun=has_begun) from error

    def _of_connection(self, error: Exception, *, has_begun: bool) -> ModelError:
        import openai

        host = self._endpoint.label
        if isinstance(error, openai.APITimeoutError):
            return ModelTimeout(f"{host} did not answer within {self._timeout_s:g} s.")
        cause = _cause(error)
        if has_begun or not cause:
            return ReplyCut(f"{host} broke off the connection before its reply was complete.")
        return ModelUnreachable(f"{host} cannot be reached: {cause}.")

    def _of_reply(self, error: Exception, *, has_begun: bool) -> ModelError:
        host = self._endpoint.label
        if not isinstance(error, ValueError):
            return ReplyUnreadable(f"{host} sent a reply that cannot be read ({type(error).__name__}).")
        if has_begun:
            return ReplyCut(f"{host} sent a reply that is not a valid stream.")
        # A body that calls itself JSON and is none.
        return NoModelServer(f"{host} answers with something other than JSON; check model.base_url.")

    def _of_status(self, error: openai.APIStatusError) -> ModelError:
        wait_s = retry_after_s(error.response.headers, time.time())
        # `None` where the body is no JSON; a web page says what it is in its text.
        body: object = error.body
        if body is None:
            body = error.response.text
        return model_error(ErrorAnswer(error.status_code, body, wait_s), *self._endpoint_model_secret())

    def _endpoint_model_secret(self) -> tuple[Endpoint, str, str]:
        return self._endpoint, self._model, self.secret


def _limiting(endpoint: Endpoint) -> Callable[[httpx.Response], Awaitable[None]]:
    """A hook for the head of every response: its body then ends, or fails, where `limit_body` says."""

    async def limit(response: httpx.Response) -> None:
        headers, unread = response.headers, response.aiter_raw
        head = ResponseHead(
            endpoint.label, response.status_code, headers.get("content-encoding", ""), headers.get("content-type", "")
        )
        # What comes out is unpacked, and of another length.
        for name in ("content-encoding", "content-length"):
            headers.pop(name, None)

        async def limited(chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
            del chunk_size
            try:
                # Closed in this place: a consumer that stops early must not leave the connection open.
                async with contextlib.aclosing(unread()) as raw:
                    async for piece in limit_body(head, raw):
                        yield piece
            finally:
                await response.aclose()

        response.aiter_raw = limited  # type: ignore[method-assign]

    return limit


def _broken_connection() -> type[Exception]:
    """What the library under the client raises when a connection breaks; the client does not translate it always."""
    import openai

    # `openai` 3 uses httpx2, and older ones httpx: its base class shows which.
    http_client_class = next(base for base in openai.DefaultAsyncHttpxClient.__mro__ if base.__name__ == "AsyncClient")
    fault: type[Exception] = sys.modules[http_client_class.__module__.partition(".")[0]].HTTPError
    return fault


def _cause(error: BaseException) -> str:
    """Why there is no connection, from the innermost error: the outer ones only say so. Empty if there was one."""
    inner = error
    while inner.__cause__ is not None or inner.__context__ is not None:
        inner = inner.__cause__ or inner.__context__ or inner
    if isinstance(inner, ConnectionRefusedError):
        return "nothing listens there, so the server is not running"
    # The connection was there, and broke.
    if isinstance(inner, ConnectionResetError | BrokenPipeError) or not isinstance(inner, OSError):
        return ""
    return plain(inner.strerror or str(inner)).rstrip(".")
