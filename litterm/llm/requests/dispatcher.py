"""Sends one request: finds the form that the endpoint takes, pays from the budgets, retries. Runs in the event loop."""

from __future__ import annotations

import asyncio
import logging
import math
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from litterm.core.backoff import Clock, OnEvent, ServerPause
from litterm.core.errors import ModelError, ModelGone, NoModelServer, RequestRefused, ToolsRefused
from litterm.llm.budget import DayBudget, RunBudget, is_free
from litterm.llm.endpoint import CapabilityStore, EndpointCapabilities, adapt_capabilities
from litterm.llm.requests.chat_json import CHARACTERS_PER_TOKEN, ChatRequest, WireReply, build_body, estimate_tokens
from litterm.llm.requests.client import Client
from litterm.llm.requests.retry import retry_request
from litterm.llm.requests.single_request import ModelTarget, SingleRequest
from litterm.model.events import CostUpdate, Notice
from litterm.model.llm import ModelCost, ModelReply, OutputMode, Usage

_log = logging.getLogger(__name__)
_MAX_ADAPTATIONS = 8
"""Ways to put one request that are tried at most; there are fewer things an endpoint can object to."""
_MIN_COUNTED_SHARE, _MIN_SHARE_BY_FACTOR = 0.45, 0.7
"""Shares of the reckoned tokens below which a server has probably not read the whole request: by characters alone, and
by what the server has counted for earlier requests."""
_MIN_TOKENS_TO_CHECK = 2000
"""Tokens from which that is worth looking at."""
_CONTEXT_STEP, _MIN_CONTEXT, _MAX_SHARE_OF_CONTEXT = 1024, 1024, 0.9
"""A count that is a multiple of this is likely the size of a context, which a server that cuts a request fills exactly;
from this size on, where it is below this share of the reckoned tokens."""


_MAX_TOKEN_RATIO, _MIN_TOKENS_TO_DOUBT = 10, 20_000
"""Times the reckoned tokens, and tokens on top, up to which the server's own count is believed."""


class RequestSender(Protocol):
    """Answers requests: `Dispatcher` by the endpoint; `DryRunModel`, for dry runs, only shows them."""

    async def send(self, chat_request: ChatRequest, run: RunBudget, on_event: OnEvent) -> tuple[ModelReply, OutputMode]:
        """The reply, and the rung it was asked for on.

        Raises:
            ModelError: there is none.
        """
        ...


