"""One private event loop in a thread of its own: the only way to end a request at once is to cancel it there.

A synchronous client's `close()` leaves a blocked call blocked for seconds; a cancelled coroutine closes its socket in
a millisecond. Tasks stay generators: they look at a queue ten times a second and cancel their job when closed.
"""

from __future__ import annotations

import asyncio
import atexit
import queue
import threading
from collections.abc import Callable, Coroutine, Generator
from typing import Generic, TypeVar

from litterm.core.errors import ServiceError, Stopped
from litterm.model.events import Event, Notice

S = TypeVar("S")
T = TypeVar("T")
SILENCE_S = 0.1
"""Longest time without a word to whoever drives a task."""
_FAREWELL_S = 0.4
"""How long closing a task waits for its connection to be closed; importing the client can make it late."""


class EventLoop:
    """Starts with its first job and lives as long as the process, or until `close`; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._farewells: list[Callable[[], Coroutine[None, None, None]]] = []

    def pump(self, make: Callable[[Callable[[S], None]], Coroutine[None, None, T]]) -> Generator[S | None, None, T]:
        """Runs a coroutine there; yields what it says, or `None` every 100 ms without a word, and returns its result.

        `make` is given the function to say something with. Closing the generator cancels the coroutine, and returns
        when its connections are closed.
        """
        said: queue.SimpleQueue[S | _End] = queue.SimpleQueue()
        job = _Job(self._running(), make(said.put), lambda: said.put(_END))
        try:
            while True:
                try:
                    item = said.get(timeout=SILENCE_S)
                except queue.Empty:
                    yield None
                    continue
                if isinstance(item, _End):
                    return job.result()
                yield item
        finally:
            job.end()

    def task(self, make: Callable[[Callable[[Event], None]], Coroutine[None, None, T]]) -> Generator[Event, None, T]:
        """The same with `Notice("")` where nothing is said for a while."""
        work = self.pump(make)
        try:
            while True:
                yield next(work) or Notice("")
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            work.close()

    def at_close(self, farewell: Callable[[], Coroutine[None, None, None]]) -> None:
        """Something to be done in the loop before it ends."""
        self._farewells.append(farewell)

    def close(self) -> None:
        """Ends every job and the thread; a later job starts a new one."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        atexit.unregister(self.close)
        loop.call_soon_threadsafe(lambda: loop.create_task(self._wind_up()))
        thread.join(timeout=2 * _FAREWELL_S)

    async def _wind_up(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.wait([*others, asyncio.ensure_future(self._say_farewell())], timeout=_FAREWELL_S)
        asyncio.get_running_loop().stop()

    async def _say_farewell(self) -> None:
        for farewell in self._farewells:
            await farewell()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_turn, args=(loop,), name="litterm-network", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            return self._loop


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


class _End:
    """Nothing more will be said."""


_END = _End()


class _Job(Generic[T]):
    def __init__(
        self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine[None, None, T], done: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._coroutine = coroutine
        self._done = done
        self._ended = threading.Event()
        self._task: asyncio.Task[T] | None = None
        self._call(self._start)

    def _start(self) -> None:
        self._task = self._loop.create_task(self._coroutine)
        self._task.add_done_callback(self._finish)

    def _finish(self, _task: asyncio.Task[T]) -> None:
        self._ended.set()
        self._done()

    def result(self) -> T:
        """What the coroutine returned or raised; only after its end."""
        if self._task is None or self._task.cancelled():
            raise Stopped("Stopped.")
        return self._task.result()

    def end(self) -> None:
        """Cancels it unless it has ended, and waits a moment for that."""
        if not self._ended.is_set():
            self._call(lambda: self._task and self._task.cancel())
            self._ended.wait(_FAREWELL_S)

    def _call(self, what: Callable[[], object]) -> None:
        try:
            self._loop.call_soon_threadsafe(what)
        except RuntimeError as error:
            # The loop was closed under us: the process ends.
            self._coroutine.close()
            raise ServiceError("litterm is closing; no more network requests are sent.") from error
