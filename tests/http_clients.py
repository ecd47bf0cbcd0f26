"""An HTTP client for a local web server, with a clock that only waits when told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trustme
from fakes_web_server import WebServer

from litterm.core.backoff import Clock
from litterm.services.http.client import HttpClient, HttpClientSettings


@dataclass
class WebClock:
    now: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@contextmanager
def serving(certificate: trustme.LeafCert | None = None) -> Iterator[WebServer]:
    server = WebServer(certificate)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def opened(
    folder: Path, *servers: WebServer, clock: WebClock | None = None, offline: bool = False
) -> Iterator[HttpClient]:
    """A client that trusts `servers` and nobody else on this machine."""
    clock = clock or WebClock()
    settings = HttpClientSettings(
        cache=folder / "web",
        version="9.9",
        contact="me@uni.example",
        offline=offline,
        trusted=frozenset(server.netloc for server in servers),
        clock=Clock(lambda: clock.now, clock.sleep, lambda: 0.0),
        now=lambda: clock.now,
    )
    client = HttpClient(settings)
    try:
        yield client
    finally:
        client.close()
