"""Retries of requests: when the server asks for it, else a little later each time, for a limited time."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from litterm.core.backoff import MAX_WAIT_S, Backoff, OnEvent, ServerPause, describe_failure
from litterm.core.errors import ModelBusy, ModelError, ModelFailed, ModelTimeout, ModelUnreachable, ReplyCut

T = TypeVar("T")
_log = logging.getLogger(__name__)

_BACKOFF = Backoff(first_s=0.5, longest_s=30.0)
_ATTEMPTS: tuple[tuple[type[ModelError], int, str], ...] = (
    (ModelBusy, 6, "receives too many requests"),
    (ModelFailed, 5, "has an internal error"),
    (ModelUnreachable, 3, "cannot be reached"),
    (ReplyCut, 2, "broke off its reply"),
    (ModelTimeout, 2, "did not answer in time"),
)
"""How often a request is sent at most, by what went wrong last; an overloaded server deserves more than a dead one."""
_MAX_LOADING_ATTEMPTS = 40
"""A server that says it is loading the model needs minutes; the total below ends that too."""


def _never(_error: ModelError) -> bool:
    return False


async def retry_request(
    send: Callable[[], Awaitable[T]],
    host: str,
    pause: ServerPause,
    on_event: OnEvent,
    *,
    max_wait_s: float = MAX_WAIT_S,
    will_persist: Callable[[ModelError], bool] = _never,
) -> T:
    """What `send` gives, tried again after trouble that may pass; all waits together take at most `max_wait_s`.

    `will_persist` knows trouble that looks as if it might pass and does not.

    Raises:
        ModelError: trouble that does not pass, or has lasted too long.
    """
    waited_s = 0.0
    reason = f"{host} asked to wait"
    attempt = 0

    while True:
        await pause.wait(reason, on_event)
        attempt += 1
        try:
            return await send()
        except ModelError as error:
            allowed, description = _attempts_allowed(error)
            wait_s = _BACKOFF.wait_s(error.retry_after_s, attempt, pause.clock)
            if attempt >= allowed or waited_s + wait_s > max_wait_s or will_persist(error):
                raise _last_error(error, attempt) from error
            _log.info("%s: %s; attempt %d follows in %.1f s", host, type(error).__name__, attempt + 1, wait_s)
            reason = f"{host} {description}"
            waited_s += wait_s
            pause.lengthen(wait_s)


def _attempts_allowed(error: ModelError) -> tuple[int, str]:
    if isinstance(error, ModelFailed) and "loading" in error.server_text:
        return _MAX_LOADING_ATTEMPTS, "is loading the model"
    return next(
        ((max_attempts, description) for kind, max_attempts, description in _ATTEMPTS if isinstance(error, kind)),
        (1, ""),
    )


def _last_error(error: ModelError, attempt: int) -> ModelError:
    requested_s = error.retry_after_s
    text = describe_failure(str(error), attempt, requested_s)
    return type(error)(text, status=error.status, retry_after_s=requested_s, server_text=error.server_text)
