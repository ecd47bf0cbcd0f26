"""Checks an endpoint with one tiny request, and lists its models; gives up soon."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from litterm.core.async_bridge import EventLoop
from litterm.core.backoff import OnEvent
from litterm.core.errors import ModelError, ModelOffline, ModelTimeout, NoModelServer
from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.llm.factory import Clocks, build_model_parts, read_key, read_target, why_no_model
from litterm.llm.model import ChatModel
from litterm.llm.requests.client import Client
from litterm.model.llm import EndpointProbe, ModelRequest, Question, ReplyForm
from litterm.text.llm.prompts import prompt
from litterm.text.llm.reply_json import Record, WholeNumber

T = TypeVar("T")
TIMEOUT_S = 20.0
LOADING_TIMEOUT_S = 60.0
"""For a server that may have to load the model first."""
_MAX_REPLY_TOKENS = 1024
"""Tokens of the reply: a number needs three, but some models cannot help thinking first."""


def probe_endpoint(
    settings: Settings, environ: Mapping[str, str], *, timeout_s: float = TIMEOUT_S
) -> Task[EndpointProbe]:
    """Asks for the sum of two numbers, from the top rung of the ladder, and gives up after `timeout_s`.

    Raises:
        ModelError: it does not work; says why in one sentence.
    """
    reason = why_no_model(settings)
    if reason:
        raise ModelOffline(reason)
    probed = replace(settings, model=replace(settings.model, dry_run=False))
    # Without waiting: a user of `doctor` wants to know at once that a server refuses for a while.
    target = replace(read_target(probed.model), timeout_s=timeout_s, max_wait_s=0.0)
    parts = build_model_parts(probed, environ, Clocks(), target)
    # What the endpoint takes is what this finds out; what was learned before must not hide a change.
    parts.requester.capabilities.forget()
    sum_prompt = prompt("prove")
    form = ReplyForm("sum", Record(_only, sum=WholeNumber(-999, 999)))
    start = time.monotonic()
    try:
        model = ChatModel(parts, fresh=True)
        question = Question(ModelRequest(sum_prompt.purpose, sum_prompt.messages, _MAX_REPLY_TOKENS), form)
        answer = yield from _with_timeout(model.answer(question), timeout_s, target.endpoint.label)
    finally:
        parts.loop.close()
    seconds = time.monotonic() - start
    address = parts.requester.capabilities.current.address
    return EndpointProbe(
        target.endpoint.label, answer.reply.model, address, seconds, answer.output_mode, answer.reply.usage
    )


def list_models(
    settings: Settings, environ: Mapping[str, str], *, timeout_s: float = TIMEOUT_S
) -> Task[tuple[str, ...]]:
    """The models a server says it has, ascending; empty where it does not say. `model.model` need not be set.

    Raises:
        ModelError: it cannot be asked.
    """
    probed = replace(settings, model=replace(settings.model, model=settings.model.model or "any"))
    reason = why_no_model(probed)
    if reason:
        raise ModelOffline(reason)
    endpoint = read_target(probed.model).endpoint
    client = Client(endpoint, probed.model.model, lambda: read_key(probed, endpoint, environ), timeout_s=timeout_s)
    loop = EventLoop()
    loop.at_close(client.close)

    async def request_models(_say: OnEvent) -> tuple[str, ...]:
        first: ModelError | None = None
        for address in endpoint.addresses:
            try:
                return await client.models(address)
            except NoModelServer as error:
                first = first or error
        raise first or NoModelServer(f"{endpoint.label} does not answer.")

    try:
        return (yield from _with_timeout(loop.task(request_models), timeout_s, endpoint.label))
    finally:
        loop.close()


def _with_timeout(task: Task[T], seconds: float, host: str) -> Task[T]:
    """`task`, ended when it takes longer: an endpoint may refuse politely, and slowly, again and again.

    Raises:
        ModelTimeout: it does.
    """
    start = time.monotonic()
    try:
        while True:
            yield next(task)
            if time.monotonic() - start > seconds:
                raise ModelTimeout(
                    f"{host} did not answer within {seconds:g} s; a model that is still loading may answer later."
                )
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        task.close()


def _only(sum: int) -> int:  # noqa: A002 - the name of the field in the reply
    return sum
