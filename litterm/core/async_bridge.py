"""An asyncio event loop in a thread of its own, driven by generators in any other thread.

A coroutine is the only form of request that can be ended at once: a synchronous client's `close()` leaves a blocked
call blocked for seconds, while a cancelled coroutine closes its socket in a millisecond. Tasks stay generators: they
look at a queue ten times a second and cancel their coroutine when they are closed.
"""

from __future__ import annotations

import asyncio
import atexit
import queue
import threading
from collections.abc import Callable, Coroutine, Generator
from typing import Generic, TypeVar

from litterm.core.errors import ServiceError, Stopped
from litterm.core.tasks import max_silence_s
from litterm.model.events import Event, Notice

S = TypeVar("S")
T = TypeVar("T")
_CLOSE_TIMEOUT_S = 0.4
"""How long closing a task waits for its connection to be closed; a first import of the client can delay that."""


class EventLoop:
    """The loop: starts with its first job and lives as long as the process, or until `close`; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._cleanups: list[Callable[[], Coroutine[None, None, None]]] = []

    def pump(self, make: Callable[[Callable[[S], None]], Coroutine[None, None, T]]) -> Generator[S | None, None, T]:
        """Runs a coroutine in the loop: yields its messages, or `None` every 100 ms without one; returns its result.

        `make` is given the function that sends a message, and makes the coroutine. Closing the generator cancels the
        coroutine, and returns when its connections are closed.
        """
        messages: queue.SimpleQueue[S | _End] = queue.SimpleQueue()
        job = _Job(self._running_loop(), make(messages.put), lambda: messages.put(_END))
        try:
            while True:
                try:
                    item = messages.get(timeout=max_silence_s())
                except queue.Empty:
                    yield None
                    continue
                if isinstance(item, _End):
                    return job.result()
                yield item
        finally:
            # Also where the driver just drops the generator: Python closes it, and the request must not outlive it.
            job.end()

    def task(self, make: Callable[[Callable[[Event], None]], Coroutine[None, None, T]]) -> Generator[Event, None, T]:
        """`pump` as a task: `Notice("")` where there is no message for a while."""
        work = self.pump(make)
        try:
            while True:
                yield next(work) or Notice("")
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            work.close()

    def at_close(self, cleanup: Callable[[], Coroutine[None, None, None]]) -> None:
        """Registers a coroutine to be run in the loop before it ends, such as the closing of a client."""
        self._cleanups.append(cleanup)

    def close(self) -> None:
        """Ends every job and the thread; a later job starts a new one."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        # Else the registry at exit would keep every closed loop, and all that its clean-up refers to, until the process
        # ends.
        atexit.unregister(self.close)
        loop.call_soon_threadsafe(lambda: loop.create_task(self._shut_down()))
        thread.join(timeout=2 * _CLOSE_TIMEOUT_S)

    async def _shut_down(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        # Cancelled tasks and clean-ups run side by side, and one limit holds for both: a server that does not close its
        # connection must not hold up the end of the process.
        await asyncio.wait([*tasks, asyncio.ensure_future(self._run_cleanups())], timeout=_CLOSE_TIMEOUT_S)
        asyncio.get_running_loop().stop()

    async def _run_cleanups(self) -> None:
        for cleanup in self._cleanups:
            await cleanup()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = self._loop = asyncio.new_event_loop()
                # A daemon: a coroutine that ignores its cancellation must not keep the process from ending.
                self._thread = threading.Thread(target=_run_loop, args=(loop,), name="litterm-network", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            return self._loop


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


class _End:
    """The last item of a queue: the coroutine has ended."""


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
            # Called in the loop's thread, where alone a task may be cancelled; by then `_start` has run, for calls keep
            # their order.
            self._call(lambda: self._task and self._task.cancel())
            self._ended.wait(_CLOSE_TIMEOUT_S)

    def _call(self, callback: Callable[[], object]) -> None:
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError as error:
            # The loop was closed under us: the process ends.
            self._coroutine.close()
            raise ServiceError("litterm is closing; no more network requests are sent.") from error
