"""A language model at an endpoint, as other packages use it: tasks over one event loop."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from litterm.core.async_bridge import EventLoop
from litterm.core.backoff import OnEvent
from litterm.core.errors import ModelError
from litterm.core.settings import ModelSettings
from litterm.core.tasks import Task
from litterm.llm.budget import DayBudget, RunBudget, read_run_caps
from litterm.llm.cache import cache_key
from litterm.llm.requests.chat_json import ChatRequest, build_body, estimate_tokens
from litterm.llm.requests.single_request import ModelTarget
from litterm.llm.structured_output import Requester
from litterm.model.events import Event, Notice
from litterm.model.llm import CostEstimate, ModelCost, ModelReply, ModelRequest, Question, StructuredReply, Usage

T = TypeVar("T")
_NO_EVENTS: Callable[[int, object], Iterable[Event]] = lambda _number, _outcome: ()  # noqa: E731


@dataclass(frozen=True, slots=True)
class ModelParts:
    """What every run of one model shares."""

    loop: EventLoop
    target: ModelTarget
    requester: Requester
    day: DayBudget
    settings: ModelSettings
    spent: Callable[[], ModelCost]

    def temperature(self, request: ModelRequest) -> float:
        """As the request has it, else as in the settings."""
        return self.settings.temperature if request.temperature is None else request.temperature


class ChatModel:
    """A model at an endpoint, for everything in litterm that asks one; safe from any thread.

    Every task yields at least every 100 ms while it waits (`Notice("")` when there is nothing to say),
    `WaitingForServer` while the server asked to wait, `CostUpdate` after each paid call; closing it closes its
    connections. Every task raises `ModelError`, whose kinds are in `errors`: whoever asks falls back to what needs no
    model, and says so.
    """

    def __init__(self, parts: ModelParts, *, fresh: bool = False, run: RunBudget | None = None) -> None:
        """With `run` it continues with that one."""
        self._parts = parts
        settings, target = parts.settings, parts.target
        caps = read_run_caps(settings, local=target.endpoint.local)
        self._run = run or RunBudget(caps, settings.repeats, fresh=fresh or not settings.cache)

    @property
    def name(self) -> str:
        """The model, as in the settings."""
        return self._parts.target.model

    @property
    def host(self) -> str:
        """Where it is asked: host and, unless usual, port; for the screen."""
        return self._parts.target.endpoint.label

    @property
    def local(self) -> bool:
        """Whether it runs on this machine, so that nothing leaves it."""
        return self._parts.target.endpoint.local

    @property
    def at_once(self) -> int:
        """Requests that are sent at the same time; others wait for their turn."""
        return self._parts.target.concurrency

    def start_run(self, *, fresh: bool = False) -> ChatModel:
        """Starts a new run of the same model: caps per run and the guard against loops count from zero.

        With `fresh` replies kept from earlier do not answer; new ones are kept all the same.
        """
        return ChatModel(self._parts, fresh=fresh)

    def start_item(self) -> ChatModel:
        """Continues the run with the next of many items, such as the papers of a matrix.

        Caps continue counting, the guard against loops counts from zero: papers share sentences, and asking about
        each is no loop.
        """
        return ChatModel(self._parts, run=self._run.start_item())

    def ask(self, request: ModelRequest, *, stream: bool = False) -> Task[ModelReply]:
        """The model's next turn: text, calls of tools, or both; with `stream` yields `ReplyPiece` as it is written.

        Raises:
            ModelError: there is none.
        """
        chat_request = ChatRequest(request, None, self._parts.temperature(request), stream)
        return (
            yield from self._parts.loop.task(
                lambda on_event: self._parts.requester.ask(chat_request, self._run, on_event)
            )
        )

    def answer(self, question: Question[T]) -> Task[StructuredReply[T]]:
        """A reply of the form asked for, in the strictest way the server knows, repaired at most once.

        Raises:
            ModelError: there is none, or it does not fit.
        """
        return (yield from self._parts.loop.task(lambda on_event: self._answer(question, on_event)))

    def answer_all(
        self,
        questions: Sequence[Question[T]],
        on_reply: Callable[[int, StructuredReply[T] | ModelError], Iterable[Event]] = _NO_EVENTS,
    ) -> Task[tuple[StructuredReply[T] | ModelError, ...]]:
        """Several at the same time, as many as the settings allow, those alike once; the outcome of each, in order.

        As each arrives, `on_reply` is called in the thread of the task, with its position; the events it gives are
        yielded. Trouble with one does not end the others; a cap that is reached ends each that was not yet sent.
        """

        async def answer_all(on_event: Callable[[_Outcome[T] | Event], None]) -> None:
            async def answer_alike(numbers: Sequence[int]) -> None:
                outcome: StructuredReply[T] | ModelError
                try:
                    outcome = await self._answer(questions[numbers[0]], on_event)
                except ModelError as error:
                    outcome = error
                for number in numbers:
                    on_event(_Outcome(number, outcome))

            groups = _group_equal(cache_key(self._chat_request(question), self.name) for question in questions)
            await asyncio.gather(*map(answer_alike, groups))

        outcomes: dict[int, StructuredReply[T] | ModelError] = {}
        events = self._parts.loop.pump(answer_all)
        try:
            for item in events:
                if isinstance(item, _Outcome):
                    outcomes[item.number] = item.outcome
                    yield from on_reply(item.number, item.outcome)
                else:
                    yield item or Notice("")
        finally:
            events.close()
        return tuple(outcomes[number] for number in range(len(questions)))

    def estimate(self, requests: Sequence[ModelRequest | Question[object]]) -> CostEstimate:
        """What asking all this would cost at most; quick, sends nothing."""
        parts = self._parts
        capabilities = parts.requester.capabilities.current
        chat_requests = [self._chat_request(chat_request) for chat_request in requests]
        new = [
            chat_request
            for chat_request in chat_requests
            if self._run.fresh or not parts.requester.replies.has(cache_key(chat_request, self.name))
        ]
        prompt = sum(
            round(estimate_tokens(build_body(chat_request, self.name, capabilities)) * capabilities.factor)
            for chat_request in new
        )
        usage = Usage(prompt, sum(chat_request.request.max_tokens for chat_request in new), approximate=True)
        cost = ModelCost(len(new), parts.target.prices.cost_of(usage), usage.tokens, approximate=True)
        exceeded = self._run.caps.describe_exceeded("run", self._run.total_cost, cost) or parts.day.describe_exceeded(
            cost
        )
        return CostEstimate(
            self.host,
            self.name,
            len(new),
            len(chat_requests) - len(new),
            usage.prompt_tokens,
            usage.reply_tokens,
            cost.dollars,
            exceeded,
            self.local,
            self.at_once,
        )

    def total_cost(self) -> ModelCost:
        """The cost of all model calls of this process so far."""
        return self._parts.spent()

    def close(self) -> None:
        """Ends every request and closes every connection; a later request opens new ones."""
        self._parts.loop.close()

    def _chat_request(self, request_or_question: ModelRequest | Question[object]) -> ChatRequest:
        request, form = (
            (request_or_question.request, request_or_question.form)
            if isinstance(request_or_question, Question)
            else (request_or_question, None)
        )
        return ChatRequest(request, form, self._parts.temperature(request))

    async def _answer(self, question: Question[T], on_event: OnEvent) -> StructuredReply[T]:
        return await self._parts.requester.answer(
            question, self._parts.temperature(question.request), self._run, on_event
        )


@dataclass(frozen=True, slots=True)
class _Outcome(Generic[T]):
    """How one of several has ended."""

    number: int
    outcome: StructuredReply[T] | ModelError


def _group_equal(keys: Iterable[str]) -> Iterable[Sequence[int]]:
    """Positions, those with the same key together: a paper may say one thing in several places."""
    numbers_by_key: defaultdict[str, list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        numbers_by_key[key].append(number)
    return numbers_by_key.values()
