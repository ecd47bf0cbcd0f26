"""Progress of a task as the status line wants it: one count, and what is waited for beside it."""

from __future__ import annotations

from typing import TypeVar

from litterm.core.tasks import Task
from litterm.model.events import Progress

T = TypeVar("T")


def count_only(task: Task[T], what: str) -> Task[T]:
    """`task`, in which only progress on `what...` has a count: that of its steps would take its place.

    Where it has none, as in a collection that comes as one archive, its steps keep theirs.
    """
    counted = False
    try:
        while True:
            event = next(task)
            if isinstance(event, Progress) and event.unit == "steps":
                counted = counted or (event.what.startswith(what) and event.done > 0)
                yield event if event.what.startswith(what) or not counted else Progress(event.what)
            else:
                yield event
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        # A task is cancelled by being closed, and closing this one does not reach the one it drives.
        task.close()
