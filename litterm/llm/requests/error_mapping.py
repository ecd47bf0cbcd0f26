"""Maps an error answer of a model server to the right kind of `ModelError` with one plain sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from litterm.core.errors import (
    ContextOverflow,
    KeyRefused,
    ModelBusy,
    ModelError,
    ModelFailed,
    ModelUnknown,
    NoCredit,
    NoModelServer,
    RequestRefused,
)
from litterm.llm.endpoint import Endpoint
from litterm.text.escape import plain
from litterm.text.redaction import without_secret

_MAX_MESSAGE_CHARACTERS = 200
_MAX_SERVER_TEXT = 4000
_MIN_SECRET_PIECE, _LONG_SECRET_PIECE = 4, 8
"""Characters of a key in a row that are taken out: OpenAI itself echoes the last four."""
_MAX_DEPTH = 20
"""Objects within objects of an error that are looked into."""
_OVERFLOW = re.compile(
    r"context[ _](length|size|window)|too many tokens|input is too (large|long)|prompt is too long|maximum context"
)
_NO_MODEL = re.compile(
    r"model.{0,80}(not[ _]found|not exist)|(no such|invalid|unknown) model|deployment.{0,40}not ?(found|exist)"
)
_NO_CREDIT = re.compile(r"insufficient[ _](quota|credit|funds|balance)|billing|exceeded your current quota")
_SECRET = re.compile(
    r"\b(?:sk|pk|gsk|xai|hf|org|proj|key)[-_][\w*.…-]{3,}|\bAIza[\w-]{6,}|(?<=Bearer )\S+", re.IGNORECASE
)
_PAGE = re.compile(r"^\s*(?:<!doctype|<html|<\?xml|<head|<body)", re.IGNORECASE)
# Only the port distinguishes Ollama from other servers, as all use OpenAI's protocol.
_OLLAMA_PORT = ":11434"
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What an answer of an odd make can set off in whatever reads it."""


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """An answer that is no reply."""

    status: int | None
    """`None`: it came in the middle of a stream."""
    payload: object
    """Decoded JSON, or the text where it is none."""
    retry_after_s: float | None = None


def model_error(answer: ErrorAnswer, endpoint: Endpoint, model: str, secret: str) -> ModelError:
    """The kind of trouble this is; its text names the server, never the key `secret`."""
    message = redact(_message_in(answer.payload), secret)
    # Nobody is shown this one, and a clue such as a parameter's name may be in a key by chance.
    server_text = redact(_all_texts(answer.payload), secret, longest=_MAX_SERVER_TEXT, piece=_LONG_SECRET_PIECE).lower()
    status = answer.status or _status_in(answer.payload)
    page = isinstance(answer.payload, str) and bool(_PAGE.match(answer.payload))
    kind, sentence = _kind_and_sentence(status, server_text, page, endpoint, model)
    quoted = f' It says: "{message}"' if message and not page else ""
    return kind(f"{sentence}{quoted}", status=status, retry_after_s=answer.retry_after_s, server_text=server_text)


def redact(text: str, secret: str, *, longest: int = _MAX_MESSAGE_CHARACTERS, piece: int = _MIN_SECRET_PIECE) -> str:
    """`text` on one line without the API key, longer pieces of it, or anything that looks like a key."""
    # Made plain first: an invisible character may be in the middle of the key.
    line = _SECRET.sub("…", without_secret(plain(text), secret, piece)).strip()
    return line if len(line) <= longest else f"{line[:longest]}…"


def _kind_and_sentence(
    status: int | None, server_text: str, page: bool, endpoint: Endpoint, model: str
) -> tuple[type[ModelError], str]:
    host = endpoint.label
    # Words before the status: servers send these with 400, 413, 422 or 500.
    if _OVERFLOW.search(server_text):
        return ContextOverflow, f"The text is longer than {model} at {host} can read at once."
    if status == 402 or _NO_CREDIT.search(server_text):
        return NoCredit, f"The account at {host} has no credit left."
    match status:
        case 401 | 403:
            hint = "set LITTERM_API_KEY, or run `litterm config model`"
            return KeyRefused, f"{host} refuses the key, or requires one: {hint}."
        case 429:
            return ModelBusy, f"{host} receives too many requests."
        case 404 | 400 | 422 if not page and _NO_MODEL.search(server_text):
            pull = f": run `ollama pull {model}`" if host.endswith(_OLLAMA_PORT) else ""
            return ModelUnknown, f"{host} has no model {model!r}{pull}."
        case 404 | 405:
            return NoModelServer, f"{host} has no OpenAI-compatible interface at this address; check model.base_url."
        case 408 | 409 | 425:
            return ModelFailed, f"{host} did not take the request in time (HTTP {status})."
        case _:
            return _kind_by_range(status, page, host)


def _kind_by_range(status: int | None, page: bool, host: str) -> tuple[type[ModelError], str]:
    if status is None or status >= 500:
        number = f" (HTTP {status})" if status else ""
        return ModelFailed, f"{host} has an internal error{number}."
    if page or 300 <= status < 400:
        action = "sends requests elsewhere" if status != 200 and not page else "answers with a web page instead of JSON"
        return NoModelServer, f"{host} {action}; check model.base_url."
    if status == 200:
        return NoModelServer, f"{host} answers with something other than JSON; check model.base_url."
    return RequestRefused, f"{host} refuses the request (HTTP {status})."


def _message_in(payload: object, depth: int = 0) -> str:
    """The message for people in an error body of any dialect."""
    if isinstance(payload, str):
        return payload
    if not isinstance(payload, dict) or depth > _MAX_DEPTH:
        return ""
    for key in ("message", "error", "detail", "msg"):
        inner = payload.get(key)
        if inner:
            return _message_in(inner, depth + 1)
    return ""


def _status_in(payload: object, depth: int = 0) -> int | None:
    """An HTTP status that is in the body only."""
    if not isinstance(payload, dict) or depth > _MAX_DEPTH:
        return None
    code = payload.get("code")
    if isinstance(code, str) and code.isdecimal() and len(code) <= 3:
        code = int(code)
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return _status_in(payload.get("error"), depth + 1)


def _all_texts(payload: object, depth: int = 0) -> str:
    """Every name and word of an error body: clues such as the parameter at fault may be anywhere."""
    if isinstance(payload, dict) and depth < 4:
        return " ".join(f"{key} {_all_texts(value, depth + 1)}" for key, value in payload.items())
    if isinstance(payload, list) and depth < 4:
        return " ".join(_all_texts(value, depth + 1) for value in payload[:20])
    return str(payload) if isinstance(payload, str | int) else ""
