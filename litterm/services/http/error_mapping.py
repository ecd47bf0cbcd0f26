"""Maps a refusal, a wrong body or a broken connection to an error, and reads how long a service asks to wait."""

from __future__ import annotations

import errno
import json
import re
import ssl
from collections.abc import Mapping
from datetime import datetime

import httpx

from litterm.core.backoff import MAX_WAIT_S, retry_after_s
from litterm.core.errors import (
    AuthRequired,
    Challenged,
    Malformed,
    NoNetwork,
    NotFound,
    QuotaExhausted,
    RateLimited,
    RequestFaulty,
    ServiceDown,
    SourceError,
    Unreachable,
)
from litterm.services.http.messages import Expected, Request
from litterm.services.http.rate_limit import rate_limit_of
from litterm.text.escape import plain

_MESSAGE_FIELDS, _MAX_MESSAGE_DEPTH = ("message", "error", "errMsg", "detail"), 3
"""Fields in which services say what is wrong, and how deep they wrap it."""
_MAX_PARSED_BYTES = 1 << 16
"""Bytes: what is longer says nothing, and may take a gigabyte as JSON."""
_MAX_QUOTED_CHARACTERS = 160
"""Characters of what a service says that an error repeats."""
_CHALLENGE = re.compile(
    rb"just a moment|cf-chl|challenge-platform|captcha|turnstile|are you a robot|bot check|verifying your browser", re.I
)
_CHALLENGE_NAME = b"ChallengeRequiredError"
"""OpenReview's own name for it, in JSON."""
_BAD_KEY = re.compile(rb"api[ _-]?key (?:is )?(?:invalid|not valid|unknown)|invalid api[ _-]?key", re.I)
_QUOTA = re.compile(rb"quota|budget|daily limit|insufficient credits|credits? exhausted", re.I)
_MARKUP = re.compile(r"<[^>]{0,300}>")
_SECRETS = re.compile(
    r"(?i)(\b(?:x-)?(?:api[-_]?key|email|mailto|key|token|password|authorization)[\"']?\s*[=:]\s*[\"']?)[^&\s\"'<>,}]+"
)
_FIRST_BYTES: Mapping[Expected, tuple[bytes, ...]] = {
    "json": (b"{", b"["),
    "xml": (b"<",),
    "html": (b"<",),
    "pdf": (b"%PDF-",),
    "gzip": (b"\x1f\x8b",),
}
_STATUS_MEANINGS: Mapping[int, tuple[type[SourceError], str]] = {
    401: (AuthRequired, "{name} requires a key or a login (status {status})."),
    402: (QuotaExhausted, "The quota of {name} is used up (status {status})."),
    403: (AuthRequired, "{name} refuses this request (status {status}): a key may be missing or wrong."),
    404: (NotFound, "{name} does not have it (status {status})."),
    407: (AuthRequired, "The proxy of the environment requires a login (status {status})."),
    408: (ServiceDown, "{name} has an internal error (status {status})."),
    410: (NotFound, "{name} does not have it any more (status {status})."),
    429: (RateLimited, "{name} receives too many requests (status {status})."),
}
_HTML_BEGINNINGS = (b"<!doctype html", b"<html")
_HEAD_BYTES = 1024
"""Bytes in which a PDF may hide its first line, as the format allows."""


