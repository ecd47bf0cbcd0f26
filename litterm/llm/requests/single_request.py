"""One request and its reply, whole or as a stream, within a time limit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from litterm.core.backoff import MAX_WAIT_S, OnEvent
from litterm.core.errors import (
    ModelError,
    ModelTimeout,
    NoModelServer,
    ReplyCut,
    ReplyTooLong,
    ReplyUnreadable,
    ReplyWithheld,
)
from litterm.llm.budget import Prices
from litterm.llm.endpoint import Endpoint
from litterm.llm.requests.chat_json import ChatRequest, PartialReply, WireReply, read_reply
from litterm.llm.requests.client import Client
from litterm.llm.requests.error_mapping import UNREADABLE, ErrorAnswer, model_error
from litterm.model.events import ReplyPiece

_log = logging.getLogger(__name__)
TOTAL_TIMEOUT_FACTOR = 3.0
"""A whole reply may take this many times as long as the silence between two of its bytes."""


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """Which model, where, on what terms."""

    endpoint: Endpoint
    model: str
    prices: Prices
    timeout_s: float
    concurrency: int
    max_wait_s: float = MAX_WAIT_S


class SingleRequest:
    """Sends a request once, and reads what comes as a reply or as an error."""

    def __init__(self, target: ModelTarget, client: Client) -> None:
        self._target = target
        self._client = client

    async def send(
        self, chat_request: ChatRequest, address: str, body: Mapping[str, object], on_event: OnEvent
    ) -> WireReply:
        """The reply to `body`.

        Raises:
            ModelError: there is none.
        """
        host, longest_s = self._target.endpoint.label, TOTAL_TIMEOUT_FACTOR * self._target.timeout_s
        try:
            async with asyncio.timeout(longest_s):
                return await (self._receive_stream if chat_request.stream else self._receive_whole)(
                    address, body, on_event
                )
        except TimeoutError as error:
            raise ModelTimeout(f"{host} did not finish its reply within {longest_s:g} s.") from error
        except ReplyWithheld as error:
            raise ReplyWithheld(f"{self._target.model} at {host} {error}.") from error
        except UNREADABLE as error:
            # Whatever is in a reply was written by others: what it breaks here is its own fault.
            _log.warning("a reply of %s cannot be read", host, exc_info=error)
            raise ReplyUnreadable(f"{host} sent a reply that cannot be read ({type(error).__name__}).") from error

    async def _receive_whole(self, address: str, body: Mapping[str, object], _tell: OnEvent) -> WireReply:
        payload = await self._client.post(address, body)
        self._must_be_reply(payload)
        try:
            return read_reply(payload)
        except ReplyWithheld:
            raise
        except ReplyTooLong as error:
            raise self._too_long(error) from error
        except ModelError as error:
            raise NoModelServer(f"What {self._target.endpoint.label} answers {error}; check model.base_url.") from error

    async def _receive_stream(self, address: str, body: Mapping[str, object], on_event: OnEvent) -> WireReply:
        partial = PartialReply()
        host = self._target.endpoint.label
        async for chunk in self._client.stream(address, body):
            self._must_be_reply(chunk)
            try:
                text, thought = partial.add_chunk(chunk)
            except ReplyTooLong as error:
                raise self._too_long(error) from error
            # Reasoning first, since a chunk that has both ends the one and begins the other.
            for piece, reasoning in ((thought, True), (text, False)):
                if piece:
                    on_event(ReplyPiece(piece, reasoning))
        if partial.finish is None:
            raise ReplyCut(f"{host} broke off its reply in the middle.")
        return partial.to_reply()

    def _too_long(self, error: ReplyTooLong) -> ReplyTooLong:
        return ReplyTooLong(f"{self._target.model} at {self._target.endpoint.label} {error}.")

    def _must_be_reply(self, payload: object) -> None:
        """Errors that come with a good status.

        Raises:
            ModelError: it is one.
        """
        if isinstance(payload, str):
            raise self._error_of(200, payload)
        if isinstance(payload, dict):
            choices = payload.get("choices")
            first = choices[0] if isinstance(choices, list) and choices else None
            nested = first.get("error") if isinstance(first, dict) else None
            fault = payload.get("error") or nested
            if fault:
                raise self._error_of(None, fault)

    def _error_of(self, status: int | None, payload: object) -> ModelError:
        return model_error(ErrorAnswer(status, payload), self._target.endpoint, self._target.model, self._client.secret)
