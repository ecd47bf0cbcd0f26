from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_web_server import WebServer
from web_doors import WebClock, opened, serving

from litterm.settings.secrets import Key
from litterm.sources.door import Door


@pytest.fixture
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


@pytest.fixture
def clock() -> WebClock:
    return WebClock()


@pytest.fixture
def door(tmp_path: Path, server: WebServer, clock: WebClock) -> Iterator[Door]:
    with opened(tmp_path, server, clock=clock) as door:
        yield door


@pytest.fixture
def no_key() -> Key:
    return Key("none", "none")
