"""Worker threads for the engine, so that the event loop never waits for it, and no user for another one's work.

A request is a task that is advanced from event to event. One that needs more than a moment of processor time, or whose
user has needed much of it lately, goes on in turns beside the others, on half of the threads at most.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from litterm.core.errors import Stopped
from litterm.core.tasks import Task
from litterm.model.events import Event
from litterm.server.protocol.error_mapping import BUSY, Refused

T = TypeVar("T")
_OVERLOADED = "The server has too much to do; try again in a moment."
_TOO_MANY_OF_ONE = "Too many of your requests wait for an answer; send the next when some are answered."
_RETRY_AFTER_S = 2
_TURN_S = 0.25
"""Processor time after which a request gives way: ten times that of a plain search."""
_LEISURE_S = 0.2
"""How long a long request waits, at each of its events, for short ones that are being answered."""
_QUIET_S = 5.0
"""Long requests are worked on one by one until nobody has asked for something short for so long."""
_MAX_PASSED_OVER = 8
"""Short requests that are begun in a row while long ones wait: those go on, slowly, however many ask."""


@dataclass(slots=True)
class ProcessorTime:
    """How much processor time each user has needed lately. Not thread-safe."""

    allowance_s: float = 2.0
    """Seconds at once, after a rest: some fifty plain searches."""
    share: float = 0.1
    """Seconds a second in the long run: whoever types in the workbench needs about as much."""
    clock: Callable[[], float] = time.monotonic
    _levels: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By user the seconds, and when they were that many."""

    def level_s(self, user: str) -> float:
        """What `user` has needed, less what the time since then has given back."""
        level, since = self._levels.get(user, (0.0, 0.0))
        return max(0.0, level - (self.clock() - since) * self.share)

    def add(self, user: str, seconds: float) -> None:
        """Counts processor time of `user`."""
        self._levels[user] = (self.level_s(user) + seconds, self.clock())

    def is_used_up(self, user: str) -> bool:
        """Whether requests of `user` are treated as long ones from their beginning."""
        return self.level_s(user) > self.allowance_s


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    """A request on its way to an answer."""

    user: str
    task: Task[T]
    on_event: Callable[[Event], object]
    future: Future[T] = field(default_factory=Future)
    is_long: bool = False
    is_given_up: bool = False
    """Whether nobody waits for the answer any more."""


