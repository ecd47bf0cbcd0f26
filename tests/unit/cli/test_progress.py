"""Progress on stderr, and an end by signal."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Iterator

import pytest
from commands import TerminalStream

from litterm.cli.terminal import interrupt
from litterm.cli.terminal.output import Output
from litterm.cli.terminal.progress import ProgressRate, progress_line, run_with_progress
from litterm.core.errors import Stopped
from litterm.core.tasks import Task
from litterm.model.events import (
    CostUpdate,
    Event,
    Notice,
    OutgoingRequest,
    PapersStored,
    Progress,
    ReplyPiece,
    WaitingForServer,
)
from litterm.model.llm import ModelCost


class SteppingClock:
    """A clock that goes on by `step_s` each time it is read."""

    def __init__(self, step_s: float = 1.0) -> None:
        self.now_s, self.step_s = 0.0, step_s

    def __call__(self) -> float:
        self.now_s += self.step_s
        return self.now_s


def told(events: list[Event], clock: SteppingClock, stream: io.StringIO | None = None) -> str:
    def task() -> Task[int]:
        yield from events
        return 7

    stderr = stream or io.StringIO()
    assert run_with_progress(task(), Output(io.StringIO(), stderr), clock=clock) == 7
    return stderr.getvalue()


def test_quick_work_says_nothing() -> None:
    assert told([Progress("searching")] * 5, SteppingClock(0.001)) == ""


def test_long_work_says_a_line_now_and_then() -> None:
    lines = told([Progress("importing", n, 100) for n in range(0, 100, 10)], SteppingClock(0.5)).splitlines()
    assert 2 <= len(lines) <= 5
    assert all(line.startswith("importing ") for line in lines)


def test_what_is_stored_and_noticed_is_always_said_at_once() -> None:
    assert told([PapersStored(20_000), Notice("Waiting.\x1b[2J"), Notice("")], SteppingClock(0)).splitlines() == [
        "stored 20,000 papers",
        "Waiting.",
    ]


def test_on_a_terminal_bars_are_drawn_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    events: list[Event] = [Progress("im[bold]porting\x1b]0;x\x07", n, 4) for n in range(4)]
    text = told([Progress("reading", 1), *events, Notice("[red]A notice")], SteppingClock(), TerminalStream())
    assert "im[bold]porting" in text
    assert "[red]A notice" in text
    assert "\x1b]0;x" not in text
    assert "3 of 4" in text


def test_the_rate_and_the_time_left_are_reckoned_over_one_kind_of_step() -> None:
    clock = SteppingClock(0)
    pace = ProgressRate(clock)
    pace.update(Progress("reading", 0, 10))
    clock.now_s = 3
    pace.update(Progress("importing", 1000, 5000))
    assert (pace.rate, pace.left_s) == (0.0, None)
    clock.now_s = 5
    pace.update(Progress("importing", 3000, 5000))
    assert (pace.rate, pace.left_s) == (1000.0, 2.0)
    assert progress_line(Progress("importing", 3000, 5000), pace) == "importing 3,000 of 5,000, 1,000/s, 2 s left"
    assert progress_line(Progress("importing", 12), ProgressRate(clock)) == "importing 12"


def test_what_is_on_its_way_leaves_the_pace_of_the_whole_alone() -> None:
    clock = SteppingClock(0)

    def walk() -> Task[int]:
        for step in range(1, 6):
            for arrived in (1, 2, 3):
                clock.now_s += 1
                yield Progress("waiting for NCBI")
                yield Progress("from NCBI", arrived << 20, 3 << 20, "bytes")
            yield Progress("sync pmc", 30 * step, 3000)
        return 7

    stderr = io.StringIO()
    run_with_progress(walk(), Output(io.StringIO(), stderr), clock=clock)
    lines = stderr.getvalue().splitlines()
    assert lines[-1].startswith("sync pmc ") and "10/s, " in lines[-1]
    assert any(line.startswith("sync pmc") and "; from NCBI 2.0 of 3.0 MB, 1 s left" in line for line in lines) or any(
        "; waiting for NCBI" in line for line in lines
    )


def test_bytes_are_told_as_such() -> None:
    clock = SteppingClock(0)
    pace = ProgressRate(clock)
    pace.update(Progress("from NCBI", 1 << 20, 25 << 20, "bytes"))
    clock.now_s = 2
    told = Progress("from NCBI", 5 << 20, 25 << 20, "bytes")
    pace.update(told)
    assert progress_line(told, pace) == "from NCBI 5.0 of 25.0 MB, 10 s left"
    pace.update(again := Progress("from NCBI", 1 << 20, 0, "bytes"))
    assert progress_line(again, pace) == "from NCBI 1.0 MB"
    assert progress_line(Progress("waiting for NCBI"), ProgressRate(clock)) == "waiting for NCBI"


def test_on_a_terminal_the_whole_and_what_is_on_its_way_are_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    events: list[Event] = [Progress("sync pmc", 25, 1000), Progress("from NCBI", 2 << 20, 4 << 20, "bytes")]
    text = told([*events, Notice("A notice")], SteppingClock(), TerminalStream())
    assert "25 of 1,000" in text and "2.0 of 4.0 MB" in text


def endless(during: list[str]) -> Iterator[Event]:
    try:
        yield PapersStored(5)
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            yield Progress("importing")
    finally:
        during.append("closed")


def test_ctrl_c_closes_the_task_and_says_what_is_safe() -> None:
    during: list[str] = []
    with pytest.raises(Stopped, match="5 papers are stored") as caught:
        run_with_progress(endless(during), Output(io.StringIO(), io.StringIO()))  # type: ignore[arg-type]
    assert (during, caught.value.exit_code) == (["closed"], 130)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_does_not_wait_for_the_task() -> None:
    def stuck() -> Task[int]:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        yield Progress("never reached")
        return 0

    with pytest.raises(KeyboardInterrupt):
        run_with_progress(stuck(), Output(io.StringIO(), io.StringIO()))


def test_ctrl_c_ends_a_step_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt, "GRACE_S", 0.01)
    during: list[str] = []

    def stuck() -> Task[int]:
        yield PapersStored(3)
        os.kill(os.getpid(), signal.SIGINT)
        try:
            while True:
                during.append("working") if not during else None
        finally:
            during.append("closed")

    with pytest.raises(Stopped, match="3 papers are stored"):
        run_with_progress(stuck(), Output(io.StringIO(), io.StringIO()))
    assert during == ["working", "closed"]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_ends_in_time_may_take_its_time_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt, "GRACE_S", 600)
    left: list[float] = []

    def closing() -> Task[int]:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            yield Progress("importing")
        finally:
            left.append(signal.getitimer(signal.ITIMER_REAL)[0])
        return 0

    with pytest.raises(Stopped):
        run_with_progress(closing(), Output(io.StringIO(), io.StringIO()))
    assert left == [0.0]


def test_sigterm_ends_with_its_own_status() -> None:
    def task() -> Task[int]:
        os.kill(os.getpid(), signal.SIGTERM)
        yield Progress("importing")
        return 0

    with pytest.raises(SystemExit) as caught:
        run_with_progress(task(), Output(io.StringIO(), io.StringIO()))
    assert caught.value.code == 128 + signal.SIGTERM


def test_a_wait_is_said_once_in_a_log_and_what_a_model_cost_at_the_end() -> None:
    wait: list[Event] = [
        WaitingForServer("api.example.org receives too many requests", left) for left in (2.0, 1.0, 0.0)
    ]
    bill = [
        CostUpdate(ModelCost(n, 0.01 * n, 100 * n), ModelCost(9, 9.0, 9), ModelCost(9, 9.0, 9), ModelCost(1, 0.01, 100))
        for n in (1, 2)
    ]
    assert told([*wait, ReplyPiece("piece"), *wait, *bill], SteppingClock(0)).splitlines() == [
        "api.example.org receives too many requests: again in 2 s",
        "api.example.org receives too many requests: again in 2 s",
        "asked the model: 2 calls, 200 tokens, $0.02",
    ]


def test_a_wait_counts_down_on_a_terminal_and_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    waiting: list[Event] = [WaitingForServer("busy", 3.0), WaitingForServer("busy", 2.0)]
    assert "busy: again in 2 s" in told(waiting, SteppingClock(0), TerminalStream())
    assert "busy" not in told([*waiting, WaitingForServer("busy", 0.0)], SteppingClock(0), TerminalStream())


def test_what_would_be_sent_is_data() -> None:
    def task() -> Task[None]:
        yield OutgoingRequest("POST http://localhost/v1/chat/completions\n\n{}\n")

    stdout = io.StringIO()
    run_with_progress(task(), Output(stdout, io.StringIO()))
    assert stdout.getvalue() == "POST http://localhost/v1/chat/completions\n\n{}\n"
