"""Slow work as generators: yields events, returns its result, is cancelled by being closed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeAlias, TypeVar

from litterm.core.errors import DryRun, Stopped
from litterm.model.events import Event, OutgoingRequest, Progress

T = TypeVar("T")
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
