"""Replies of a given form: asked for in the strictest way the endpoint accepts, validated always, repaired once."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from litterm.core.backoff import OnEvent
from litterm.core.errors import ReplyCut, ReplyUnreadable
from litterm.llm.budget import RunBudget
from litterm.llm.cache import CachedReply, ReplyCache, cache_key
from litterm.llm.endpoint import CapabilityStore
from litterm.llm.requests.chat_json import ChatRequest
from litterm.llm.requests.dispatcher import RequestSender
from litterm.llm.requests.error_mapping import UNREADABLE
from litterm.llm.requests.single_request import ModelTarget
from litterm.model.llm import (
    Message,
    ModelReply,
    ModelRequest,
    OutputMode,
    Question,
    ReplyForm,
    ReplyMismatch,
    StructuredReply,
    Usage,
)
from litterm.text.llm.prompts import phrase
from litterm.text.llm.reply_json import json_values, read_form, read_from_reasoning

T = TypeVar("T")
_MAX_QUOTE_CHARACTERS = 8000
"""Characters of a faulty reply that are shown to the model again."""


class Requester:
    """Requests answered from what is kept, or else by sending them."""

    def __init__(
        self, target: ModelTarget, sender: RequestSender, capabilities: CapabilityStore, replies: ReplyCache
    ) -> None:
        self.target = target
        self.capabilities = capabilities
        self.replies = replies
        self._sender = sender

    async def ask(self, chat_request: ChatRequest, run: RunBudget, on_event: OnEvent) -> ModelReply:
        """The model's next turn."""
        key = cache_key(chat_request, self.target.model)
        # Also a cached reply is counted: an agent that asks the same again and again goes in a loop, paid for or not.
        run.count_request(key)
        cached = None if run.fresh else self.replies.get(key)
        if cached is not None:
            return cached.reply
        reply, rung = await self._sender.send(chat_request, run, on_event)
        if reply.finish_reason == "length" and not reply.text and not reply.calls:
            raise ReplyCut(self._no_room(chat_request.request))
        # An empty reply that was cut is not kept: with more room, or on another day, there may be one.
        self._cache_reply(key, CachedReply(reply, rung), chat_request)
        return reply

    async def answer(
        self, question: Question[T], temperature: float, run: RunBudget, on_event: OnEvent
    ) -> StructuredReply[T]:
        """A reply that has the form asked for."""
        chat_request = ChatRequest(question.request, question.form, temperature)
        key = cache_key(chat_request, self.target.model)
        run.count_request(key)
        cached = None if run.fresh else self.replies.get(key)
        if cached is not None:
            try:
                return _read(cached.reply, question.form, cached.rung, repaired=cached.repaired)
            except ReplyMismatch:
                # A form may have become stricter in what no schema can say.
                pass
        answer = await self._ask_in_form(chat_request, question.form, run, on_event)
        self._cache_reply(key, CachedReply(answer.reply, answer.output_mode, answer.repaired), chat_request)
        return answer

    async def _ask_in_form(
        self, chat_request: ChatRequest, form: ReplyForm[T], run: RunBudget, on_event: OnEvent
    ) -> StructuredReply[T]:
        chat_request = replace(chat_request, in_words=self.capabilities.in_words)
        reply, rung = await self._sender.send(chat_request, run, on_event)
        try:
            return _read(reply, form, rung)
        except ReplyMismatch as mismatch:
            next_request = (
                self._with_more_tokens(chat_request)
                if reply.finish_reason == "length"
                else _repair(chat_request, reply, mismatch)
            )
        second, rung = await self._sender.send(next_request, run, on_event)
        combined = _add_up(reply, second)
        try:
            answer = _read(combined, form, rung, repaired=True)
        except ReplyMismatch as mismatch:
            raise self._unusable_error(chat_request, second, mismatch) from mismatch
        if reply.finish_reason != "length" and rung != "text" and reply.text and not any(json_values(reply.text)):
            # It was given a schema and answered in prose. It is no refusal, and may have been chance: from now on this
            # process says the form in words, too, and continues asking for it in the strictest way.
            self.capabilities.in_words = True
        return answer

    def _with_more_tokens(self, chat_request: ChatRequest) -> ChatRequest:
        """The same with twice the room; a conversation about a reply that was cut would be cut again."""
        return replace(
            chat_request, request=replace(chat_request.request, max_tokens=2 * chat_request.request.max_tokens)
        )

    def _unusable_error(
        self, chat_request: ChatRequest, reply: ModelReply, mismatch: ReplyMismatch
    ) -> ReplyCut | ReplyUnreadable:
        if reply.finish_reason == "length":
            return ReplyCut(self._no_room(self._with_more_tokens(chat_request).request))
        model_words = f"{self.target.model} at {self.target.endpoint.label}"
        fault = str(mismatch)
        return ReplyUnreadable(
            f"{model_words} was asked twice, and neither reply has the requested form. {fault[:1].upper()}{fault[1:]}"
        )

    def _no_room(self, request: ModelRequest) -> str:
        return f"{self.target.model} used up its {request.max_tokens:,} tokens before its reply was complete."

    def _cache_reply(self, key: str, cached: CachedReply, chat_request: ChatRequest) -> None:
        self.replies.put(key, cached, purpose=chat_request.request.purpose, host=self.target.endpoint.label)


def _read(reply: ModelReply, form: ReplyForm[T], rung: OutputMode, *, repaired: bool = False) -> StructuredReply[T]:
    dropped: list[str] = []
    try:
        value = _read_value(reply, form, dropped)
    except ReplyMismatch:
        raise
    except UNREADABLE as error:
        raise ReplyMismatch("The reply cannot be read.") from error
    return StructuredReply(value, reply, rung, repaired, tuple(dropped))


def _read_value(reply: ModelReply, form: ReplyForm[T], dropped: list[str]) -> T:
    is_cut = reply.finish_reason == "length"
    if reply.text or is_cut:
        return read_form(reply.text, form, dropped, cut=is_cut)
    if reply.calls:
        raise ReplyMismatch("The reply calls a function instead of being one JSON object.")
    return read_from_reasoning(reply.reasoning, form, dropped)


def _repair(chat_request: ChatRequest, reply: ModelReply, mismatch: ReplyMismatch) -> ChatRequest:
    """One more turn: the model's own words, and what is wrong with them."""
    form = chat_request.form
    assert form is not None
    turns = (
        Message("assistant", reply.text[:_MAX_QUOTE_CHARACTERS] or "{}"),
        Message("user", phrase("repair", fault=str(mismatch), example=form.shape.example())),
    )
    messages = (*chat_request.request.messages, *turns)
    return replace(chat_request, request=replace(chat_request.request, messages=messages), described=True)


def _add_up(first: ModelReply, second: ModelReply) -> ModelReply:
    """The second reply, with what both have cost."""
    usage = Usage(
        first.usage.prompt_tokens + second.usage.prompt_tokens,
        first.usage.reply_tokens + second.usage.reply_tokens,
        first.usage.approximate or second.usage.approximate,
    )
    known = first.dollars is not None and second.dollars is not None
    return replace(second, usage=usage, dollars=(first.dollars or 0.0) + (second.dollars or 0.0) if known else None)
