"""Reads from a response how long a service asks clients to wait before the next request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from litterm.core.backoff import PATIENCE_S, retry_after_s
from litterm.core.errors import RateLimited, SourceError

_RESET = re.compile(rb'"resetTime"\s*:\s*"([^"]{10,40})"')
_EPOCH_DIGITS = 9
"""A number of so many digits is a point in time and no count of seconds."""


def later(error: SourceError, headers: Mapping[str, str], now_s: float, body: bytes = b"") -> SourceError:
    """`error` with how long the service asked to be left alone, where its body or its headers say so.

    OpenReview names the time in its body and the seconds in a header of its own, both more exact than the usual one.
    """
    error.retry_after_s = _reset_s(body, now_s)
    if error.retry_after_s is None and isinstance(error, RateLimited):
        error.retry_after_s = _reset_in_s(headers)
    if error.retry_after_s is None:
        error.retry_after_s = retry_after_s(headers, now_s)
    return error


def _reset_in_s(headers: Mapping[str, str]) -> float | None:
    reset = headers.get("ratelimit-reset", "")
    return float(reset) if reset.isdecimal() and len(reset) < _EPOCH_DIGITS else None


def spent_s(headers: Mapping[str, str]) -> float | None:
    """How long to leave a service alone that says that nothing more is allowed now; a long while it may say itself."""
    left_s = _reset_in_s(headers) if headers.get("ratelimit-remaining") == "0" else None
    return left_s if left_s is not None and left_s <= PATIENCE_S else None


def _reset_s(body: bytes, now_s: float) -> float | None:
    match = _RESET.search(body)
    if match is None:
        return None
    try:
        until = datetime.fromisoformat(match.group(1).decode("ascii", "replace"))
    except ValueError:
        return None
    return max(0.0, until.timestamp() - now_s)
