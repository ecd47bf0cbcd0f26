"""Maps errors of litterm to a status and a sentence, and on the client back to their types."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from dataclasses import dataclass

from litterm.core.errors import (
    AmbiguousPaper,
    AsksTooMuch,
    BadInput,
    DiskFull,
    LibraryServerBusy,
    LibraryServerError,
    LittermError,
    QueryError,
    Stopped,
    TokenRefused,
    UnknownPaper,
    UsageError,
)
from litterm.server.protocol.codec import NotDecodable
from litterm.server.protocol.disk_paths import hide_folders

OK, BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 200, 400, 401, 403, 404
REQUEST_TIMEOUT, TOO_LARGE, TOO_MANY = 408, 413, 429
SERVER_ERROR, BUSY, TIMEOUT = 500, 503, 504
NO_ROUTE = "NoRoute"
"""Type of the error for an unknown path, which means that the client's address is wrong."""
_CLIENT_ERRORS: tuple[tuple[type[LittermError], int], ...] = (
    (UnknownPaper, NOT_FOUND),
    (AmbiguousPaper, BAD_REQUEST),
    (QueryError, BAD_REQUEST),
    (AsksTooMuch, BAD_REQUEST),
    (UsageError, BAD_REQUEST),
    (BadInput, BAD_REQUEST),
)
"""Errors that the client caused, with their status; their message is sent as it is."""
_MAX_SENTENCE_CHARS = 1_000
_MAX_PLACE = 1_000_000
"""In characters; no query is as long."""
_DISK_FULL_MESSAGE = "The disk of the server is full, and nothing was stored; tell whoever runs it."
_BROKEN_MESSAGE = "The server cannot answer this now; its log says why. Try again, or tell whoever runs it."
_SLOW_MESSAGE = "The answer took longer than the server allows; ask for less at once."


@dataclass(frozen=True, slots=True)
class ServerFault:
    """The error response of a request."""

    status: int
    kind: str
    """The name of the error's type."""
    message: str
    retry_after_s: int = 0
    start: int = 0
    end: int = 0
    """Of an error in a query, the characters at fault."""

    def content(self) -> bytes:
        """The body of the response."""
        fields: dict[str, object] = {"type": self.kind, "message": self.message}
        if self.end:
            fields.update(start=self.start, end=self.end)
        return json.dumps({"error": fields}).encode()


class Refused(Exception):
    """A request is refused for a reason that has nothing to do with the library."""

    def __init__(self, status: int, kind: str, message: str, *, retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.fault = ServerFault(status, kind, message, retry_after_s)


def fault_of(error: Exception) -> ServerFault:
    """The fault sent for `error`; of errors inside the server the client learns no details."""
    if isinstance(error, Refused):
        return error.fault
    if isinstance(error, NotDecodable):
        return ServerFault(BAD_REQUEST, "UsageError", abridged(f"The request cannot be read: {error}."))
    for kind, status in _CLIENT_ERRORS:
        if isinstance(error, kind):
            span = (error.start, error.end) if isinstance(error, QueryError) else (0, 0)
            return ServerFault(status, kind.__name__, abridged(hide_folders(str(error))), 0, *span)
    if isinstance(error, Stopped):
        return ServerFault(TIMEOUT, "LibraryServerError", _SLOW_MESSAGE)
    # An upload that does not fit is no error of the library yet.
    full = isinstance(error, DiskFull) or (isinstance(error, OSError) and error.errno == errno.ENOSPC)
    return ServerFault(SERVER_ERROR, "LibraryServerError", _DISK_FULL_MESSAGE if full else _BROKEN_MESSAGE)


def abridged(sentence: str) -> str:
    """`sentence` without its middle, if it is long: what was asked is quoted there, the next step is at the end."""
    if len(sentence) <= _MAX_SENTENCE_CHARS:
        return sentence
    half = _MAX_SENTENCE_CHARS // 2
    return f"{sentence[:half]} ... {sentence[-half:]}"


def error_of(status: int, fields: Mapping[str, object], url: str) -> LittermError:
    """The error that a response with `status` stands for; `fields` are those of the error in its body, if any."""
    kind, message = _text(fields.get("type")), abridged(_text(fields.get("message")))
    if status in (UNAUTHORIZED, FORBIDDEN):
        return TokenRefused(message or f"The server {url} refused the token; ask whoever runs it for another one.")
    if status in (TOO_MANY, BUSY):
        return LibraryServerBusy(message or f"The server {url} has too much to do; try again in a minute.")
    if kind == QueryError.__name__:
        start, end = _place(fields.get("start")), _place(fields.get("end"))
        return QueryError(message, start=start, end=max(start, end))
    # Only types that a server sends: a name in its answer must not choose among all errors of litterm.
    same = {error_type.__name__: error_type for error_type, _ in _CLIENT_ERRORS if error_type is not QueryError}
    if kind in same and message:
        return same[kind](message)
    if kind == NO_ROUTE:
        message = ""
    return LibraryServerError(message or f"The server {url} answered with status {status}; is it a litterm server?")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _place(value: object) -> int:
    """The place of a character in a query; what is none is its beginning."""
    return value if type(value) is int and 0 <= value <= _MAX_PLACE else 0
