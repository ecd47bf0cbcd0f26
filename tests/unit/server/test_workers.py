"""Threads of a server: whose turn it is, and that nobody holds all of them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from litterm.core.errors import Stopped
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.server.protocol.error_mapping import Refused
from litterm.server.workers import ProcessorTime, WorkerPool


def computing(seconds: float, *, ended: Callable[[], object] = lambda: None) -> Task[str]:
    """Needs so much processor time, with an event every few milliseconds."""
    try:
        used = 0.0
        while used < seconds:
            begun = time.thread_time()
            while time.thread_time() - begun < 0.005:
                pass
            used += 0.005
            yield Progress("computing")
    finally:
        ended()
    return "computed"


def saying(words: str) -> Task[str]:
    yield Progress("saying")
    return words


@contextmanager
def pool(threads: int, waiting: int = 200) -> Iterator[WorkerPool]:
    made = WorkerPool("test", threads, waiting)
    try:
        yield made
    finally:
        made.close()


def test_beside_six_long_requests_a_short_one_is_answered_before_them_all() -> None:
    order: list[str] = []

    async def ask(workers: WorkerPool, user: str, task: Task[str]) -> None:
        await workers.run(user, task, 60)
        order.append(user)

    async def all_at_once(workers: WorkerPool) -> None:
        long = [asyncio.ensure_future(ask(workers, f"hostile{n}", computing(0.3))) for n in range(6)]
        await asyncio.sleep(0)
        for n in range(3):
            await ask(workers, f"reader{n}", saying("here"))
        assert order == ["reader0", "reader1", "reader2"]
        await asyncio.gather(*long)

    with pool(4) as workers:
        asyncio.run(all_at_once(workers))
    assert len(order) == 9


def test_long_requests_hold_at_most_2_of_4_threads() -> None:
    lock, now, most = threading.Lock(), 0, 0

    def noting(seconds: float) -> Task[str]:
        # From one event to the next it is in a thread.
        for event in computing(seconds):
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.001)
            with lock:
                now -= 1
            yield event
        return ""

    async def ask(workers: WorkerPool) -> None:
        workers._processor_time.add("ada", 100)
        workers._processor_time.add("bob", 100)
        await asyncio.gather(*(workers.run(user, noting(0.05), 60) for user in ("ada", "bob") * 4))

    with pool(4) as workers:
        asyncio.run(ask(workers))
    assert 1 <= most <= 2


def test_one_user_holds_at_most_half_of_the_threads_and_a_quarter_of_the_places() -> None:
    async def ask(workers: WorkerPool) -> tuple[Counter[type], str]:
        blocked = threading.Event()

        def waiting() -> Task[str]:
            blocked.wait(60)
            yield Progress("waiting")
            return ""

        asked = [asyncio.ensure_future(workers.run("ada", waiting(), 60)) for _ in range(7)]
        await asyncio.sleep(0)
        # Two threads are free for anybody else.
        said = await asyncio.wait_for(workers.run("bob", saying("here"), 60), 60)
        blocked.set()
        results = await asyncio.gather(*asked, return_exceptions=True)
        return Counter(map(type, results)), said

    with pool(4, waiting=20) as workers:
        counts, said = asyncio.run(ask(workers))
    assert said == "here"
    assert counts == {str: 5, Refused: 2}


def test_a_request_that_takes_too_long_is_closed_and_its_place_is_free_again() -> None:
    closed = threading.Event()

    async def ask(workers: WorkerPool) -> str:
        with pytest.raises(Stopped):
            await workers.run("ada", computing(600, ended=closed.set), 0.1)
        await asyncio.to_thread(closed.wait, 60)
        return await workers.run("ada", saying("here"), 60)

    with pool(1) as workers:
        assert asyncio.run(ask(workers)) == "here"
        assert closed.is_set()
    # Only now have the threads ended, which give a place back after they have answered.
    assert not workers._pending


def test_an_error_is_that_of_the_task() -> None:
    def failing() -> Task[str]:
        yield Progress("failing")
        raise ValueError("wrong")

    with pool(1) as workers, pytest.raises(ValueError, match="wrong"):
        asyncio.run(workers.run("ada", failing(), 60))


def test_processor_time_comes_back_with_time() -> None:
    now = [0.0]
    used = ProcessorTime(clock=lambda: now[0])
    used.add("ada", 3.0)
    assert used.is_used_up("ada")
    assert not used.is_used_up("bob")
    now[0] = 11.0
    assert not used.is_used_up("ada")
    assert used.level_s("ada") == pytest.approx(1.9)
