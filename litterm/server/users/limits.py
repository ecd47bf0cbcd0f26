"""Limits of a server: the rate of each user, the size of a request, and the threads and deadlines of all."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

_MAX_BUCKETS = 4096


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits that keep one client from blocking the others; `litterm serve` has options for some of them."""

    request_bytes: int = 2_000_000
    """Bytes of a JSON request."""
    upload_bytes: int = 500_000_000
    """Bytes of a file to import."""
    uploads_per_user: int = 2
    """Files of one user that are arriving, wait, or are being imported."""
    all_uploads_bytes: int = 2_000_000_000
    """Bytes of such files of all users; never more than half of the free space."""
    upload_s: float = 600.0
    """A file that has not arrived by then is refused, and its connection closed."""
    import_turn_s: float = 60.0
    """An import that takes longer makes room as soon as others wait; what it has stored stays."""
    per_minute: int = 600
    """Requests per minute and user, in the long run."""
    burst: int = 100
    """Requests of one user at once, after a rest."""
    refused_per_minute: int = 20
    """Wrong tokens from one address."""
    threads: int = 4
    """Requests that are answered at the same time."""
    waiting: int = 200
    """Requests that may wait for a thread; further ones get status 503 and `Retry-After`."""
    answer_s: float = 60.0
    """An answer that takes longer is cancelled."""
    header_s: float = 10.0
    """A connection that has not sent a whole head of a request by then is closed."""
    body_s: float = 20.0
    """The same for the body, except for a file to import."""
    silence_s: float = 60.0
    """A client that neither sends nor receives anything for so long is disconnected."""
    connections: int = 1000
    """Connections at the same time; fewer where the system does not let a process open twice as many files."""
    connections_per_address: int = 128
    """Of them those from one address, unless it is that of the trusted proxy: a group may share an address."""


@dataclass(slots=True)
class RequestRate:
    """Leaky buckets, one per name: `burst` requests at once, `per_minute` in the long run. Not thread-safe."""

    per_minute: int
    burst: int
    clock: Callable[[], float] = time.monotonic
    _levels: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By name how full the bucket was, and when."""

    def wait_s(self, name: str) -> float:
        """Seconds until `name` may send a request; 0 if now, which counts as one."""
        level = self._fill_level(name)
        if level + 1 > self.burst:
            return (level + 1 - self.burst) * 60 / self.per_minute
        self._set_level(name, level + 1)
        return 0.0

    def _fill_level(self, name: str) -> float:
        level, since = self._levels.get(name, (0.0, self.clock()))
        return max(0.0, level - (self.clock() - since) * self.per_minute / 60)

    def _set_level(self, name: str, level: float) -> None:
        # There may be any number of addresses: empty buckets are removed, as they limit nothing.
        if len(self._levels) >= _MAX_BUCKETS:
            self._levels = {caller: bucket for caller, bucket in self._levels.items() if self._fill_level(caller) > 0}
        self._levels[name] = (level, self.clock())