class WorkerPool:
    """A limited number of threads, with a limited number of requests that wait for one."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        """Of the requests that wait a quarter may be of one user."""
        self._max_pending, self._max_per_user = threads + waiting, max(1, waiting // 4)
        self._max_long = max(1, threads // 2)
        self._pending: Counter[str] = Counter()
        self._running: Counter[str] = Counter()
        self._short: deque[_Job[Any]] = deque()
        self._long: list[_Job[Any]] = []
        self._running_short = self._running_long = self._passed_over = 0
        self._last_short_at = 0.0
        self._processor_time = ProcessorTime()
        self._is_closed = False
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._work, name=f"{name}-{number}") for number in range(threads)]
        self._is_started = False

    async def run(
        self,
        user: str,
        task: Task[T],
        limit_s: float,
        on_event: Callable[[Event], object] = lambda _event: None,
    ) -> T:
        """Runs `task` in the threads of the pool and returns its result; it is stopped if its request is cancelled.

        Raises:
            Refused: too many wait, of all users or of this one.
            Stopped: it took longer than `limit_s`.
        """
        job = _Job(user, task, on_event)
        # Nobody may cancel it from outside: a thread that is at work could not deliver its result.
        job.future.set_running_or_notify_cancel()
        with self._changed:
            self._refuse_excess(user)
            # With the first request: a server that cannot listen has no threads to end.
            if not self._is_started:
                self._is_started = True
                for thread in self._threads:
                    thread.start()
            self._pending[user] += 1
            self._short.append(job)
            self._changed.notify()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job.future), limit_s or None)
        except TimeoutError:
            raise Stopped("It took too long.") from None
        finally:
            # A thread cannot be ended: it looks at this at its next event, and the request is pending until then.
            job.is_given_up = True

    def close(self) -> None:
        """Waits for what is being worked on, and drops what waits."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads if self._is_started else ():
            thread.join()
        for job in (*self._short, *self._long):
            _end(job)

    def _refuse_excess(self, user: str) -> None:
        if self._is_closed or self._pending.total() >= self._max_pending:
            raise Refused(BUSY, "LibraryServerBusy", _OVERLOADED, retry_after_s=_RETRY_AFTER_S)
        # Those whose time is used up share half of the places, however many they are.
        is_excess = self._processor_time.is_used_up(user) and len(self._long) >= self._max_pending // 2
        if is_excess or self._pending[user] >= self._max_per_user:
            raise Refused(BUSY, "LibraryServerBusy", _TOO_MANY_OF_ONE, retry_after_s=_RETRY_AFTER_S)

    def _work(self) -> None:
        while (job := self._take_next()) is not None:
            before = time.thread_time()
            is_done = self._advance(job, before + _TURN_S)
            self._put_back(job, time.thread_time() - before, is_done=is_done)

    def _take_next(self) -> _Job[Any] | None:
        """The request whose turn it is; `None` once the pool is closed."""
        with self._changed:
            while not self._is_closed:
                job = self._choose()
                if job is not None:
                    self._running[job.user] += 1
                    self._running_long += job.is_long
                    self._running_short += not job.is_long
                    return job
                self._changed.wait()
        return None

    def _choose(self) -> _Job[Any] | None:
        self._set_long_apart()
        is_quiet = time.monotonic() - self._last_short_at > _QUIET_S
        is_long_possible = bool(self._long) and self._running_long < (self._max_long if is_quiet else 1)
        if not is_long_possible or self._passed_over < _MAX_PASSED_OVER:
            for job in self._short:
                # Neither may one user hold all threads with short requests.
                if self._running[job.user] < self._max_long:
                    self._short.remove(job)
                    self._passed_over += is_long_possible
                    self._last_short_at = time.monotonic()
                    return job
        if not is_long_possible:
            return None
        self._passed_over = 0
        chosen = min(self._long, key=lambda job: self._processor_time.level_s(job.user))
        self._long.remove(chosen)
        return chosen

    def _set_long_apart(self) -> None:
        """Moves the requests of users whose time is used up to the long ones."""
        if any(self._processor_time.is_used_up(job.user) for job in self._short):
            for job in tuple(self._short):
                if self._processor_time.is_used_up(job.user):
                    job.is_long = True
                    self._short.remove(job)
                    self._long.append(job)

    def _advance(self, job: _Job[Any], turn_end: float) -> bool:
        """Advances a request until its turn is over; returns whether it has ended, well or not."""
        try:
            while not job.is_given_up:
                job.on_event(next(job.task))
                if time.thread_time() >= turn_end:
                    return False
                if job.is_long:
                    self._let_short_ones_pass()
        except StopIteration as end:
            job.future.set_result(end.value)
        except BaseException as error:  # noqa: BLE001 - told to whoever waits for the answer
            job.future.set_exception(error)
        return True

    def _let_short_ones_pass(self) -> None:
        # In Python one thread computes at a time: a long request, however often it is interrupted, slows all others.
        if self._running_short:
            with self._changed:
                self._changed.wait_for(lambda: not self._running_short, _LEISURE_S)

    def _put_back(self, job: _Job[Any], used_s: float, *, is_done: bool) -> None:
        if is_done:
            _end(job)
        with self._changed:
            self._processor_time.add(job.user, used_s)
            self._running[job.user] -= 1
            self._running_long -= job.is_long
            self._running_short -= not job.is_long
            if is_done:
                self._pending[job.user] -= 1
                # Users may come and go for months.
                self._pending, self._running = +self._pending, +self._running
            else:
                job.is_long = True
                self._long.append(job)
            self._changed.notify_all()


def _end(job: _Job[Any]) -> None:
    # Closing is what cancels: a task that is given up lets go of files here.
    job.task.close()
    if not job.future.done():
        job.future.set_exception(Stopped("It took too long."))