class Dispatcher:
    """Sends to one endpoint; shared by every run."""

    def __init__(
        self, target: ModelTarget, client: Client, capabilities: CapabilityStore, day: DayBudget, clock: Clock
    ) -> None:
        self.target = target
        self.capabilities = capabilities
        self.total = ModelCost()
        self._exchange = SingleRequest(target, client)
        self._day = day
        self._pause = ServerPause(clock)
        self._gate: asyncio.Semaphore | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, chat_request: ChatRequest, run: RunBudget, on_event: OnEvent) -> tuple[ModelReply, OutputMode]:
        """The reply, in whatever way the endpoint takes the request."""
        if chat_request.request.tools and not self.capabilities.current.tools:
            raise ToolsRefused(f"{self.target.model} at {self.target.endpoint.label} cannot call tools.")
        async with self._turn():
            # While this request waited for its turn, the one before it may have learned that the server is gone.
            run.check_model()
            try:
                reply, capabilities = await self._send_adapted(chat_request, run, on_event)
            except ModelGone as error:
                run.budget.gone = error
                raise
        self.capabilities.store(capabilities)
        return self._reply(chat_request, reply, capabilities), capabilities.rung

    def _turn(self) -> asyncio.Semaphore:
        """A semaphore belongs to a loop, and closing the model ends that."""
        loop = asyncio.get_running_loop()
        if self._gate is None or self._loop is not loop:
            self._gate, self._loop = asyncio.Semaphore(self.target.concurrency), loop
        return self._gate

    async def _send_adapted(
        self, chat_request: ChatRequest, run: RunBudget, on_event: OnEvent
    ) -> tuple[WireReply, EndpointCapabilities]:
        """Asks in one way after the other, until the endpoint does not object to the way any more."""
        capabilities = self.capabilities.current
        untried = [other for other in self.target.endpoint.addresses if other != capabilities.address]
        address = capabilities.address or untried.pop(0)
        first: ModelError | None = None
        for _round in range(_MAX_ADAPTATIONS):
            body = build_body(chat_request, self.target.model, capabilities)
            try:
                reply = await self._send_with_retries(chat_request, address, body, capabilities, run, on_event)
            except ModelError as error:
                # Refused for the way it was put, it is put in another; for all else the first address that may be meant
                # is believed.
                changed = self._adapt(capabilities, error, body)
                if changed is not None and changed != capabilities:
                    capabilities = changed
                elif isinstance(error, NoModelServer) and untried:
                    first = first or error
                    address = untried.pop(0)
                else:
                    raise first or error from error
            else:
                # Written down only now, since only an answer proves that a way is right.
                return reply, replace(
                    self._with_measured_tokens(capabilities, body, reply, run, on_event), address=address
                )
        raise RequestRefused(f"{self.target.endpoint.label} refuses the request in every form litterm knows.")

    def _adapt(
        self, capabilities: EndpointCapabilities, error: ModelError, body: Mapping[str, object]
    ) -> EndpointCapabilities | None:
        try:
            return adapt_capabilities(capabilities, error, body)
        except ToolsRefused:
            self.capabilities.store(replace(self.capabilities.current, tools=False))
            raise

    async def _send_with_retries(
        self,
        chat_request: ChatRequest,
        address: str,
        body: Mapping[str, object],
        capabilities: EndpointCapabilities,
        run: RunBudget,
        on_event: OnEvent,
    ) -> WireReply:
        target = self.target

        async def send() -> WireReply:
            return await self._send_paid(chat_request, address, body, capabilities, run, on_event)

        def will_persist(error: ModelError) -> bool:
            # A server that fails at the grammar of a schema fails at it every time.
            return not isinstance(error, RequestRefused) and self._adapt(capabilities, error, body) is not None

        host = target.endpoint.label
        return await retry_request(
            send, host, self._pause, on_event, max_wait_s=target.max_wait_s, will_persist=will_persist
        )

    async def _send_paid(
        self,
        chat_request: ChatRequest,
        address: str,
        body: Mapping[str, object],
        capabilities: EndpointCapabilities,
        run: RunBudget,
        on_event: OnEvent,
    ) -> WireReply:
        """One exchange, paid for: what it may cost is set aside before, what it did cost is written down after."""
        ticket = os.urandom(8).hex()
        prompt = math.ceil(estimate_tokens(body) * capabilities.factor)
        self._hold(
            ticket, Usage(prompt, chat_request.request.max_tokens, approximate=True), chat_request.request.purpose, run
        )
        # Whoever hangs up, or waits in vain, has most likely been charged for what was read.
        cost = self._cost(Usage(prompt, 0, approximate=True), None)
        try:
            reply = await self._exchange.send(chat_request, address, body, on_event)
            usage = self._plausible_usage(chat_request, body, reply, on_event) or Usage(
                prompt, math.ceil(len(reply.text + reply.reasoning) / CHARACTERS_PER_TOKEN), approximate=True
            )
            cost = self._cost(usage, reply.dollars)
            return replace(reply, usage=usage, dollars=cost.dollars)
        except ModelError as error:
            if is_free(error):
                cost = ModelCost()
            raise
        finally:
            self._settle(ticket, cost, run, on_event)

    def _plausible_usage(
        self, chat_request: ChatRequest, body: Mapping[str, object], reply: WireReply, on_event: OnEvent
    ) -> Usage | None:
        """The usage that the server counted; `None` without any, or if it is implausible, which is reported."""
        usage = reply.usage
        if usage is None:
            return None
        reply_tokens = chat_request.request.max_tokens + len(reply.text) + len(reply.reasoning)
        max_tokens = _MAX_TOKEN_RATIO * (estimate_tokens(body) + reply_tokens) + _MIN_TOKENS_TO_DOUBT
        if usage.tokens <= max_tokens:
            return usage
        host = self.target.endpoint.label
        on_event(
            Notice(
                f"{host} says it has counted {usage.tokens:,} tokens, which is impossible; litterm counts them itself."
            )
        )
        return None

    def _hold(self, ticket: str, worst: Usage, purpose: str, run: RunBudget) -> None:
        cost = self._cost(worst, None)
        run.hold(ticket, cost)
        details = {"purpose": purpose, "model": self.target.model, "host": self.target.endpoint.label}
        try:
            self._day.hold(ticket, cost, details)
        except ModelError:
            # Set aside for the run and not for the day: nothing was sent, so nothing was spent.
            run.settle(ticket, ModelCost())
            raise

    def _settle(self, ticket: str, cost: ModelCost, run: RunBudget, on_event: OnEvent) -> None:
        run.settle(ticket, cost)
        self._day.settle(ticket, cost)
        if cost.calls:
            self.total = self.total.plus(cost)
            on_event(CostUpdate(run.total_cost, self.total, self._day.total_cost(), cost))

    def _cost(self, usage: Usage, stated_dollars: float | None) -> ModelCost:
        dollars = self.target.prices.cost_of(usage) if stated_dollars is None else stated_dollars
        return ModelCost(1, dollars, usage.tokens, usage.approximate)

    def _with_measured_tokens(
        self,
        capabilities: EndpointCapabilities,
        body: Mapping[str, object],
        reply: WireReply,
        run: RunBudget,
        on_event: OnEvent,
    ) -> EndpointCapabilities:
        """With what the server has counted; a request it has not read whole teaches nothing."""
        if reply.usage is None or reply.usage.approximate:
            return capabilities
        estimated_tokens, prompt_tokens = estimate_tokens(body), reply.usage.prompt_tokens
        if _is_cut(prompt_tokens, estimated_tokens, capabilities.factor):
            if run.budget.is_cut_told:
                return capabilities
            # Once a run: a matrix would say it of every cell.
            run.budget.is_cut_told = True
            expected = round(estimated_tokens * capabilities.factor)
            on_event(
                Notice(
                    f"{self.target.endpoint.label} counted only {prompt_tokens:,} of about {expected:,} tokens: most"
                    " likely it has cut the request, because its context is too small; give it a larger one"
                    " (ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: --ctx-size)."
                )
            )
            return capabilities
        return capabilities.correct_factor(estimated_tokens, prompt_tokens)

    def _reply(self, chat_request: ChatRequest, reply: WireReply, capabilities: EndpointCapabilities) -> ModelReply:
        usage = reply.usage or Usage()
        _log.info(
            "%s: %s at %s, %s, %d+%d tokens",
            chat_request.request.purpose,
            self.target.model,
            self.target.endpoint.label,
            capabilities.rung if chat_request.form else "plain",
            usage.prompt_tokens,
            usage.reply_tokens,
        )
        return ModelReply(
            text=reply.text,
            model=reply.model or self.target.model,
            finish_reason=reply.finish or "stop",
            usage=usage,
            dollars=reply.dollars,
            calls=reply.calls,
            reasoning=reply.reasoning,
        )


def _is_cut(counted: int, estimated: int, factor: float) -> bool:
    """Whether a server has probably counted, and read, a part of a request alone.

    `estimated` is by characters; `factor` is what the server counted for one such token before, 1 where it never did.
    """
    if (
        counted >= _MIN_CONTEXT
        and counted % _CONTEXT_STEP == 0
        and counted < _MAX_SHARE_OF_CONTEXT * estimated * factor
    ):
        return True
    if estimated <= _MIN_TOKENS_TO_CHECK:
        return False
    is_measured = factor != 1.0
    return counted < _MIN_COUNTED_SHARE * estimated or (
        is_measured and counted < _MIN_SHARE_BY_FACTOR * estimated * factor
    )
