"""Tasks that take turns: what they wait for is asked together, and each ends by itself."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from litterm.core.async_bridge import EventLoop
from litterm.core.tasks import Task, max_silence_s, run, side_by_side
from litterm.model.events import Event, Notice, Progress


def steps(name: str, waits: int, log: list[str]) -> Task[str]:
    """A task that waits so often, and notes that it was begun, stopped and ended."""
    log.append(f"{name} begins")
    try:
        for _ in range(waits):
            yield Notice("")
        log.append(f"{name} ends")
    finally:
        log.append(f"{name} is closed")
    return name


def told(name: str) -> Iterator[Event]:
    yield Progress(name)


def test_as_many_as_allowed_are_under_way_and_the_next_begins_when_one_ends() -> None:
    log: list[str] = []
    tasks = (steps(name, waits, log) for name, waits in (("a", 3), ("b", 1), ("c", 1)))
    seen: list[Event] = []
    run(side_by_side(tasks, 2, told), seen.append)
    assert [entry for entry in log if "closed" not in entry] == [
        "a begins", "b begins", "b ends", "c begins", "a ends", "c ends",
    ]  # fmt: skip
    assert [event for event in seen if isinstance(event, Progress)] == [Progress("b"), Progress("a"), Progress("c")]


def test_stopping_closes_all_that_are_under_way_and_begins_no_other() -> None:
    log: list[str] = []
    task = side_by_side((steps(name, 5, log) for name in "abc"), 2, told)
    for _ in range(3):
        next(task)
    task.close()
    assert sorted(log) == ["a begins", "a is closed", "b begins", "b is closed"]


def test_an_error_of_one_closes_the_others() -> None:
    log: list[str] = []

    def fails() -> Task[str]:
        yield Notice("")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run(side_by_side(iter([steps("a", 9, log), fails()]), 2, told))
    assert log[-1] == "a is closed"


def test_what_tasks_wait_for_is_waited_for_together() -> None:
    loop = EventLoop()

    async def slow(_say: object) -> str:
        import asyncio

        await asyncio.sleep(0.5)
        return "x"

    results: list[str] = []

    def on_result(value: str) -> Iterator[Event]:
        results.append(value)
        yield Progress(value)

    start = time.monotonic()
    run(side_by_side((loop.task(slow) for _ in range(8)), 8, on_result))
    loop.close()
    assert len(results) == 8
    assert time.monotonic() - start < 2.0
    assert max_silence_s() == 0.1
