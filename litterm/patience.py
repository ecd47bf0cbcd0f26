"""Waiting for somebody else: a clock that tests can replace, and a pause that all who ask one server share."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from litterm.model.events import Event, Waiting

Tell = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Pulse:
    """Time and chance, so that tests can have their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    """In [0, 1)."""


@dataclass(slots=True)
class Pause:
    """When a server may be asked again; shared by everything that asks it, so that one refusal quiets all."""

    pulse: Pulse
    until: float = field(default=float("-inf"))

    async def over(self, why: str, tell: Tell) -> None:
        """Waits until it is over, told as a countdown."""
        waited = False
        while (left_s := self.until - self.pulse.now()) > 0:
            waited = True
            tell(Waiting(why, left_s))
            await self.pulse.sleep(min(1.0, left_s))
        if waited:
            tell(Waiting(why, 0.0))

    def lengthen(self, seconds: float) -> None:
        """At least `seconds` from now."""
        self.until = max(self.until, self.pulse.now() + seconds)
