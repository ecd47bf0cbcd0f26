"""Waiting for somebody else: a clock that tests can replace, and a pause that all who ask one server share."""

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
PATIENCE_S = 120.0
"""A server that asks to be left alone for longer is not waited for, but reported."""
_JITTER = 0.25
"""Share by which a wait is shortened at random, so that several callers do not come back at once."""
_DOUBLINGS = 16
"""More of them are far beyond the longest wait and only overflow."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and chance, so that tests can have their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    """In [0, 1)."""


@dataclass(slots=True)
class ServerPause:
    """When a server may be asked again; shared by everything that asks it, so that one refusal quiets all."""

    pulse: Clock
    until: float = field(default=float("-inf"))

    async def over(self, why: str, tell: OnEvent) -> None:
        """Waits until it is over, told as a countdown."""
        waited = False
        while (left_s := self.until - self.pulse.now()) > 0:
            waited = True
            tell(WaitingForServer(why, left_s))
            await self.pulse.sleep(min(1.0, left_s))
        if waited:
            tell(WaitingForServer(why, 0.0))

    def lengthen(self, seconds: float) -> None:
        """At least `seconds` from now."""
        self.until = max(self.until, self.pulse.now() + seconds)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits before the next attempt: as long as the server asked for, else twice as long each time."""

    first_s: float
    longest_s: float

    def wait_s(self, asked_s: float | None, attempt: int, pulse: Clock) -> float:
        """Seconds to wait after `attempt` attempts, the first of which is 1."""
        if asked_s is not None:
            return asked_s
        grown_s = min(self.longest_s, self.first_s * 2.0 ** min(attempt - 1, _DOUBLINGS))
        return grown_s * (1.0 - _JITTER * pulse.chance())


def given_up(said: str, attempt: int, asked_s: float | None) -> str:
    """What was `said` of the last trouble, with what was tried."""
    if asked_s is not None and asked_s > PATIENCE_S:
        return f"{said} It asks to be left alone for {asked_s:,.0f} s; try again then."
    return f"{said} It was tried {attempt} times." if attempt > 1 else said


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """How long the server asks to be left alone: `retry-after-ms`, `retry-after` as seconds or as a date."""
    milliseconds = _figure(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _figure(text)
    if seconds is not None or not text:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now_s)
    except ValueError:
        return None


def _figure(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()) else None
