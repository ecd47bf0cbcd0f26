"""The request to a service and its response, as dataclasses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import quote, urlencode, urlsplit

Expected = Literal["json", "xml", "html", "text", "pdf", "gzip", "any"]
"""What the body must begin like; an answer of another kind is `Malformed`, whatever its status says."""

JSON_TIMEOUT_S, TEXT_TIMEOUT_S, DUMP_TIMEOUT_S = 30.0, 120.0, 300.0
"""Read timeouts in seconds: small answers, full texts, dumps."""
WEEK_S, DAY_S, HOUR_S = 7 * 86_400.0, 86_400.0, 3_600.0
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `secrets` are query parameters and headers that no log, cache key or error ever shows."""

    url: str
    """Absolute, `https` or `http`, percent-encoded (see `quote_segment`)."""
    params: tuple[tuple[str, str], ...] = ()
    method: Literal["GET", "POST"] = "GET"
    json: object = None
    """Body of a POST."""
    form: tuple[tuple[str, str], ...] = ()
    """Body of a POST as a form, instead of `json`."""
    headers: tuple[tuple[str, str], ...] = ()
    secret_params: tuple[tuple[str, str], ...] = ()
    secret_headers: tuple[tuple[str, str], ...] = ()
    expect: Expected = "json"
    most_bytes: int = 32 * MEGABYTE
    """After decompression."""
    read_s: float = JSON_TIMEOUT_S
    fresh_s: float = WEEK_S
    """How long a kept answer stands without asking again; 0 asks always (conditionally where possible)."""
    keep: bool = True
    """Whether the answer may be kept at all."""

    @property
    def host(self) -> str:
        """Lower case, without port."""
        return (urlsplit(self.url).hostname or "").lower()

    @property
    def address(self) -> str:
        """URL with its parameters, the secret ones left out; what logs, cache and errors show."""
        return f"{self.url}?{urlencode(self.params, quote_via=quote)}" if self.params else self.url

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret value, for taking it out of what comes back."""
        return tuple(value for _, value in (*self.secret_params, *self.secret_headers) if value)


@dataclass(frozen=True, slots=True)
class ServiceResponse:
    """A body that is what was expected."""

    url: str
    """Where it finally came from, without secrets."""
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case; only those a source may need (type, validators, limits, disposition)."""
    kept: bool = False
    """Whether it comes from this disk."""

    @property
    def text(self) -> str:
        """The body as UTF-8, whatever the header says; broken bytes become U+FFFD."""
        return self.body.decode("utf-8", "replace")


def quote_path(key: str) -> str:
    """`key` as the end of a path in which slashes stay, unless one of its parts would lead out of it."""
    leads_out = any(part.strip(".") == "" for part in key.split("/"))
    return quote_segment(key) if leads_out else quote(key, safe="/:", errors="replace")


def hashed_file(folder: Path, key: str, ending: str) -> Path:
    """A file in `folder` for what belongs to `key`, which was written by others: named by its hash."""
    return folder / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}{ending}"


def quote_segment(text: str) -> str:
    """`text` as one segment of a path: everything but unreserved characters percent-encoded, the slash too."""
    # A lone surrogate cannot be sent; two dots alone would lead one folder up.
    encoded = quote(text, safe="", errors="replace")
    return encoded.replace(".", "%2E") if not encoded.strip(".") else encoded