def check_status(request: Request, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Raises what a refusing `status` means; `body` may be only its beginning.

    Raises:
        SourceError: always, unless `status` is 2xx.
    """
    if 200 <= status < 300:
        return
    name = rate_limit_of(request.host).owner
    message = _explanation(request, headers, body)
    kind, sentence = _status_error(status, headers, body, name)
    raise kind(f"{sentence}{message}", status=status)


def _status_error(status: int, headers: Mapping[str, str], body: bytes, name: str) -> tuple[type[SourceError], str]:
    # First of all: neither a key nor patience helps against a check for browsers.
    if _CHALLENGE_NAME in body or (status in (403, 429, 503) and _is_page(headers, body) and _CHALLENGE.search(body)):
        return Challenged, f"{name} currently accepts only browsers (status {status})."
    # The same status as "too fast", but waiting a minute does not help: it is over until tomorrow.
    if status == 429 and _QUOTA.search(body):
        return QuotaExhausted, f"The daily quota of {name} is used up (status 429)."
    if status == 400 and _BAD_KEY.search(body):
        return AuthRequired, f"{name} does not accept the key (status 400): correct it, or remove it."
    kind, sentence = _STATUS_MEANINGS.get(status) or (
        (ServiceDown, "{name} has an internal error (status {status}).")
        if status >= 500
        else (RequestFaulty, "{name} does not accept this request (status {status}).")
    )
    return kind, sentence.format(name=name, status=status)


def check_body(request: Request, headers: Mapping[str, str], body: bytes) -> None:
    """Raises unless `body` begins as the expected format must.

    Raises:
        Challenged: it is a page for browsers only.
        Malformed: it is anything else.
    """
    expected = request.expect
    beginnings = _FIRST_BYTES.get(expected)
    if beginnings is None:
        return
    start = body[:_HEAD_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    # By its bytes: what the header says of the type is often wrong.
    fits = b"%PDF-" in body[:_HEAD_BYTES] if expected == "pdf" else start.startswith(beginnings)
    if fits and not (expected == "xml" and start[:20].lower().startswith(_HTML_BEGINNINGS)):
        return
    name = rate_limit_of(request.host).owner
    if start[:20].lower().startswith(_HTML_BEGINNINGS):
        if is_challenge(body):
            raise Challenged(f"{name} currently accepts only browsers.")
        raise Malformed(f"{name} answered with a web page instead of {expected.upper()}.")
    message = _explanation(request, headers, body)
    raise Malformed(f"{name} answered with something other than {expected.upper()}.{message}")


def is_challenge(body: bytes) -> bool:
    """Whether a web page that is not what was asked for is a check for browsers."""
    return _CHALLENGE.search(body[: 64 * _HEAD_BYTES]) is not None


def connection_error(request: Request, error: httpx.TransportError | TimeoutError) -> SourceError:
    """What a broken connection means."""
    name = rate_limit_of(request.host).owner
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return Unreachable(f"{name} ({request.host}) did not answer in time.")
    if (cause := _find_certificate_error(error)) is not None:
        return _untrusted_error(request.host, cause)
    if isinstance(error, httpx.UnsupportedProtocol | httpx.ProxyError):
        return Unreachable(f"{name} cannot be reached through the proxy of the environment.")
    if _has_no_way_out(error):
        return NoNetwork(f"{name} ({request.host}) cannot be reached: is there a network connection?")
    return Unreachable(f"The connection to {name} ({request.host}) failed or broke off.")


def _has_no_way_out(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTUNREACH):
            return True
        error = error.__cause__ or error.__context__
    return False


def _find_certificate_error(error: BaseException | None) -> ssl.SSLError | None:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _untrusted_error(host: str, cause: ssl.SSLError) -> SourceError:
    reason = getattr(cause, "verify_message", "") or cause.reason or "no reason given"
    trouble = SourceError(
        f"{host} is not trusted: {plain(str(reason))}. Behind a company's proxy, name its certificates in"
        " SSL_CERT_FILE; otherwise check the clock of this machine."
    )
    trouble.__cause__ = cause
    return trouble


def _is_page(headers: Mapping[str, str], body: bytes) -> bool:
    return "html" in headers.get("content-type", "") or body[:200].lstrip().lower().startswith(_HTML_BEGINNINGS)


def _explanation(request: Request, headers: Mapping[str, str], body: bytes) -> str:
    """What the service says about it, short and without secrets; empty for a web page."""
    if _is_page(headers, body):
        return ""
    message = (_find_message(_parse_json(body)) if len(body) <= _MAX_PARSED_BYTES else "") or body[:4000].decode(
        "utf-8", "replace"
    )
    text = plain(_MARKUP.sub(" ", message)).strip()
    return f" It says: {redact(text, request)[:_MAX_QUOTED_CHARACTERS]}" if text else ""


def _parse_json(body: bytes) -> object:
    try:
        decoded: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return decoded


def _find_message(error: object, depth: int = 0) -> str:
    """The sentence in an error, which every service wraps in its own way; empty where there is none."""
    if isinstance(error, str):
        return error
    if isinstance(error, list) and error:
        return _find_message(error[0], depth + 1)
    if not isinstance(error, dict) or depth > _MAX_MESSAGE_DEPTH:
        return ""
    return next((text for name in _MESSAGE_FIELDS if (text := _find_message(error.get(name), depth + 1))), "")


def redact(text: str, request: Request) -> str:
    """`text` without the secrets of `request`, nor anything that looks like one."""
    # NCBI repeats the key that it refuses.
    for secret in request.secrets:
        text = text.replace(secret, "…")
    return _SECRETS.sub(r"\1…", text)


_RESET_TIME = re.compile(rb'"resetTime"\s*:\s*"([^"]{10,40})"')
_EPOCH_DIGITS = 9
"""A number of so many digits is a point in time and no count of seconds."""


def with_retry_after(error: SourceError, headers: Mapping[str, str], now_s: float, body: bytes = b"") -> SourceError:
    """`error` with how long the service asked to be left alone, where its body or its headers say so.

    OpenReview names the time in its body and the seconds in a header of its own, both more exact than the usual one.
    """
    error.retry_after_s = _reset_time_s(body, now_s)
    if error.retry_after_s is None and isinstance(error, RateLimited):
        error.retry_after_s = _reset_header_s(headers)
    if error.retry_after_s is None:
        error.retry_after_s = retry_after_s(headers, now_s)
    return error


def _reset_header_s(headers: Mapping[str, str]) -> float | None:
    reset = headers.get("ratelimit-reset", "")
    return float(reset) if reset.isdecimal() and len(reset) < _EPOCH_DIGITS else None


def exhausted_for_s(headers: Mapping[str, str]) -> float | None:
    """How long to leave a service alone that says that nothing more is allowed now; a long while it may say itself."""
    left_s = _reset_header_s(headers) if headers.get("ratelimit-remaining") == "0" else None
    return left_s if left_s is not None and left_s <= MAX_WAIT_S else None


def _reset_time_s(body: bytes, now_s: float) -> float | None:
    match = _RESET_TIME.search(body)
    if match is None:
        return None
    try:
        until = datetime.fromisoformat(match.group(1).decode("ascii", "replace"))
    except ValueError:
        return None
    return max(0.0, until.timestamp() - now_s)
