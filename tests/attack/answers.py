"""Answers of a hostile server to the commands of its client: changed, nested, packed, long, or with the token in them.

A real server answers behind it, so that most of what is changed looks like an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import httpx

from litterm.cli.main import main

from .outcome import Outcome
from .requests import library_app

NAME = "hostile answers"
TOKEN = "litterm-Zx81QkT7vW2yPq93LmN4"
MAX_SHOWN_CHARS = 100_000
"""On the screen, of one command."""
STATUSES = frozenset((0, 1, 2, 3, 4, 5, 6))
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("search", "pruning heads"),
    ("search", "pruning", "--json"),
    ("search", "pruning", "--why", "--one-hop"),
    ("show", "P18-1001"),
    ("read", "P18-1001", "--plain"),
    ("evidence", "P18-1001", "Pruning speeds up inference"),
    ("cite", "Heads can be pruned [CITATION]."),
    ("refs", "P18-1001"),
    ("cited-by", "P18-1001"),
    ("first", "pruning"),
    ("list", "pruning"),
    ("export", "P18-1001", "--bibtex"),
    ("doctor",),
)
NUMBERS = (0, -1, 1, 5, 10_000, 2**31, -(10**9), 2**53, 10**30)
FRACTIONS = (0.5, -1.5, 1e300, -1e300, 1e-310, float("nan"), float("inf"))
TEXTS = (
    TOKEN[::-1],
    "",
    "acl:P19-1002",
    "10.1/x y",
    "2018",
    "http://[",
    "../x",
    "\x00",
    "\x1b]0;x\x07",
    "\u202ex",
    "[@click=app.quit]x[/]",
    "x" * 30_000,
    "/etc",
    "acl:",
)
OTHERS: tuple[object, ...] = (None, True, {}, [], [[]], {"is": "Filters"}, "x", 7)
Answer = tuple[int, dict[str, str], bytes]


def attack(root: Path, random: Random, count: int, finished: Sequence[str] = ()) -> list[Outcome]:
    """`count` answers; see `tests.attack`."""
    if NAME in finished:
        return []
    outcome, statuses = Outcome(NAME, "answers"), dict[int, int]()
    with library_app(root / "served") as app, hostile_server(app) as server:
        for number in range(count):
            command = COMMANDS[number % len(COMMANDS)]
            server.alter = choose_change(Random(f"{random.random()}"), number)
            status, shown = run_command(root / f"home-{number % 4}", server.url, command)
            statuses[status] = statuses.get(status, 0) + 1
            outcome.tried += 1
            outcome.broken += [
                f"{' '.join(command)} ({server.alter.__name__}): {fault}" for fault in faults(status, shown)
            ]
    outcome.seen = ", ".join(f"{number} x exit {status}" for status, number in sorted(statuses.items()))
    return [outcome]


def run_command(home: Path, url: str, command: Sequence[str]) -> tuple[int, str]:
    """The exit status of a command of a client of the server at `url`, and all it printed; -1 for an exception."""
    shown = io.StringIO()
    environ = {**os.environ, "LITTERM_HOME": str(home), "LITTERM_SERVER": url, "LITTERM_SERVER_TOKEN": TOKEN}
    before = dict(os.environ)
    os.environ.update(environ)
    try:
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            status = main(list(command))
    except Exception as error:  # noqa: BLE001 - it would be shown as a bug
        return -1, f"{shown.getvalue()}\n{type(error).__name__}: {error} ({_where(error)})"
    finally:
        os.environ.clear()
        os.environ.update(before)
    return status, shown.getvalue()


def faults(status: int, shown: str) -> list[str]:
    """What is wrong with the end of a command."""
    found = [f"a bug in litterm: {shown[-300:]}"] if status == -1 or "bug in litterm" in shown else []
    if status not in STATUSES and status != -1:
        found.append(f"exit status {status}")
    if TOKEN in shown:
        found.append(f"shows the token: {shown[max(0, shown.index(TOKEN) - 100) :][:200]}")
    if len(shown) > MAX_SHOWN_CHARS:
        found.append(f"prints {len(shown):,} characters")
    if "\x1b]" in shown:
        found.append("an escape sequence on the screen")
    return found


def _where(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""


class HostileServer(ThreadingHTTPServer):
    """Answers what `alter` makes of the answers of a real one."""

    daemon_threads = True

    def __init__(self, app: Any) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.alter: Callable[[Answer], Answer] = lambda answer: answer
        self._app = app

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def honest_answer(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        async def ask() -> Answer:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                answer = await client.post(path, content=body, headers=headers)
            return answer.status_code, {"content-type": answer.headers.get("content-type", "")}, answer.content

        return asyncio.run(ask())


class _Handler(BaseHTTPRequestHandler):
    server: HostileServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {"accept": self.headers.get("accept", "")}
        status, fields, content = self.server.alter(self.server.honest_answer(self.path, headers, body))
        self.send_response(status)
        for name, value in {"content-length": str(len(content)), **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


@contextmanager
def hostile_server(app: Any) -> Iterator[HostileServer]:
    """A server on 127.0.0.1 before the application `app`."""
    with HostileServer(app) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def choose_change(random: Random, number: int) -> Callable[[Answer], Answer]:
    """One of the ways to be hostile; most change a few values of a true answer."""

    def some_values(answer: Answer) -> Answer:
        status, fields, content = answer
        # Not every answer, so that a command comes further than to its first question.
        if random.random() < 0.5 or status != 200:
            return answer
        value = json.loads(content)
        for _ in range(random.choice((1, 1, 2, 5))):
            value = _changed(random, value)
        return status, fields, json.dumps(value).encode()

    ways = WAYS if number % 3 == 0 else (some_values,)
    return random.choice(ways)


def _changed(random: Random, value: Any) -> Any:
    """`value` with one of the values in it replaced, mostly by one of the same type.

    What is of another type is refused before anything is done with it.
    """
    path = random.choice(list(_paths(value)) or [()])
    if random.random() < 0.2:
        path = path[: random.randrange(len(path) + 1)]
    return _replaced(random, value, path)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the texts and numbers in `value` are."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(item, (*path, key))
    elif path[-1:] != ("is",):
        yield path


def _replaced(random: Random, value: Any, path: tuple[Any, ...]) -> Any:
    if path:
        copy = value.copy()
        copy[path[0]] = _replaced(random, value[path[0]], path[1:])
        return copy
    if isinstance(value, list):
        return random.choice((value[: len(value) // 2], value + value, value[::-1]))
    if random.random() < 0.05 or value is None or isinstance(value, dict):
        return random.choice(OTHERS)
    if isinstance(value, str):
        return random.choice(TEXTS)
    if isinstance(value, bool):
        return not value
    return random.choice(NUMBERS if isinstance(value, int) else FRACTIONS)


def _with(content: bytes, status: int = 200, **fields: str) -> Answer:
    return status, {name.replace("_", "-"): value for name, value in fields.items()}, content


def _error(status: int, **fields: object) -> Answer:
    return _with(json.dumps({"error": fields}).encode(), status)


def nested_value(_answer: Answer) -> Answer:
    return _with(b'{"notices":[],"value":' + b"[" * 200_000)


def nested_whole_value(_answer: Answer) -> Answer:
    return _with(b'{"notices":[],"value":' + b"[" * 900 + b"]" * 900 + b"}")


def nested_error(_answer: Answer) -> Answer:
    return _with(b'{"error":' * 100_000, 400)


def empty_value(_answer: Answer) -> Answer:
    return _with(b'{"notices":[],"value":{}}')


def many_values(_answer: Answer) -> Answer:
    return _with(b'{"notices":[],"value":[' + b"[]," * 3_000_000 + b"0]}")


def long_error(_answer: Answer) -> Answer:
    return _error(500, type="LibraryServerError", message="x" * 5_000_000)


def long_number(_answer: Answer) -> Answer:
    return _with(b'{"notices":[],"value":' + b"9" * 5_000 + b"}")


def many_notices(answer: Answer) -> Answer:
    value = json.loads(answer[2]).get("value")
    return _with(json.dumps({"notices": ["x" * 5_000] * 1_000, "value": value}).encode())


def unpacks_to_more(_answer: Answer) -> Answer:
    return _with(_bomb(), content_encoding="gzip")


def damaged_gzip(_answer: Answer) -> Answer:
    return _with(b"\x1f\x8b\x08nonsense", content_encoding="gzip")


def other_encoding(_answer: Answer) -> Answer:
    return _with(b"abc", content_encoding="br")


def damaged_gzip_error(_answer: Answer) -> Answer:
    return _with(b"\x1f\x8b\x08nonsense", 500, content_encoding="gzip")


def cut_off(answer: Answer) -> Answer:
    return answer[0], {"content-length": str(len(answer[2]) + 100), "connection": "close"}, answer[2]


def redirect(_answer: Answer) -> Answer:
    return _with(b"", 302, location="http://127.0.0.1:9/")


def token_in_refusal(_answer: Answer) -> Answer:
    return _error(
        401, type="TokenRefused", message=f"Authorization: Bearer {TOKEN} is {TOKEN[3:-2]}, {' '.join(TOKEN)}"
    )


def token_in_query_error(_answer: Answer) -> Answer:
    return _error(400, type="QueryError", message=f"“{TOKEN}” is no year", start=-(10**9), end=10**9)


def token_in_busy(_answer: Answer) -> Answer:
    return _with(json.dumps({"error": {"message": TOKEN}}).encode(), 503, retry_after="9" * 400)


def token_in_notice(answer: Answer) -> Answer:
    escaped = "".join(f"\\u{ord(char):04x}" for char in TOKEN).encode()
    return _with(b'{"notices":["%s"],"value":%s}' % (escaped, json.dumps(json.loads(answer[2]).get("value")).encode()))


def token_as_field(_answer: Answer) -> Answer:
    return _with(json.dumps({"notices": [], "value": {TOKEN: 1}}).encode())


def odd_errors(_answer: Answer) -> Answer:
    return _error(400, type="QueryError", message=["a"], start="x", end={})


def other_type_of_error(_answer: Answer) -> Answer:
    return _error(400, type="KeyboardInterrupt", message="x")


def no_object(_answer: Answer) -> Answer:
    return _with(b"[1, 2]")


def page(_answer: Answer) -> Answer:
    return _with(b"<!doctype html><p>Log in", content_type="text/html")


@cache
def _bomb() -> bytes:
    """Made when first sent: it takes a second, and every worker imports this file."""
    return gzip.compress(b" " * (200 << 20), 9)


WAYS: tuple[Callable[[Answer], Answer], ...] = (
    nested_value,
    nested_whole_value,
    nested_error,
    empty_value,
    many_values,
    long_error,
    long_number,
    many_notices,
    unpacks_to_more,
    damaged_gzip,
    other_encoding,
    damaged_gzip_error,
    cut_off,
    redirect,
    token_in_refusal,
    token_in_query_error,
    token_in_busy,
    token_in_notice,
    token_as_field,
    odd_errors,
    other_type_of_error,
    no_object,
    page,
)
