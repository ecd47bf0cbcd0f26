"""Answers kept on disk: fresh ones are given without asking, older ones are asked for with their validators.

One file per request, named by the SHA-256 of its address without secrets. Challenges, refusals and server trouble are
never kept; that a service does not have something is, for a day.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from litterm.core.filesystem import replace_bytes
from litterm.services.http.messages import DAY_S, Request, ServiceResponse

_log = logging.getLogger(__name__)
_MAGIC = b"LTWEB1\n"
_VALIDATORS = {"etag": "if-none-match", "last-modified": "if-modified-since"}
_MAX_ANSWER_BYTES = 8 << 20
"""Bytes up to which an answer is kept; what is larger has a place of its own."""
MISSING_FRESH_S = DAY_S
MAX_CACHE_BYTES = 512 << 20
"""Of all answers together, as seen once a day."""
_MAX_UNUSED_S = 90 * DAY_S
"""Since it was last asked for: far beyond the time for which any is fresh, as its validators may save a download."""
_SWEEP_STAMP = "swept"
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """An answer with when it came, in seconds since 1970."""

    answer: ServiceResponse
    at: float

    @property
    def validators(self) -> tuple[tuple[str, str], ...]:
        """Request headers that ask whether it still holds."""
        headers = self.answer.headers
        return tuple(
            (request_header, headers[name]) for name, request_header in _VALIDATORS.items() if headers.get(name)
        )


class AnswerCache:
    """A folder of answers, shared by every running litterm: files appear whole."""

    def __init__(self, folder: Path, clock: Callable[[], float], *, most_bytes: int = MAX_CACHE_BYTES) -> None:
        self._folder = folder
        self._clock = clock
        self._most_bytes = most_bytes

    def get(self, request: Request) -> CachedResponse | None:
        """The cached answer to `request`, however old; `None` if there is none or its file is damaged.

        Of a request whose answers are not kept it is at most that the service did not have it.
        """
        try:
            path = self._path(request)
            content = path.read_bytes()
            if not content.startswith(_MAGIC):
                return None
            head, _, body = content[len(_MAGIC) :].partition(b"\n")
            fields = json.loads(head)
            headers: Mapping[str, str] = {str(name): str(value) for name, value in fields["headers"].items()}
            self._mark_used(path)
            answer = ServiceResponse(str(fields["url"]), int(fields["status"]), body, headers, kept=True)
            return CachedResponse(answer, float(fields["at"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            _log.warning("a kept answer of %s cannot be read and is asked for again", request.host)
            return None

    def _mark_used(self, path: Path) -> None:
        """Updates the time of last use, by which old answers are removed."""
        with suppress(OSError):
            os.utime(path, (self._clock(), self._clock()))

    def is_fresh(self, request: Request, cached: CachedResponse) -> bool:
        """Whether it can be used without asking the service."""
        age_s = self._clock() - cached.at
        limit_s = MISSING_FRESH_S if cached.answer.status == _NOT_FOUND else request.fresh_s
        # A time in the future comes from a clock that has been set back since: the age of the answer is unknown.
        return 0 <= age_s < min(limit_s, request.fresh_s)

    def put(self, request: Request, answer: ServiceResponse) -> None:
        """Keeps `answer`; without room it is simply not kept."""
        # What a POST asks for is in its body: status 404 then refers to the address.
        missing = answer.status == _NOT_FOUND and request.method == "GET"
        if not (request.keep or missing) or len(answer.body) > _MAX_ANSWER_BYTES:
            return
        fields = {"url": answer.url, "status": answer.status, "headers": dict(answer.headers), "at": self._clock()}
        head = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii")
        path = self._path(request)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._sweep()
            replace_bytes(path, _MAGIC + head + b"\n" + answer.body)
        except OSError as error:
            _log.warning("an answer cannot be kept: %s", error.strerror)

    def _sweep(self) -> None:
        """Once a day: drops answers unused for a long time, and the oldest where there are too many.

        Raises:
            OSError: the folder cannot be written to.
        """
        stamp, now_s = self._folder / _SWEEP_STAMP, self._clock()
        if stamp.exists() and abs(now_s - stamp.stat().st_mtime) < DAY_S:
            return
        # First, so that two processes do not sweep at once and one that fails does not try with every answer.
        stamp.touch()
        os.utime(stamp, (now_s, now_s))
        answers = sorted(_list_answers(self._folder))
        total = sum(size for _, size, _ in answers)
        for changed_at, size, path in answers:
            if total <= self._most_bytes and changed_at >= now_s - _MAX_UNUSED_S:
                break
            path.unlink(missing_ok=True)
            total -= size

    def _path(self, request: Request) -> Path:
        # Secrets are in neither: a new key must find the old answers, and no file may reveal it.
        body = json.dumps([request.json, request.form], sort_keys=True, default=str)
        key = hashlib.sha256(f"{request.method} {request.address} {body}".encode()).hexdigest()
        return self._folder / key[:2] / f"{key}.answer"


def _list_answers(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """When each answer was last asked for, its bytes and its file; without what another litterm removes meanwhile."""
    for path in folder.glob("*/*.answer"):
        try:
            status = path.stat()
        except FileNotFoundError:
            continue
        yield status.st_mtime, status.st_size, path
