"""Waits before a request is repeated, with a clock that tests can replace and a pause shared by all of a server."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from litterm.model.events import Event, WaitingForServer

OnEvent = Callable[[Event], None]
MAX_WAIT_S = 120.0
"""A longer wait that a server asks for is reported instead of waited for."""
_JITTER = 0.25
"""Share by which a wait is shortened at random, so that several callers do not come back at once."""
_MAX_DOUBLINGS = 16
"""More would only overflow: the longest wait is reached far earlier."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, sleep and chance in one place, so that tests can replace them."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    """In [0, 1)."""


@dataclass(slots=True)
class ServerPause:
    """When a server may be asked again; shared by all its requests, so that one refusal holds back all of them."""

    clock: Clock
    until: float = field(default=float("-inf"))

    async def wait(self, why: str, on_event: OnEvent) -> None:
        """Waits until the server may be asked, and reports the seconds left once a second."""
        waited = False
        # Looked at again each second: while one request waits, the refusal of another may have lengthened the pause.
        while (left_s := self.until - self.clock.now()) > 0:
            waited = True
            on_event(WaitingForServer(why, left_s))
            await self.clock.sleep(min(1.0, left_s))
        if waited:
            on_event(WaitingForServer(why, 0.0))

    def lengthen(self, seconds: float) -> None:
        """Extends the pause to at least `seconds` from now."""
        self.until = max(self.until, self.clock.now() + seconds)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits before the next attempt: as long as the server asked for, else twice as long each time."""

    first_s: float
    longest_s: float

    def wait_s(self, requested_s: float | None, attempt: int, clock: Clock) -> float:
        """Seconds to wait after `attempt` attempts, the first of which is 1."""
        # A server that names a time is taken at its word, without jitter: it may be counting.
        if requested_s is not None:
            return requested_s
        grown_s = min(self.longest_s, self.first_s * 2.0 ** min(attempt - 1, _MAX_DOUBLINGS))
        return grown_s * (1.0 - _JITTER * clock.chance())


def describe_failure(message: str, attempt: int, requested_s: float | None) -> str:
    """The `message` of the last error, with how often it was tried or how long the server wants to be left alone."""
    if requested_s is not None and requested_s > MAX_WAIT_S:
        return f"{message} It asks to be left alone for {requested_s:,.0f} s; try again then."
    return f"{message} It was tried {attempt} times." if attempt > 1 else message


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """How many seconds the server asks to be left alone: `retry-after-ms`, `retry-after` as seconds or as a date."""
    milliseconds = _parse_seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _parse_seconds(text)
    if seconds is not None or not text:
        return seconds
    try:
        # A date in the past means now: the clock of the server may differ from ours.
        return max(0.0, parsedate_to_datetime(text).timestamp() - now_s)
    except ValueError:
        return None


def _parse_seconds(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()) else None
