"""Worker threads for the engine, so that the event loop never waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from litterm.core.errors import Stopped
from litterm.server.protocol.error_mapping import BUSY, Refused

T = TypeVar("T")
StopCheck = Callable[[], bool]
_OVERLOADED = "The server has too much to do; try again in a moment."
_RETRY_AFTER_S = 2


class WorkerPool:
    """A limited number of threads, with a limited number of requests that wait for one."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + waiting
        self._pending = 0
        self._lock = threading.Lock()

    async def run(self, work: Callable[[StopCheck], T], limit_s: float) -> T:
        """Runs `work` in a thread and returns its result; it is stopped if its request is cancelled.

        Raises:
            Refused: too many wait.
            Stopped: it took longer than `limit_s`.
        """
        with self._lock:
            if self._pending >= self._most:
                raise Refused(BUSY, "LibraryServerBusy", _OVERLOADED, retry_after_s=_RETRY_AFTER_S)
            self._pending += 1
        given_up = threading.Event()
        future: Future[T] = self._executor.submit(work, given_up.is_set)
        future.add_done_callback(self._on_done)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), limit_s or None)
        except TimeoutError:
            raise Stopped("It took too long.") from None
        finally:
            # A thread cannot be ended: it asks for this at its next event, and counts as pending until then.
            given_up.set()

    def close(self) -> None:
        """Waits for running requests and drops those that have not started."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _on_done(self, _future: Future[T]) -> None:
        # Called in a thread of the pool, while `run` counts in that of the event loop.
        with self._lock:
            self._pending -= 1
