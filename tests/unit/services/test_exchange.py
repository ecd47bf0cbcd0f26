"""Answers that lie, drip or break off, byte by byte, from a server that says exactly what a test tells it to."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from fakes_web_server import Page, WebServer, page, ranged
from http_clients import WebClock

from litterm.core import errors
from litterm.core.backoff import Clock
from litterm.core.tasks import run
from litterm.services.http.client import HttpClient, HttpClientSettings
from litterm.services.http.download import download
from litterm.services.http.messages import Request
from litterm.services.http.safe_transport import check_url, is_public, public_addresses

PDF = b"%PDF-1.7\n" + bytes(range(256)) * 400
WORDS = gzip.compress(b'{"words": "' + b"x" * 50_000 + b'"}')
Say = Callable[[socket.socket], None]


@contextmanager
def saying(say: Say) -> Iterator[str]:
    """The address of a server that hands each connection with a request to `say`."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, suppress(OSError):
                    connection.recv(1 << 16)
                    say(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.close()


@contextmanager
def client_for(netloc: str, folder: Path) -> Iterator[HttpClient]:
    clock = WebClock()
    pulse = Clock(lambda: clock.now, clock.sleep, lambda: 0.0)
    client = HttpClient(HttpClientSettings(folder / "web", "9.9", trusted=frozenset({netloc}), clock=pulse))
    try:
        yield client
    finally:
        client.close()


def dripping(start: bytes, rest: bytes) -> Say:
    def say(connection: socket.socket) -> None:
        connection.sendall(start)
        for byte in rest:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)

    return say


@pytest.mark.parametrize("kept", [len(WORDS) // 2, len(WORDS) - 8], ids=["in the middle", "before the checksum"])
def test_a_packed_answer_that_breaks_off_is_asked_for_again(client: HttpClient, server: WebServer, kept: int) -> None:
    whole = page(WORDS, content_encoding="gzip")
    server.on("/a", page(WORDS[:kept], content_encoding="gzip"), whole)
    assert len(run(client.get(Request(f"{server.url}/a"))).body) > 50_000
    assert len(server.asked) == 2, "its announced length was that of the piece"


def test_packed_parts_in_a_row_are_one_answer(client: HttpClient, server: WebServer) -> None:
    server.on("/a", page(gzip.compress(b'{"a":') + gzip.compress(b" 1}") + b"\0\0", content_encoding="gzip"))
    assert run(client.get(Request(f"{server.url}/a"))).text == '{"a": 1}'


def test_a_broken_page_behind_a_refusal_does_not_take_its_place(client: HttpClient, server: WebServer) -> None:
    server.on("/a", page(b"no gzip", 503, content_encoding="gzip"), page("{}"))
    assert run(client.get(Request(f"{server.url}/a"))).text == "{}", "trouble that passes stays that"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "say",
    [
        dripping(b"HTTP/1.1 200 OK\r\nx-", b"a" * 2000),
        dripping(b"HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n{", b" " * 1999),
    ],
    ids=["head", "body"],
)
def test_who_sends_next_to_nothing_is_not_waited_for(tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litterm.services.http.exchange.CONNECT_TIMEOUT_S", 0.1)
    monkeypatch.setattr("litterm.services.http.client.MAX_ATTEMPTS", 1)
    began = time.monotonic()
    with saying(say) as netloc, client_for(netloc, tmp_path) as client, pytest.raises(errors.Unreachable) as told:
        run(client.get(Request(f"http://{netloc}/a", read_s=0.3)))
    assert told.value.transient
    assert time.monotonic() - began < 5


def test_a_first_request_under_way_is_no_unused_network(client: HttpClient, server: WebServer) -> None:
    server.on("/a", Page(silent=True))
    task = client.get(Request(f"{server.url}/a"))
    while not server.asked:
        next(task)
    assert (client.network.word, client.network.service) == ("asked", "127.0.0.1")
    task.close()


@pytest.mark.parametrize("there", ["javascript:alert(1)", "data:text/plain,x", "http://["])
def test_an_address_that_cannot_be_read_is_refused(client: HttpClient, server: WebServer, there: str) -> None:
    server.on("/a", page(status=302, location=there))
    with pytest.raises(errors.AddressRefused):
        run(client.get(Request(f"{server.url}/a")))


@pytest.mark.parametrize("host", ["2130706433", "127.1", "0x7f000001", "017700000001", "localhost", "db.localhost"])
def test_this_machine_is_known_by_all_its_names(host: str) -> None:
    with pytest.raises(errors.AddressRefused):
        check_url(f"http://{host}/")


async def test_an_address_in_another_spelling_is_used_as_it_was_checked() -> None:
    async def nobody(host: str, _port: int) -> tuple[str, ...]:
        raise AssertionError(f"{host} is no name")

    assert await public_addresses("134744072", 443, nobody) == ("8.8.8.8",)


def test_addresses_of_a_site_alone_are_not_public() -> None:
    import ipaddress

    assert not is_public(ipaddress.ip_address("fec0::1"))


def test_the_rest_of_another_file_is_not_put_behind_the_beginning_of_one(
    client: HttpClient, server: WebServer, tmp_path: Path
) -> None:
    def other(_asked: object) -> Page:
        span = f"bytes 1000-{len(PDF) - 1}/{len(PDF)}"
        return Page(b"?" * (len(PDF) - 1000), 206, {"etag": '"two"', "content-range": span})

    server.on("/p", Page(PDF, headers={"etag": '"one"'}, cut_at=1000), other, ranged(PDF, etag='"two"'))
    got = run(download(client, Request(f"{server.url}/p", expect="pdf"), tmp_path / "p.pdf"))
    assert got.path.read_bytes() == PDF


def test_a_part_is_not_taken_for_the_whole(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    def some(asked: object) -> Page:
        start = 0 if not server.asked[-1].headers.get("range") else 1000
        span = f"bytes {start}-{start + 999}/{len(PDF)}"
        return Page(PDF[start : start + 1000], 206, {"etag": '"one"', "content-range": span})

    server.on("/p", some, some, ranged(PDF))
    got = run(download(client, Request(f"{server.url}/p", expect="pdf"), tmp_path / "p.pdf"))
    assert got.path.read_bytes() == PDF
    assert server.asked[2].headers["range"] == "bytes=2000-"
