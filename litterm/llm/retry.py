"""Trying again: when the server asked for it, else a little later each time; told while it lasts, never for ever."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from litterm.errors import ModelBusy, ModelError, ModelFailed, ModelTimeout, ModelUnreachable, ReplyCut
from litterm.patience import Pause, Pulse, Tell

T = TypeVar("T")
_log = logging.getLogger(__name__)

_FIRST_S = 0.5
_LONGEST_S = 30.0
_JITTER = 0.25
"""Share by which a wait is shortened at random, so that several callers do not come back at once."""
_ATTEMPTS: tuple[tuple[type[ModelError], int, str], ...] = (
    (ModelBusy, 6, "gets too many requests"),
    (ModelFailed, 5, "has trouble of its own"),
    (ModelUnreachable, 3, "cannot be reached"),
    (ReplyCut, 2, "broke off its reply"),
    (ModelTimeout, 2, "did not answer in time"),
)
"""How often a request is sent at most, by what went wrong last; an overloaded server deserves more than a dead one."""
_LOADING_ATTEMPTS = 40
"""A server that says it is loading the model needs minutes; the total below ends that too."""
PATIENCE_S = 120.0
"""All waits of one request together; a server that asks for more is not waited for."""


def _may_pass(_error: ModelError) -> bool:
    return False


async def persist(
    send: Callable[[], Awaitable[T]],
    host: str,
    pause: Pause,
    tell: Tell,
    *,
    patience_s: float = PATIENCE_S,
    lasting: Callable[[ModelError], bool] = _may_pass,
) -> T:
    """What `send` gives, tried again after trouble that may pass; waits at most `patience_s` in all.

    `lasting` knows trouble that looks as if it might pass and does not.

    Raises:
        ModelError: trouble that does not pass, or has lasted too long.
    """
    waited_s = 0.0
    why = f"{host} asked for patience"
    attempt = 0
    while True:
        await pause.over(why, tell)
        attempt += 1
        try:
            return await send()
        except ModelError as error:
            allowed, what = _patience(error)
            wait_s = _wait_s(error, attempt, pause.pulse)
            if attempt >= allowed or waited_s + wait_s > patience_s or lasting(error):
                raise _given_up(error, attempt) from error
            _log.info("%s: %s; attempt %d follows in %.1f s", host, type(error).__name__, attempt + 1, wait_s)
            why = f"{host} {what}"
            waited_s += wait_s
            pause.lengthen(wait_s)


def _patience(error: ModelError) -> tuple[int, str]:
    if isinstance(error, ModelFailed) and "loading" in error.told:
        return _LOADING_ATTEMPTS, "is loading the model"
    return next(((most, what) for kind, most, what in _ATTEMPTS if isinstance(error, kind)), (1, ""))


def _wait_s(error: ModelError, attempt: int, pulse: Pulse) -> float:
    if error.retry_after_s is not None:
        return error.retry_after_s
    # 2 ** 16 is far beyond the longest wait; a larger exponent only overflows.
    grown = min(_LONGEST_S, _FIRST_S * 2.0 ** min(attempt - 1, 16))
    return grown * (1.0 - _JITTER * pulse.chance())


def _given_up(error: ModelError, attempt: int) -> ModelError:
    """The last trouble, with what was tried."""
    asked = error.retry_after_s
    if asked is not None and asked > PATIENCE_S:
        text = f"{error} It asks to be left alone for {asked:,.0f} s; try again then."
    elif attempt > 1:
        text = f"{error} Tried {attempt} times."
    else:
        return error
    return type(error)(text, status=error.status, retry_after_s=asked, told=error.told)
