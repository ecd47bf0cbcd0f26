"""Connections without a request: how many there may be, and that a user is answered beside them."""

from __future__ import annotations

import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from library_servers import client, served

from litterm.server.http.connections import ConnectionLimits, allow_connections
from litterm.server.http.library_server import LibraryServer
from litterm.server.users.limits import ServerLimits


@contextmanager
def silent(server: LibraryServer, count: int, *, said: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many connections that say `said` and then nothing."""
    place = ("127.0.0.1", int(server.url.rpartition(":")[2]))
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(place, timeout=30)) for _ in range(count)]
        for one in opened:
            one.sendall(said)
        yield opened


def received(one: socket.socket) -> bytes:
    one.settimeout(30)
    content = b""
    while chunk := one.recv(4096):
        content += chunk
    return content


def test_one_address_has_8_connections_of_which_the_ninth_is_told_why(tmp_path: Path) -> None:
    limits = ServerLimits(connections=100, connections_per_address=8)
    with served(tmp_path, limits=limits) as server:
        with silent(server, 8), silent(server, 1) as (ninth,):
            answer = received(ninth)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"Too many connections" in answer
        # Those that are gone are counted no longer.
        with client(server) as asking:
            assert asking.post("/v1/search", json={"query": "pruning"}).status_code == 200


@pytest.mark.parametrize("said", [b"", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /v1/search HT"])
def test_beside_300_idle_connections_a_user_is_answered(tmp_path: Path, said: bytes) -> None:
    limits = ServerLimits(connections=20, connections_per_address=1000)
    with served(tmp_path, limits=limits) as server:
        # Each closes the one that has been idle longest.
        with silent(server, 200, said=said) as opened, client(server) as asking:
            assert asking.post("/v1/search", json={"query": "pruning"}).status_code == 200
            kept = [one for one in opened[-10:] if not _is_closed(one)]
        assert kept


def _is_closed(one: socket.socket) -> bool:
    one.setblocking(False)
    try:
        while chunk := one.recv(4096):
            assert chunk
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def test_a_busy_connection_is_not_closed_for_an_idle_one() -> None:
    closed: list[int] = []

    limits = ConnectionLimits(4, 100)
    for number in range(4):
        assert limits.admit("192.0.2.7")
        limits.set_idle(number, partial(closed.append, number))
    limits.set_busy(1)
    assert closed == [0]
    assert not limits.admit("192.0.2.8")
    assert not limits.admit("192.0.2.8")
    assert not limits.admit("192.0.2.8")
    assert closed == [0, 2, 3]
    limits.forget("192.0.2.7")
    assert limits.admit("192.0.2.8")


@pytest.mark.parametrize("proxy", ["192.0.2.1", "10.0.0.0/8, 192.0.2.0/31"])
def test_the_trusted_proxy_is_not_limited_by_its_address(proxy: str) -> None:
    limits = ConnectionLimits(10, 2, proxy)
    assert [limits.admit("192.0.2.1") for _ in range(5)] == [True] * 5
    assert [limits.admit("192.0.2.2") for _ in range(3)] == [True, True, False]


def test_half_of_the_files_that_may_be_open_are_left_for_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = [1024, 1024]

    def set_limit(_kind: int, limits: tuple[int, int]) -> None:
        allowed[0] = limits[0]

    monkeypatch.setattr(resource, "getrlimit", lambda _kind: tuple(allowed))
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    assert allow_connections(1000) == 512
    allowed[1] = 4096
    assert allow_connections(1000) == 1000
    assert allowed[0] == 2000
