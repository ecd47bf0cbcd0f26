"""The pace that every running litterm keeps together."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from http_clients import WebClock

from litterm.core.backoff import Clock
from litterm.model.events import Event, WaitingForServer
from litterm.services.http.rate_limit import RateLimiter, SharedSlots

_ASKING = """
import sys, time
from pathlib import Path
from litterm.services.http.rate_limit import SharedSlots
slots = SharedSlots(Path(sys.argv[1]), time.time)
for _ in range(5):
    time.sleep(slots.take_slot("NCBI", 0.2))
    print(time.time())
"""


def gates(clock: WebClock, folder: Path) -> RateLimiter:
    """Those of one more litterm."""
    return RateLimiter(Clock(lambda: clock.now, clock.sleep, lambda: 0.0), slots=SharedSlots(folder, lambda: clock.now))


def nothing(_event: Event) -> None:
    """Hears nothing."""


async def test_two_of_them_are_as_slow_as_one(clock: WebClock, tmp_path: Path) -> None:
    one, other = gates(clock, tmp_path), gates(clock, tmp_path)
    for each in (one, other, one, other):
        async with each.slot("export.arxiv.org", nothing):
            pass
    assert clock.slept == pytest.approx([3.0, 3.0, 3.0], abs=0.01)


async def test_a_refusal_of_one_quiets_the_other_and_is_told(clock: WebClock, tmp_path: Path) -> None:
    gates(clock, tmp_path).pause("export.arxiv.org", 60.0, "asked for patience")
    told: list[Event] = []
    async with gates(clock, tmp_path).slot("arxiv.org", told.append):
        assert sum(clock.slept) == pytest.approx(60.0, abs=0.01)
    assert isinstance(told[0], WaitingForServer) and "another litterm" in told[0].why


def test_processes_share_it(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", _ASKING, str(tmp_path)]
    asking = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    times = sorted(float(line) for each in asking for line in each.communicate(timeout=60)[0].split())
    assert len(times) == 10
    assert times[-1] - times[0] > 9 * 0.2 - 0.05
    # Each may oversleep; none may come early.
    assert all(times[at + 5] - times[at] > 5 * 0.2 - 0.15 for at in range(5))


def test_a_clock_that_was_set_back_does_not_hold_it_up(tmp_path: Path) -> None:
    SharedSlots(tmp_path, lambda: time.time() + 1e6).take_slot("arXiv", 3.0)
    assert SharedSlots(tmp_path, time.time).take_slot("arXiv", 3.0) <= 180.0


def test_where_nothing_can_be_written_there_is_no_wait(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    slots = SharedSlots(tmp_path / "file" / "pace", time.time)
    assert (slots.take_slot("arXiv", 3.0), slots.take_slot("arXiv", 3.0)) == (0.0, 0.0)
    slots.pause("arXiv", 9.0)
