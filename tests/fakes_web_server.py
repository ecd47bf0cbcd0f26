"""A local web server that says what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import trustme


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    """Without the query, still percent-encoded."""
    query: Mapping[str, Sequence[str]]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    def one(self, name: str) -> str:
        """The value of a parameter that is there once."""
        (value,) = self.query[name]
        return value

    @property
    def json(self) -> object:
        return json.loads(self.body)


@dataclass(frozen=True)
class Page:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_at: int = -1
    """Bytes of the body after which the connection is dropped; -1 sends it whole."""
    silent: bool = False
    """Never answers."""


Handler = Callable[[Asked], Page]


def page(body: str | bytes = b"", status: int = 200, **headers: str) -> Page:
    content = body.encode() if isinstance(body, str) else body
    return Page(content, status, {name.replace("_", "-"): value for name, value in headers.items()})


def as_json(value: object, status: int = 200, **headers: str) -> Page:
    return page(json.dumps(value), status, content_type="application/json", **headers)


def sample(path: Path, status: int = 200, **headers: str) -> Page:
    """A recorded body."""
    return page(path.read_bytes(), status, **headers)


def packed(answer: Page) -> Page:
    return Page(gzip.compress(answer.body), answer.status, {**answer.headers, "content-encoding": "gzip"})


def nothing_known(asked: Asked) -> Page:
    """What Semantic Scholar says to a batch of ids it does not know."""
    told = asked.json
    assert isinstance(told, dict)
    return as_json([None] * len(told["ids"]))


class WebServer:
    """`on(path, *pages)` sets what a path answers, one after the other, the last one for ever."""

    def __init__(self, certificate: trustme.LeafCert | None = None) -> None:
        """With a `certificate` it speaks TLS."""
        self.asked: list[Asked] = []
        self._pages: dict[str, list[Page | Handler]] = {}
        self._lock = threading.Lock()
        outer = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._answer(self)

            do_POST = do_GET  # noqa: N815 - the name http.server looks for

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign]
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            certificate.configure_cert(context)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.netloc}"

    def on(self, path: str, *pages: Page | Handler) -> None:
        self._pages[path] = list(pages)

    def asked_for(self, path: str) -> list[Asked]:
        return [each for each in self.asked if each.path == path]

    def close(self) -> None:
        self._over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        length = int(handler.headers.get("content-length") or 0)
        asked = Asked(
            handler.command,
            parts.path,
            parse_qs(parts.query, keep_blank_values=True),
            {name.lower(): value for name, value in handler.headers.items()},
            handler.rfile.read(length) if length else b"",
        )
        with self._lock:
            self.asked.append(asked)
            pages = self._pages.get(parts.path) or self._pages.get("*") or [Page(status=404)]
            answer = pages.pop(0) if len(pages) > 1 else pages[0]
        self._send(handler, answer(asked) if callable(answer) else answer)

    def _send(self, handler: BaseHTTPRequestHandler, answer: Page) -> None:
        if answer.silent:
            self._over.wait(30)
            handler.close_connection = True
            return
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        if "content-length" not in answer.headers:
            handler.send_header("content-length", str(len(answer.body)))
        handler.end_headers()
        if answer.cut_at >= 0:
            handler.wfile.write(answer.body[: answer.cut_at])
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        handler.wfile.write(answer.body)


def ranged(content: bytes, *, etag: str = '"one"') -> Handler:
    """Serves `content` with ranges, as object stores do."""

    def answer(asked: Asked) -> Page:
        headers = {"etag": etag, "accept-ranges": "bytes"}
        wanted = asked.headers.get("range", "")
        if not wanted or asked.headers.get("if-range", etag) != etag:
            return Page(content, 200, headers)
        first = int(wanted.removeprefix("bytes=").partition("-")[0])
        if first >= len(content):
            return Page(b"", 416, {**headers, "content-range": f"bytes */{len(content)}"})
        span = f"bytes {first}-{len(content) - 1}/{len(content)}"
        return Page(content[first:], 206, {**headers, "content-range": span})

    return answer
