"""A server that sends without end, or wants a token that was set for another one."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from commands import Done, done

from litterm.cli.main import main
from litterm.core.errors import LibraryServerError
from litterm.engine import Engine
from litterm.server.client import connection
from litterm.server.client.connection import ServerConnection

MB = 2**20
TOKEN = "litterm-Zx81QkT7vW2yPq93LmN4"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sent = 0
    tokens: tuple[str, ...] = ()
    status, headers_sent, piece = 200, (("transfer-encoding", "chunked"),), b"x" * MB

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        type(self).tokens += (self.headers.get("authorization", ""),)
        self.send_response(self.status)
        for name, value in self.headers_sent:
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):
            if self.headers_sent[0][0] == "content-length":
                self.wfile.write(self.piece)
            while type(self).sent < 1_000 * MB:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(self.piece), self.piece))
                type(self).sent += len(self.piece)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


@contextmanager
def endless(**answer: object) -> Iterator[tuple[str, type[Handler]]]:
    """A server that sends the same piece for ever, and its class, which counts."""
    handler = type("Endless", (Handler,), answer)
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", handler
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "answer",
    [{}, {"headers_sent": (*Handler.headers_sent, ("content-encoding", "gzip")), "piece": gzip.compress(bytes(MB))}],
    ids=["plain", "gzip"],
)
def test_an_answer_without_an_end_is_read_to_its_limit(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, object]
) -> None:
    monkeypatch.setattr(connection, "_MAX_ANSWER_BYTES", 4 * MB)
    with endless(**answer) as (url, handler):
        asking = ServerConnection(url)
        with pytest.raises(LibraryServerError, match="sends more than 4 MB for one answer; reading was stopped"):
            asking.ask(Engine.facets, "x")
        asking.close()
    # What lies in the buffers of the connection was sent, too.
    assert handler.sent < 64 * MB


def test_an_error_without_an_end_is_read_to_its_limit() -> None:
    with endless(status=500) as (url, handler):
        asking = ServerConnection(url)
        with pytest.raises(LibraryServerError, match="answered with status 500") as caught:
            asking.ask(Engine.facets, "x")
        asking.close()
    assert len(str(caught.value)) < 300
    assert handler.sent < 64 * MB


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    return lambda *argv: done(main(list(argv)), capsys)


def refusing() -> dict[str, object]:
    body = json.dumps({"error": {"type": "TokenRefused", "message": "A token is needed."}}).encode()
    return {"status": 401, "piece": body, "headers_sent": (("content-length", str(len(body))),), "sent": 1_000 * MB}


def test_a_token_goes_to_the_server_it_was_set_for_and_to_no_other(
    litterm: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("LITTERM_SERVER_TOKEN", TOKEN)
    with endless(**refusing()) as (url, handler):
        typed = litterm("--server", url, "search", "x")
        assert (typed.status, handler.tokens) == (4, ("",))
        assert f"set LITTERM_SERVER or the setting `server` to {url}, or put its token into" in typed.err
        monkeypatch.setenv("LITTERM_SERVER", "https://library.example.org")
        other = litterm("--server", url, "search", "x")
        assert handler.tokens == ("", "")
        assert "it belongs to https://library.example.org" in other.err
        monkeypatch.setenv("LITTERM_SERVER", f"{url}/")
        own = litterm("search", "x")
        assert (own.status, handler.tokens[-1]) == (4, f"Bearer {TOKEN}")
        assert "was not sent" not in own.err
        monkeypatch.delenv("LITTERM_SERVER")
        (home / "config.toml").write_text(f'server = "{url}"\n')
        assert litterm("search", "x").status == 4
        assert handler.tokens[-1] == f"Bearer {TOKEN}"
        file = home / "keys" / f"{url.removeprefix('http://').replace(':', '_')}.token"
        file.parent.mkdir()
        file.touch(mode=0o600)
        file.write_text("litterm-of-its-file")
        (home / "config.toml").unlink()
        litterm("--server", url, "search", "x")
        assert handler.tokens[-1] == "Bearer litterm-of-its-file"
