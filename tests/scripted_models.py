"""A model that answers from a function, without a socket; its replies are read as real ones are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from litterm.core.errors import DryRun, ModelError, ReplyUnreadable
from litterm.core.tasks import Task
from litterm.model.events import Event, Notice, OutgoingRequest
from litterm.model.llm import (
    CostEstimate,
    ModelCost,
    ModelReply,
    ModelRequest,
    Question,
    ReplyMismatch,
    StructuredReply,
)
from litterm.text.llm.reply_json import read_form

T = TypeVar("T")
Reply = Callable[[ModelRequest], str]


@dataclass
class ScriptedModel:
    """Replies with what `reply` returns, or raises what it raises; keeps the requests. Answers the last one first."""

    reply: Reply
    requests: list[ModelRequest] = field(default_factory=list)
    name: str = "parrot"
    host: str = "localhost"
    local: bool = True
    at_once: int = 1
    closed: bool = False

    def start_run(self, *, fresh: bool = False) -> ScriptedModel:
        return self

    def start_item(self) -> ScriptedModel:
        return self

    def ask(self, request: ModelRequest, *, stream: bool = False) -> Task[ModelReply]:
        self.requests.append(request)
        yield Notice("")
        return ModelReply(self.reply(request), self.name, "stop")

    def answer(self, question: Question[T]) -> Task[StructuredReply[T]]:
        reply = yield from self.ask(question.request)
        dropped: list[str] = []
        try:
            value = read_form(reply.text, question.form, dropped)
        except ReplyMismatch as misfit:
            raise ReplyUnreadable(f"The model's reply cannot be read: {misfit}") from misfit
        return StructuredReply(value, reply, "text", dropped=tuple(dropped))

    def answer_all(
        self,
        questions: Sequence[Question[T]],
        heard: Callable[[int, StructuredReply[T] | ModelError], Iterable[Event]] = lambda _number, _outcome: (),
    ) -> Task[tuple[StructuredReply[T] | ModelError, ...]]:
        outcomes: dict[int, StructuredReply[T] | ModelError] = {}
        try:
            for number, question in reversed(tuple(enumerate(questions))):
                try:
                    outcomes[number] = yield from self.answer(question)
                except ModelError as error:
                    outcomes[number] = error
                yield from heard(number, outcomes[number])
        except GeneratorExit:
            self.closed = True
            raise
        return tuple(outcomes[number] for number in sorted(outcomes))

    def estimate(self, requests: Sequence[ModelRequest | Question[object]]) -> CostEstimate:
        return CostEstimate(self.host, self.name, len(requests))

    def total_cost(self) -> ModelCost:
        return ModelCost(len(self.requests))


class DryRunModel(ScriptedModel):
    """Shows what would be sent, and sends nothing."""

    def ask(self, request: ModelRequest, *, stream: bool = False) -> Task[ModelReply]:
        yield OutgoingRequest("\n".join(turn.text for turn in request.messages))
        raise DryRun("Nothing was sent.")
