"""Rate limits: one for each service, shared by all requests of this process and of others.

The figures are what each service asks for; hosts of one owner count together, because it counts them together.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from litterm.core.backoff import Clock, OnEvent, ServerPause
from litterm.core.filesystem import try_lock


@dataclass(frozen=True, slots=True)
class RateLimit:
    """The rate limit of one service."""

    owner: str
    every_s: float
    """Least time between the starts of two requests."""
    at_once: int = 1
    keyed_s: float | None = None
    """`every_s` with a key; `None`: the same."""
    refused_s: float = 1.0
    """How long it is left alone after its first refusal for too many requests, where it does not say; later twice."""
    tries: int = 4
    """How often it is asked at all before its refusals are believed."""


# One pace for all hosts of arXiv, which blocks a client that returns within a minute of a refusal;
# of the wait up to a quarter is left to chance.
_ARXIV = RateLimit("arXiv", 3.0, refused_s=80.0, tries=3)
# A little more than the third, and the tenth, of a second that are allowed: clocks differ.
_NCBI = RateLimit("NCBI", 0.34, 3, keyed_s=0.105)
RATE_LIMITS: dict[str, RateLimit] = {
    "aclanthology.org": RateLimit("ACL Anthology", 1.0),
    "github.com": RateLimit("GitHub", 1.0),
    "codeload.github.com": RateLimit("GitHub", 1.0),
    "raw.githubusercontent.com": RateLimit("GitHub", 0.2, 2),
    "api.github.com": RateLimit("GitHub", 1.0),
    "api.openreview.net": RateLimit("OpenReview", 1.0),
    "api2.openreview.net": RateLimit("OpenReview", 1.0),
    "openreview.net": RateLimit("OpenReview", 1.0),
    "eutils.ncbi.nlm.nih.gov": _NCBI,
    "www.ncbi.nlm.nih.gov": _NCBI,
    "pmc.ncbi.nlm.nih.gov": _NCBI,
    "pmc-oa-opendata.s3.amazonaws.com": RateLimit("PMC Cloud", 0.34, 3),
    "www.ebi.ac.uk": RateLimit("Europe PMC", 0.34, 2),
    # Without a key all callers share one allowance; with one it is one request per second over all endpoints.
    "api.semanticscholar.org": RateLimit("Semantic Scholar", 3.0, keyed_s=1.1),
    "export.arxiv.org": _ARXIV,
    "arxiv.org": _ARXIV,
    "oaipmh.arxiv.org": _ARXIV,
    "ar5iv.labs.arxiv.org": _ARXIV,
    "api.crossref.org": RateLimit("Crossref", 0.34, 3),
    "dblp.org": RateLimit("DBLP", 1.0, refused_s=10.0),
    "api.openalex.org": RateLimit("OpenAlex", 0.2, 2, keyed_s=0.1),
    "huggingface.co": RateLimit("Hugging Face", 0.2),
    "api.unpaywall.org": RateLimit("Unpaywall", 0.2),
}
_DEFAULT_INTERVAL_S = 1.0
_REPORTED_WAIT_S = 5.0
"""A longer wait for a slot is reported to the user."""


def rate_limit_of(host: str) -> RateLimit:
    """The rate limit of `host`; one request a second for a host that is not listed."""
    return RATE_LIMITS.get(host) or RateLimit(host, _DEFAULT_INTERVAL_S)


@dataclass(slots=True)
class _Gate:
    """The state of one service."""

    places: asyncio.Semaphore
    pause: ServerPause
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_at: float = float("-inf")
    why: str = "asked for patience"
    """For what the pause is, behind the name of the service."""


class RateLimiter:
    """The gates of every service; used in one event loop."""

    def __init__(
        self, clock: Clock, *, slots: SharedSlots | None = None, unpaced: frozenset[str] = frozenset()
    ) -> None:
        """`slots` are those of every litterm; hosts in `unpaced` are asked as fast as they answer: servers of tests."""
        self._clock = clock
        self._slots = slots
        self._unpaced = unpaced
        self._gates: dict[str, _Gate] = {}

    @asynccontextmanager
    async def slot(self, host: str, tell: OnEvent, *, keyed: bool = False) -> AsyncIterator[None]:
        """Waits for a request slot at the service of `host`, and reports the wait."""
        pace = rate_limit_of(host)
        gate = self._gate(pace)
        async with gate.places:
            # One at a time: those that wait for the same pause would otherwise all start at its end.
            async with gate.turn:
                await gate.pause.wait(f"{pace.owner} {gate.why}", tell)
                if host not in self._unpaced:
                    await self._wait_for_slot(gate, pace, tell, keyed=keyed)
            yield

    def pause(self, host: str, seconds: float, why: str) -> None:
        """Stops requests to the service of `host` for `seconds`; `why` is shown after its name meanwhile."""
        pace = rate_limit_of(host)
        gate = self._gate(pace)
        gate.why = why
        gate.pause.lengthen(seconds)
        if self._slots is not None and host not in self._unpaced:
            # Other processes as well: the service counts by address, and a refused second one prolongs it.
            self._slots.pause(pace.owner, seconds)

    async def _wait_for_slot(self, gate: _Gate, pace: RateLimit, tell: OnEvent, *, keyed: bool) -> None:
        every_s = pace.keyed_s if keyed and pace.keyed_s is not None else pace.every_s
        wait_s = gate.next_at - self._clock.now()
        if self._slots is not None:
            wait_s = max(wait_s, self._slots.take_slot(pace.owner, every_s))
        if wait_s > _REPORTED_WAIT_S:
            shared_pause = ServerPause(self._clock, self._clock.now() + wait_s)
            await shared_pause.wait(f"{pace.owner} is also left alone by another litterm", tell)
        elif wait_s > 0:
            await self._clock.sleep(wait_s)
        # From the start of a request: a slow answer has given the service its time already.
        gate.next_at = self._clock.now() + every_s

    def _gate(self, pace: RateLimit) -> _Gate:
        if pace.owner not in self._gates:
            self._gates[pace.owner] = _Gate(asyncio.Semaphore(pace.at_once), ServerPause(self._clock))
        return self._gates[pace.owner]


_LOCK_TIMEOUT_S = 0.3
_log = logging.getLogger(__name__)
_MAX_AHEAD_S = 180.0
"""A time further ahead was written by a clock that has been set back since."""


class SharedSlots:
    """A small file a service, with the time of its next free slot in seconds since 1970."""

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._clock = clock

    def take_slot(self, owner: str, every_s: float) -> float:
        """Takes the next free slot and returns the seconds until it; 0 if the file cannot be shared."""
        return self._move_slot(owner, lambda free, now_s: max(free, now_s) + every_s) - every_s

    def pause(self, owner: str, seconds: float) -> None:
        """Keeps every process from taking a slot for `seconds`."""
        self._move_slot(owner, lambda free, now_s: max(free, now_s + seconds))

    def _move_slot(self, owner: str, later: Callable[[float, float], float]) -> float:
        """Moves the next free slot; how far ahead it then is."""
        now_s = self._clock()
        try:
            with self._lock(owner) as file:
                # One broken file must not stop every litterm for ever.
                free = min(_parse_time(file.read(64)), now_s + _MAX_AHEAD_S)
                free = later(free, now_s)
                file.seek(0)
                file.truncate()
                file.write(f"{free:.3f}".encode("ascii"))
                return free - now_s
        except OSError as error:
            _log.warning("the pace cannot be shared with another litterm: %s", error.strerror)
            # Without the file each process keeps to its own pace.
            return later(0.0, now_s) - now_s

    @contextmanager
    def _lock(self, owner: str) -> Iterator[BinaryIO]:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(owner.encode()).hexdigest()[:16]
        with (self._folder / name).open("a+b") as file:
            # Held for as long as it takes to write twenty bytes; by a process that was stopped meanwhile, for ever.
            if not try_lock(file.fileno(), _LOCK_TIMEOUT_S):
                raise OSError(errno.EBUSY, "the process that holds the lock does not release it")
            file.seek(0)
            yield file


def _parse_time(content: bytes) -> float:
    try:
        return float(content)
    except ValueError:
        return 0.0
