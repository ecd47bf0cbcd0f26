"""The HTTP client of all services of papers: identification, rate limits, retries, size limits and cache.

Everything that leaves this machine for a service passes here; `exchange` opens the connection, `rate_limit` sets the
pace.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from litterm.core.async_bridge import EventLoop
from litterm.core.backoff import MAX_WAIT_S, Backoff, Clock, OnEvent, describe_failure
from litterm.core.errors import NoNetwork, NotFound, Offline, RateLimited, SourceError, Unreachable
from litterm.core.tasks import Task
from litterm.model.events import Event, Progress, WaitingForServer
from litterm.model.services import NetworkCondition, NetworkState
from litterm.services.http.error_mapping import exhausted_for_s, with_retry_after
from litterm.services.http.messages import Request, ServiceResponse
from litterm.services.http.rate_limit import rate_limit_of

if TYPE_CHECKING:
    from litterm.services.http.cache import AnswerCache, CachedResponse
    from litterm.services.http.exchange import HttpExchange, Reply
    from litterm.services.http.rate_limit import RateLimit, RateLimiter

T = TypeVar("T")
_log = logging.getLogger(__name__)
MAX_ATTEMPTS = 4
_RESOLVE_ATTEMPTS = 2
"""Without a network no name can be resolved, and more attempts for each service would only delay saying so."""
_LIMIT_REACHED = "accepts no more requests for a moment"
"""Stands behind the name of a service."""
_BACKOFF = Backoff(first_s=1.0, longest_s=60.0)


@dataclass(frozen=True, slots=True)
class HttpClientSettings:
    """How the client behaves; `trusted` (`127.0.0.1:8000`) are hosts asked without checks and pace, for tests."""

    cache: Path
    version: str
    contact: str = ""
    offline: bool = False
    trusted: frozenset[str] = frozenset()
    clock: Clock = field(default=Clock())
    now: Callable[[], float] = time.time

    @property
    def agent(self) -> str:
        """How litterm introduces itself: with the address of its user, if the settings hold one."""
        # No page of the project is named as long as there is none: whoever is named must be able to answer.
        return f"litterm/{self.version} (mailto:{self.contact})" if self.contact else f"litterm/{self.version}"

    def refuse_offline(self, whom: str) -> None:
        """Raises `Offline` where nothing may leave this machine; `whom` would have been asked."""
        if self.offline:
            raise Offline(f"offline: {whom} is not asked. Leave out --offline, or set `offline = false`.")


Check = Callable[[ServiceResponse], object]
"""Raises `SourceError` for a failure that a service reports with status 200; only what passes is kept."""


class HttpClient:
    """Shared by every source of a process, and safe from any thread; connects with the first request."""

    def __init__(self, settings: HttpClientSettings, loop: EventLoop | None = None) -> None:
        self.settings = settings
        self._loop = loop or EventLoop()
        self._session: ClientSession | None = None
        self._status = NetworkStatus()

    @property
    def network(self) -> NetworkState:
        """The outcome of the last request; safe from any thread."""
        return self._status.state

    def today(self) -> str:
        """The day, UTC, ISO 8601."""
        return datetime.fromtimestamp(self.settings.now(), UTC).strftime("%Y-%m-%d")

    def get(self, request: Request, check: Check = lambda _answer: None) -> Task[ServiceResponse]:
        """The answer to `request`, from this disk where it still holds.

        Yields progress in bytes, and a countdown while a service asks for patience.

        Raises:
            NotFound: the service does not have it.
            SourceError: any other refusal, or no answer; `transient` says whether it is worth trying later.
            Offline: the user has switched the network off.
        """
        return self.run(request, lambda session, tell: _cached_or_sent(session, request, check, tell))

    def run(self, request: Request, work: Callable[[ClientSession, OnEvent], Awaitable[T]]) -> Task[T]:
        """Runs `work` in the event loop of the client; for `get` and for downloads."""

        async def job(say: Callable[[Event], None]) -> T:
            if self._session is None:
                self._session = _open_session(self.settings, self._status)
                # Connections belong to the loop in which they were opened, and must be closed there.
                self._loop.at_close(self._session.close)
            return await work(self._session, say)

        # Said between answers, so that the task can be stopped: one that yields nothing cannot.
        no_event: Event = Progress(f"waiting for {rate_limit_of(request.host).owner}")
        waiting_event, task = no_event, self._loop.pump(job)
        try:
            while True:
                event = next(task)
                if isinstance(event, WaitingForServer):
                    # A countdown is heard once a second; between two of them nothing else is waited for.
                    waiting_event = event if event.left_s > 0 else no_event
                yield event or waiting_event
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            task.close()

    def close(self) -> None:
        """Closes every connection; a later request opens new ones."""
        self._loop.close()
        self._session = None


@dataclass(slots=True)
class NetworkStatus:
    """The outcome of the last request, for the status line."""

    state: NetworkState = field(default=NetworkState())

    def note_first_request(self, request: Request) -> None:
        """Notes the first request, before anybody knows how it fares."""
        if self.state.word == "unused":
            self.state = NetworkState("asked", rate_limit_of(request.host).owner)

    def note_outcome(self, request: Request, error: SourceError | None) -> None:
        """Records the outcome of a request; 'not found' counts as an answer."""
        word: NetworkCondition = "online"
        if isinstance(error, NoNetwork):
            word = "no network"
        elif error is not None and error.transient:
            word = "service down"
        self.state = NetworkState(word, rate_limit_of(request.host).owner)


@dataclass(frozen=True, slots=True)
class ClientSession:
    """The parts of the client that belong to its event loop."""

    settings: HttpClientSettings
    exchange: HttpExchange
    rate_limiter: RateLimiter
    cache: AnswerCache
    close: Callable[[], Coroutine[None, None, None]]
    status: NetworkStatus = field(default_factory=NetworkStatus)

    def refuse_offline(self, request: Request) -> None:
        """Raises `Offline` where nothing may leave this machine."""
        self.settings.refuse_offline(rate_limit_of(request.host).owner)

    def refuse_failed(self, request: Request, reply: Reply, body: bytes) -> None:
        """Raises what a status other than success means.

        Raises:
            NotFound: the service does not have it, which is remembered: nobody is asked again for a day.
            SourceError: trouble, with the time the service asks to be left alone for.
        """
        from litterm.services.http.error_mapping import check_status

        try:
            check_status(request, reply.status, reply.headers, body)
        except NotFound:
            self.cache.put(request, ServiceResponse(reply.url, 404, b""))
            raise
        except SourceError as error:
            raise with_retry_after(error, reply.headers, self.settings.now(), body) from error

    def refuse_missing(self, request: Request) -> None:
        """Raises `NotFound` for what the service was lately found not to have."""
        cached = self.cache.get(request)
        if cached is not None and cached.answer.status == 404 and self.cache.is_fresh(request, cached):
            _from_cache(request, cached)


def _open_session(settings: HttpClientSettings, status: NetworkStatus) -> ClientSession:
    import httpx

    from litterm.services.http.cache import AnswerCache
    from litterm.services.http.exchange import HttpExchange
    from litterm.services.http.rate_limit import RateLimiter, SharedSlots
    from litterm.services.http.safe_transport import CheckedTransport

    transport = CheckedTransport(trusted=settings.trusted)
    # httpx would follow a redirect with the key, and without looking at the address.
    client = httpx.AsyncClient(transport=transport, headers={"user-agent": settings.agent}, follow_redirects=False)
    trusted = frozenset(netloc.partition(":")[0] for netloc in settings.trusted)
    rate_limiter = RateLimiter(
        settings.clock, slots=SharedSlots(settings.cache / "pace", settings.now), unpaced=trusted
    )
    exchange = HttpExchange(client, rate_limiter, trusted=settings.trusted)
    return ClientSession(
        settings, exchange, rate_limiter, AnswerCache(settings.cache, settings.now), client.aclose, status
    )


async def _cached_or_sent(session: ClientSession, request: Request, check: Check, tell: OnEvent) -> ServiceResponse:
    cached = session.cache.get(request)
    if cached is not None and session.cache.is_fresh(request, cached):
        return _from_cache(request, cached)
    session.refuse_offline(request)
    return await send_with_retries(session, request, lambda: _send(session, request, cached, check, tell))


async def send_with_retries(session: ClientSession, request: Request, send: Callable[[], Awaitable[T]]) -> T:
    """What `send` gives, tried again after trouble that may pass.

    Raises:
        SourceError: trouble that does not pass, or has lasted too long.
    """
    attempt = 0
    session.status.note_first_request(request)
    while True:
        attempt += 1
        try:
            result = await send()
        except SourceError as error:
            session.status.note_outcome(request, error)
            backoff, tries = _retry_policy(error, rate_limit_of(request.host))
            wait_s = backoff.wait_s(error.retry_after_s, attempt, session.settings.clock)
            # Longer than that no user waits: the failure is kept, and can be retried.
            if not error.transient or attempt >= tries or wait_s > MAX_WAIT_S:
                raise _final_error(error, attempt) from error
            _log.info("%s: %s; attempt %d in %.1f s", request.host, type(error).__name__, attempt + 1, wait_s)
            # The limiter waits and not this request: others of the same service must wait as well.
            session.rate_limiter.pause(request.host, wait_s, _waiting_reason(error))
        else:
            session.status.note_outcome(request, None)
            return result


def _waiting_reason(error: SourceError) -> str:
    """The reason for waiting, to be shown after the name of the service."""
    if isinstance(error, Unreachable):
        return "cannot be reached"
    return "asked for patience" if error.retry_after_s is not None or isinstance(error, RateLimited) else "has trouble"


def _retry_policy(error: SourceError, pace: RateLimit) -> tuple[Backoff, int]:
    """The backoff after `error`, and the number of attempts in all."""
    if isinstance(error, RateLimited):
        return Backoff(first_s=pace.refused_s, longest_s=MAX_WAIT_S), pace.tries
    if isinstance(error, NoNetwork):
        return _BACKOFF, _RESOLVE_ATTEMPTS
    return _BACKOFF, MAX_ATTEMPTS


async def _send(
    session: ClientSession, request: Request, cached: CachedResponse | None, check: Check, tell: OnEvent
) -> ServiceResponse:
    from litterm.services.http.error_mapping import check_body
    from litterm.services.http.exchange import read_body

    validators = dict(cached.validators) if cached is not None else {}
    async with session.exchange.exchange(request, tell, validators) as reply:
        if reply.status == 304 and cached is not None:
            session.cache.put(request, cached.answer)
            return _from_cache(request, cached)
        body = await read_body(request, reply, tell)
    session.refuse_failed(request, reply, body)
    if (left_s := exhausted_for_s(reply.headers)) is not None:
        session.rate_limiter.pause(request.host, left_s, _LIMIT_REACHED)
    # Checked before it is stored: a page that says "try later" with status 200 must not be kept as the answer.
    check_body(request, reply.headers, body)
    answer = ServiceResponse(reply.url, reply.status, body, reply.headers)
    check(answer)
    session.cache.put(request, answer)
    return answer


def _from_cache(request: Request, cached: CachedResponse) -> ServiceResponse:
    if cached.answer.status == 404:
        raise NotFound(f"{rate_limit_of(request.host).owner} did not have it when it was last asked.", status=404)
    return cached.answer


def _final_error(error: SourceError, attempt: int) -> SourceError:
    asked_s = error.retry_after_s
    return type(error)(describe_failure(str(error), attempt, asked_s), status=error.status, retry_after_s=asked_s)
