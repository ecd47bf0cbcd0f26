from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_web_server import WebServer
from http_clients import WebClock, opened

from litterm.core import errors
from litterm.core.settings.secrets import ApiKey
from litterm.services.http.client import HttpClient

_NOT_OURS = (errors.Unreachable, errors.ServiceDown, errors.RateLimited, errors.QuotaExhausted, errors.Challenged)
"""What says nothing about a connector: no network, or a service that has trouble or wants to be left alone."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Tests of real services are skipped where these cannot be asked."""
    try:
        return (yield)
    except _NOT_OURS as error:
        if item.get_closest_marker("online") is None:
            raise
        pytest.skip(str(error))


@pytest.fixture
def clock() -> WebClock:
    return WebClock()


@pytest.fixture
def client(tmp_path: Path, server: WebServer, clock: WebClock) -> Iterator[HttpClient]:
    with opened(tmp_path, server, clock=clock) as client:
        yield client


@pytest.fixture
def no_key() -> ApiKey:
    return ApiKey("none", "none")
