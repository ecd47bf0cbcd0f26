"""The endpoint of a model: the addresses that a pasted one may mean, and what it accepts.

What it accepts is learned from its refusals and remembered on disk, so that each refusal is met once.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from litterm.core.errors import ContextOverflow, KeyRefused, ModelError, NoCredit, RequestRefused, ToolsRefused
from litterm.core.filesystem import replace_text
from litterm.model.llm import OutputMode

_KNOWN_PATHS = re.compile(r"/(chat/completions|completions|models|embeddings)/?$")
_VERSIONED = re.compile(r"/v\d+[a-z]*$")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_log = logging.getLogger(__name__)

RUNGS: tuple[OutputMode, ...] = ("json_schema", "json_object", "text")
_STRUCTURE = re.compile(r"response_format|json_schema|json_object|json mode|grammar|schema|structured|guided")
_UNKNOWN = re.compile(
    r"unsupported|not supported|does not support|unknown|unrecognized|unexpected|extra|not permitted|not allowed"
    r"|only the default|deprecated"
)
_TOO_MANY = re.compile(r"at most|too large|exceed|maximum")
_ABOUT_THE_REQUEST = frozenset((400, 404, 415, 422, 500, 501))
"""Statuses that may mean the manner of a request; some servers fail at a grammar they cannot compile."""
_STEP = 0.05
"""Change of the correction factor that is worth writing down."""
_WEIGHT = 0.2
"""Share of one more call in the correction factor: single requests vary, the tokenizer does not."""
_FACTORS = (0.3, 5.0)
"""Range in which the factor is believed; what a server counts outside of it is a mistake or another unit."""
_AGAIN_S = 86_400.0
"""After this long what was refused is tried again."""
# A time before any other, but not 0, which says that nothing was ever refused.
_EXPIRED_S = 1.0
TokensName = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server with an OpenAI-compatible interface."""

    base_url: str
    """As in the settings."""
    addresses: tuple[str, ...]
    """What may be meant, the likeliest first; `/chat/completions` comes behind."""
    host: str
    """Name of the machine, in lower case."""
    label: str
    """Host and, unless usual, port; for the screen."""
    local: bool
    """Whether it is this machine."""
    open: bool
    """Whether what is sent there can be read on the way."""


def parse_endpoint(base_url: str) -> Endpoint:
    """The endpoint with this address, which `core.settings.options.address` has accepted."""
    # People paste what the documents of their server show: the address of one of its methods.
    bare = _KNOWN_PATHS.sub("", base_url.strip().rstrip("/")).rstrip("/")
    parts = urlsplit(bare)
    host = (parts.hostname or "").rstrip(".")
    local = is_local(host)
    port = "" if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{parts.port}"
    shown = f"[{host}]" if ":" in host else host
    if _VERSIONED.search(parts.path):
        addresses = (bare, _VERSIONED.sub("", bare))
    else:
        # A server's root is hardly ever the interface itself; an address with a path may well be.
        addresses = (f"{bare}/v1", bare) if not parts.path else (bare, f"{bare}/v1")
    return Endpoint(base_url, addresses, host, f"{shown}{port}", local, parts.scheme == "http" and not local)


def is_local(host: str) -> bool:
    """Whether this name or number always means this machine, without asking anybody."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return False
    return number.is_loopback or number.is_unspecified


@dataclass(frozen=True, slots=True)
class EndpointCapabilities:
    """How one model at one endpoint wants to be asked."""

    address: str = ""
    """The one that answered; empty while none has."""
    rung: OutputMode = "json_schema"
    tokens_name: TokensName = "max_tokens"
    temperature: bool = True
    system: bool = True
    """Whether it takes turns of the system; else they go before the user's first."""
    stream_usage: bool = True
    """Whether it takes the wish for token counts in a stream."""
    tools: bool = True
    factor: float = 1.0
    """Tokens the server counted for one that we reckoned."""
    refused_at: float = 0.0
    """When it was last refused something, in seconds since 1970; 0 where it never was."""

    def correct_factor(self, estimated_tokens: int, prompt_tokens: int) -> EndpointCapabilities:
        """With the factor moved towards what one more call has shown."""
        # Short requests say nothing about the tokenizer: a server adds some tokens of its own to each.
        if estimated_tokens < 50 or prompt_tokens < 1:
            return self
        seen = min(max(prompt_tokens / estimated_tokens, _FACTORS[0]), _FACTORS[1])
        return replace(self, factor=round(self.factor + _WEIGHT * (seen - self.factor), 4))


def adapt_capabilities(
    capabilities: EndpointCapabilities, error: ModelError, body: Mapping[str, object]
) -> EndpointCapabilities | None:
    """How to ask after the request `body` was refused with `error`; `None` when that is not about the manner.

    Raises:
        ToolsRefused: the request needs tools, which the model does not have.
    """
    if error.status not in _ABOUT_THE_REQUEST or isinstance(error, ContextOverflow | KeyRefused | NoCredit):
        return None
    server_text = error.server_text
    if "tools" in body and re.search(r"\btools?\b|tool_choice|function call", server_text):
        raise ToolsRefused(f"{error}", status=error.status, server_text=server_text)
    if "response_format" in body and _STRUCTURE.search(server_text):
        return replace(capabilities, rung=RUNGS[RUNGS.index(capabilities.rung) + 1])
    if not isinstance(error, RequestRefused):
        return None
    return _without_parameter(capabilities, server_text, body) or _without_optional(capabilities, body)


