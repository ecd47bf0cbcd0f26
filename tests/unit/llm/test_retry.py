"""Trying again with a clock of our own, and cancelling against the real one."""

from __future__ import annotations

import time

import pytest
from fakes_model_server import (
    ModelServer,
    Script,
    bad_key,
    busy,
    drops,
    error,
    hangs,
    hangs_in_stream,
    loading,
    says,
    slow,
    too_long,
)
from model_clients import Clock, Models

from litterm.core import errors
from litterm.core.async_bridge import EventLoop
from litterm.core.backoff import retry_after_s
from litterm.core.tasks import run
from litterm.model.events import Event, WaitingForServer
from litterm.model.llm import Message, ModelRequest, Question, ReplyForm
from litterm.text.llm.reply_json import Record, WholeNumber

HELLO = ModelRequest("test@1", (Message("user", "Hi."),), max_tokens=64)
FORM = ReplyForm("sum", Record(dict, sum=WholeNumber(0, 9)))
AT_ONCE_S = 5.0
"""Far more than it takes, far less than the servers here stay silent; what it takes is the bench's to measure."""


def test_retry_after_is_honoured_and_counted_down(
    make_model: Models, model_server: ModelServer, model_clock: Clock
) -> None:
    model_server.script(busy(retry_after="3"), says("Hello."))
    events: list[Event] = []
    assert run(make_model().ask(HELLO), events.append).text == "Hello."
    left = [round(event.left_s) for event in events if isinstance(event, WaitingForServer)]
    assert left == [3, 2, 1, 0]
    assert model_clock.slept == [1.0, 1.0, 1.0]
    assert "receives too many requests" in next(event.why for event in events if isinstance(event, WaitingForServer))


def test_without_it_waits_grow_and_end(make_model: Models, model_server: ModelServer, model_clock: Clock) -> None:
    model_server.script(busy())
    with pytest.raises(errors.ModelBusy, match="tried 6 times"):
        run(make_model().ask(HELLO))
    assert len(model_server.asked) == 6
    assert sum(model_clock.slept) == pytest.approx(0.5 + 1 + 2 + 4 + 8)


def test_a_server_that_asks_for_an_hour_is_not_waited_for(
    make_model: Models, model_server: ModelServer, model_clock: Clock
) -> None:
    model_server.script(busy(retry_after="3600"))
    with pytest.raises(errors.ModelBusy, match="left alone for 3,600 s"):
        run(make_model().ask(HELLO))
    assert (len(model_server.asked), model_clock.slept) == (1, [])


@pytest.mark.parametrize(
    ("script", "times"),
    [(error(500, "boom"), 5), (error(503, "overloaded"), 5), (error(408, "late"), 5), (drops(), 2)],
    ids=["500", "503", "408", "dropped"],
)
def test_trouble_that_may_pass_is_tried_again(
    make_model: Models, model_server: ModelServer, script: Script, times: int
) -> None:
    model_server.script(script)
    with pytest.raises(errors.ModelError, match=f"tried {times} times"):
        run(make_model().ask(HELLO))
    assert len(model_server.asked) == times


@pytest.mark.parametrize("script", [bad_key(), too_long(), error(404, "model not found"), error(402, "no money")])
def test_trouble_that_does_not_pass_is_not(make_model: Models, model_server: ModelServer, script: Script) -> None:
    model_server.script(script)
    with pytest.raises(errors.ModelError):
        run(make_model(temperature=0.0).ask(HELLO))
    assert len(model_server.asked) == 1


def test_a_server_that_loads_its_model_is_given_time(
    make_model: Models, model_server: ModelServer, model_clock: Clock
) -> None:
    model_server.script(*[loading()] * 7, says("Ready."))
    assert run(make_model().ask(HELLO)).text == "Ready."
    assert sum(model_clock.slept) > 30


def test_one_refusal_quiets_everything_that_asks_the_same_server(
    make_model: Models, model_server: ModelServer, model_clock: Clock
) -> None:
    model_server.script(busy(retry_after="2"), says("Hello."))
    model = make_model(concurrency=1)
    run(model.ask(HELLO))
    assert sum(model_clock.slept) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({}, None),
    ],
)
def test_how_long_a_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, 60.0) == seconds


# -- time limits and cancelling, on the real clock ---------------------------------------------------------------------


def test_silence_ends_in_time(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(hangs())
    start = time.monotonic()
    with pytest.raises(errors.ModelTimeout, match=r"did not answer within 0\.1 s"):
        run(make_model(timeout_s=0.1).ask(HELLO))
    assert time.monotonic() - start < AT_ONCE_S


def test_a_reply_that_drips_for_ever_ends_in_time(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(slow("x" * 3000, gap_s=0.04, pieces=100))
    with pytest.raises(errors.ModelTimeout, match="did not finish its reply"):
        run(make_model(timeout_s=0.1).ask(HELLO))


def test_slow_bytes_are_waited_for(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(slow("Patience.", gap_s=0.01))
    assert run(make_model(timeout_s=1.0).ask(HELLO)).text == "Patience."


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("script", [hangs(), hangs_in_stream("Well, ")], ids=["silent", "in the middle"])
def test_closing_a_task_closes_its_socket_at_once(
    make_model: Models, model_server: ModelServer, script: Script, stream: bool
) -> None:
    run(make_model().ask(HELLO))
    model_server.script(script)
    task = make_model().start_run(fresh=True).ask(HELLO, stream=stream)
    while len(model_server.wires) < 2:
        next(task)
    start = time.monotonic()
    task.close()
    assert time.monotonic() - start < AT_ONCE_S
    assert model_server.hung_up_after(start) < AT_ONCE_S


def test_closing_several_closes_every_socket(make_model: Models, model_server: ModelServer) -> None:
    model = make_model(concurrency=4)
    model_server.script(hangs())
    task = model.answer_all([Question(ModelRequest("t@1", (Message("user", f"{n}"),)), FORM) for n in range(4)])
    while len(model_server.wires) < 4:
        next(task)
    start = time.monotonic()
    task.close()
    for number in range(4):
        assert model_server.hung_up_after(start, wire=number) < AT_ONCE_S


def test_a_wait_can_be_cancelled_too(make_model: Models, model_server: ModelServer, model_clock: Clock) -> None:
    async def forever(_seconds: float) -> None:
        import asyncio

        await asyncio.Event().wait()

    model_clock.sleep = forever  # type: ignore[method-assign]
    model_server.script(busy(retry_after="60"))
    task = make_model().ask(HELLO)
    while not isinstance(next(task), WaitingForServer):
        pass
    start = time.monotonic()
    task.close()
    assert time.monotonic() - start < AT_ONCE_S


def test_a_task_speaks_while_it_waits(make_model: Models, model_server: ModelServer) -> None:
    run(make_model().ask(HELLO))
    model_server.script(hangs())
    task = make_model().start_run(fresh=True).ask(HELLO)
    gaps = []
    for _ in range(4):
        start = time.monotonic()
        next(task)
        gaps.append(time.monotonic() - start)
    task.close()
    assert max(gaps) < AT_ONCE_S


def test_a_closed_model_opens_again(make_model: Models, model_server: ModelServer) -> None:
    model = make_model()
    run(model.ask(HELLO))
    model.close()
    assert run(model.start_run(fresh=True).ask(HELLO)).text == "Hello."


def test_a_bug_in_the_loop_is_heard_where_the_task_is_driven() -> None:
    loop = EventLoop()

    async def broken() -> None:
        raise ZeroDivisionError

    task = loop.pump(lambda _say: broken())
    with pytest.raises(ZeroDivisionError):
        list(task)
    loop.close()
