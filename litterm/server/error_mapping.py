"""Errors on their way: a type of litterm's to a status and a sentence, and on the other side back to the type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from litterm.core.errors import (
    AmbiguousPaper,
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
from litterm.server.codec import NotDecodable
from litterm.server.disk_paths import without_folders

OK, BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 200, 400, 401, 403, 404
METHOD, TOO_SLOW, TOO_LARGE, MEDIA_TYPE, TOO_MANY = 405, 408, 413, 415, 429
BROKEN, BUSY, TIMEOUT = 500, 503, 504
_TOLD: tuple[tuple[type[LittermError], int], ...] = (
    (UnknownPaper, NOT_FOUND),
    (AmbiguousPaper, BAD_REQUEST),
    (QueryError, BAD_REQUEST),
    (UsageError, BAD_REQUEST),
    (BadInput, BAD_REQUEST),
)
"""Errors of whoever asks, told in their own words."""
_FULL = "The disk of the server is full, and nothing was stored; tell whoever runs it."
_BROKEN = "The server cannot answer this now; its log says why. Try again, or tell whoever runs it."
_SLOW = "The answer took longer than the server allows; ask for less at once."


@dataclass(frozen=True, slots=True)
class ServerFault:
    """What a client is told instead of an answer."""

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
        told: dict[str, object] = {"type": self.kind, "message": self.message}
        if self.end:
            told.update(start=self.start, end=self.end)
        return json.dumps({"error": told}).encode()


class Refused(Exception):
    """A request that is not answered, for a reason that has nothing to do with the library."""

    def __init__(self, status: int, kind: str, message: str, *, retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.fault = ServerFault(status, kind, message, retry_after_s)


def fault_of(error: Exception) -> ServerFault:
    """What the client is told of `error`; of trouble inside the server no more than that there is some."""
    if isinstance(error, Refused):
        return error.fault
    if isinstance(error, NotDecodable):
        return ServerFault(BAD_REQUEST, "UsageError", f"The request cannot be read: {error}.")
    for kind, status in _TOLD:
        if isinstance(error, kind):
            span = (error.start, error.end) if isinstance(error, QueryError) else (0, 0)
            return ServerFault(status, kind.__name__, without_folders(str(error)), 0, *span)
    if isinstance(error, Stopped):
        return ServerFault(TIMEOUT, "LibraryServerError", _SLOW)
    return ServerFault(BROKEN, "LibraryServerError", _FULL if isinstance(error, DiskFull) else _BROKEN)


def error_of(status: int, told: Mapping[str, object], url: str) -> LittermError:
    """The error that a response with `status` stands for; `told` is what its body says of it, empty if nothing."""
    kind, message = str(told.get("type", "")), str(told.get("message", ""))
    if status in (UNAUTHORIZED, FORBIDDEN):
        return TokenRefused(message or f"The server {url} refused the token; ask whoever runs it for another one.")
    if status in (TOO_MANY, BUSY):
        return LibraryServerBusy(message or f"The server {url} has too much to do; try again in a minute.")
    if kind == QueryError.__name__:
        return QueryError(message, start=_whole(told.get("start")), end=_whole(told.get("end")))
    # Only types that a server tells of: a name in its answer must not choose among all of ours.
    same = {each.__name__: each for each, _ in _TOLD if each is not QueryError}
    if kind in same and message:
        return same[kind](message)
    return LibraryServerError(message or f"The server {url} answered with status {status}; is it a litterm server?")


def _whole(told: object) -> int:
    return told if isinstance(told, int) else 0
