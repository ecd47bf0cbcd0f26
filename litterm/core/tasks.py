"""Slow work as generators: yields events, returns its result, is cancelled by being closed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from itertools import islice
from typing import TypeAlias, TypeVar

from litterm.core.errors import DryRun, Stopped
from litterm.model.events import Event, Notice, OutgoingRequest, Progress

T = TypeVar("T")
MAX_SILENCE_S = 0.1
"""The longest time a task waits without an event: whoever drives it can show progress or stop it that often."""
_IDLE = Notice("")
"""What a task says that waits."""
Task: TypeAlias = Generator[Event, None, T]
"""Yields at least every 200 ms of work and never while holding a session, a lock or an open file."""


def _ignore_event(_event: Event) -> None:
    return None


def run(
    task: Task[T],
    on_event: Callable[[Event], object] = _ignore_event,
    stopped: Callable[[], bool] = lambda: False,
) -> T:
    """Drive `task` to its result in this thread.

    Raises:
        Stopped: `stopped()` became true between two events; the task was closed.
    """
    try:
        while True:
            event = next(task)
            # Before it is passed on: nothing more is shown once the user has stopped.
            if stopped():
                raise Stopped("Stopped.")
            on_event(event)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        # Closing is what cancels: a task that an error or a stop left half done lets go of requests and files here.
        task.close()


class _Patience(threading.local):
    """How long a task of this thread may wait without an event."""

    max_silence_s = MAX_SILENCE_S


_patience = _Patience()


def max_silence_s() -> float:
    """The longest time without an event, in seconds: shorter for tasks that take turns."""
    return _patience.max_silence_s


def side_by_side(tasks: Iterable[Task[T]], at_once: int, on_result: Callable[[T], Iterable[Event]]) -> Task[None]:
    """Runs `tasks` in this thread, `at_once` of them taking turns, so that what they wait for is asked together.

    A task is begun when there is room for it. `on_result` gets the result of each as it ends, and the events it gives
    are yielded. An error of one ends all.
    """
    waiting = iter(tasks)
    active: deque[Task[T]] = deque()
    try:
        while True:
            active.extend(islice(waiting, max(1, at_once) - len(active)))
            if not active:
                return
            task = active.popleft()
            try:
                # Until it has nothing to say: what has come for it is not left behind what others wait for.
                while (event := _next_of(task, len(active) + 1)) != _IDLE:
                    yield event
            except StopIteration as end:
                yield from on_result(end.value)
                continue
            except BaseException:
                active.append(task)
                raise
            active.append(task)
            yield event
    finally:
        for task in active:
            task.close()


def _next_of(task: Task[T], count: int) -> Event:
    """The next event of `task`, one of `count` that take turns."""
    before = _patience.max_silence_s
    _patience.max_silence_s = before / count
    try:
        return next(task)
    finally:
        _patience.max_silence_s = before


def as_one_step(step: Progress, task: Task[T]) -> Task[T]:
    """`task` with each of its steps shown as `step`: of one of many its own would count again for each."""
    with closing(task):
        while True:
            try:
                next(task)
            except StopIteration as end:
                result: T = end.value
                return result
            yield step


def collect_outgoing(task: Task[object]) -> Task[tuple[str, ...]]:
    """What `task`, in a dry run, would send, in order, until `DryRun` ends it; its other events are passed on."""
    requests: list[str] = []
    try:
        for event in task:
            if isinstance(event, OutgoingRequest):
                requests.append(event.text)
            else:
                yield event
    except DryRun:
        pass
    finally:
        task.close()
    return tuple(requests)
