"""The endpoint of a model: from the address that the user pasted to the addresses that may be meant."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_KNOWN_PATHS = re.compile(r"/(chat/completions|completions|models|embeddings)/?$")
_VERSIONED = re.compile(r"/v\d+[a-z]*$")
_DEFAULT_PORTS = {"http": 80, "https": 443}


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