def _without_parameter(
    capabilities: EndpointCapabilities, server_text: str, body: Mapping[str, object]
) -> EndpointCapabilities | None:
    if capabilities.tokens_name == "max_tokens" and "max_completion_tokens" in server_text:
        return replace(capabilities, tokens_name="max_completion_tokens")
    if "stream_options" in body and "stream_options" in server_text:
        return replace(capabilities, stream_usage=False)
    if "temperature" in body and "temperature" in server_text:
        return replace(capabilities, temperature=False)
    if (
        capabilities.system
        and re.search(r"\bsystem\b", server_text)
        and re.search(r"role|message|instruction", server_text)
    ):
        return replace(capabilities, system=False)
    if capabilities.tokens_name in server_text and _UNKNOWN.search(server_text) and not _TOO_MANY.search(server_text):
        # Before the plain look for the name: "max_tokens is too large" refuses the value and not the parameter.
        other: TokensName = "max_tokens" if capabilities.tokens_name != "max_tokens" else "max_completion_tokens"
        return replace(capabilities, tokens_name=other)
    return None


def _without_optional(capabilities: EndpointCapabilities, body: Mapping[str, object]) -> EndpointCapabilities | None:
    """With nothing optional: the last try at a server that does not say what it objects to."""
    optional = {"response_format", "temperature", "stream_options"} & body.keys()
    return replace(capabilities, rung="text", temperature=False, stream_usage=False) if optional else None


class CapabilityStore:
    """The capabilities of one model at one endpoint, in a small file of the cache folder; lost without harm."""

    def __init__(self, folder: Path, endpoint: Endpoint, model: str, clock: Callable[[], float] = time.time) -> None:
        # The name of a file must be short and without separators, which addresses have.
        name = hashlib.sha256(f"{endpoint.base_url}\n{model}".encode()).hexdigest()[:16]
        self._path = folder / f"{name}.json"
        self._about = {"base_url": endpoint.base_url, "model": model}
        self._clock = clock
        self._written = self._read()
        self._current = self._written
        self.in_words = False
        """Whether forms are said in words, too: it has ignored a schema once. Never written down."""

    @property
    def current(self) -> EndpointCapabilities:
        """The capabilities as known now; what was refused long ago is tried again, for servers and models change."""
        old = self._clock() - self._current.refused_at
        # A clock that was set back makes the refusal one of the future, which counts as old.
        if self._current.refused_at and not 0 <= old < _AGAIN_S:
            self._current = EndpointCapabilities(address=self._current.address, factor=self._current.factor)
        return self._current

    def forget(self) -> None:
        """Forgets all but the correction factor, so that everything is found out again."""
        self._current = EndpointCapabilities(factor=self._current.factor)

    def store(self, capabilities: EndpointCapabilities) -> None:
        """Remembers capabilities with which a request succeeded; they are written down when they are new."""
        plain = EndpointCapabilities(
            address=capabilities.address, factor=capabilities.factor, refused_at=capabilities.refused_at
        )
        if capabilities == plain:
            capabilities = replace(capabilities, refused_at=0.0)
        elif replace(capabilities, factor=self._current.factor) != self._current or not capabilities.refused_at:
            capabilities = replace(capabilities, refused_at=self._clock())
        self._current = capabilities
        is_unchanged = replace(capabilities, factor=self._written.factor) == self._written
        if is_unchanged and abs(capabilities.factor - self._written.factor) < _STEP:
            return
        body = {
            **self._about,
            **{field.name: getattr(capabilities, field.name) for field in fields(EndpointCapabilities)},
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_text(self._path, json.dumps(body, indent=1))
        except OSError as error:
            _log.warning("cannot remember how %s wants to be asked: %s", self._about["model"], error.strerror)
            return
        self._written = capabilities

    def _read(self) -> EndpointCapabilities:
        try:
            body = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return EndpointCapabilities()
        return _from_json(body) if isinstance(body, dict) else EndpointCapabilities()


def _from_json(body: Mapping[str, object]) -> EndpointCapabilities:
    """The capabilities in a file; a field that cannot be read has its default."""

    def flag(name: str) -> bool:
        return body.get(name) is not False

    address, factor, since = body.get("address"), body.get("factor"), body.get("refused_at")
    sound = isinstance(factor, float) and _FACTORS[0] <= factor <= _FACTORS[1]
    return EndpointCapabilities(
        address=address if isinstance(address, str) else "",
        rung=next((rung for rung in RUNGS if rung == body.get("rung")), "json_schema"),
        tokens_name="max_completion_tokens" if body.get("tokens_name") == "max_completion_tokens" else "max_tokens",
        temperature=flag("temperature"),
        system=flag("system"),
        stream_usage=flag("stream_usage"),
        tools=flag("tools"),
        factor=factor if isinstance(factor, float) and sound else 1.0,
        # A file from before this was written down: what it says was refused at some time long ago.
        refused_at=since if isinstance(since, float) else _EXPIRED_S,
    )
