"""Measures several cases at the same time: while one waits for the reply of a model, others are asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from litterm.core.tasks import Task, side_by_side
from litterm.model.events import Event, Notice, Progress, ProvisionalRanking

T = TypeVar("T")


def measure_cases(
    name: str, tasks: Iterable[Task[T]], total: int, *, at_once: int = 1, per_event: int = 1
) -> Task[list[T]]:
    """The results of `tasks`, one for each of `total` cases and in their order, `at_once` of them under way at a time.

    Only the progress of the bench is shown, as `name`, every `per_event` cases; an error of one case ends all.
    """
    results: dict[int, T] = {}

    def numbered(number: int, task: Task[T]) -> Task[tuple[int, T]]:
        return number, (yield from _without_progress(task))

    def on_result(result: tuple[int, T]) -> Iterator[Event]:
        number, value = result
        results[number] = value
        if len(results) % per_event == 0:
            yield Progress(name, len(results), total)

    yield Progress(name, 0, total)
    yield from side_by_side((numbered(*pair) for pair in enumerate(tasks)), at_once, on_result)
    return [results[number] for number in sorted(results)]


def _without_progress(task: Task[T]) -> Task[T]:
    """`task` without events on how far it is, and without rankings that are not its last."""
    try:
        while True:
            event = next(task)
            yield Notice("") if isinstance(event, (Progress, ProvisionalRanking)) else event
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        task.close()
