"""Small requests of every operation to a server of a library, drawn by the types of their fields: none is answered with
a fault of the server, with a folder of it, or with a whole request said again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args, get_origin

import httpx
from libraries import store
from library_servers import papers

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.server.http import mcp
from litterm.server.http.app import LibraryApp, make_app
from litterm.server.http.mcp import ToolEndpoint
from litterm.server.operations.operation import Operation
from litterm.server.operations.table import OPERATIONS
from litterm.server.protocol.codec import item_types, types_of, union_members
from litterm.server.users.audit_log import AuditLog
from litterm.server.users.limits import ServerLimits
from litterm.server.users.user_file import UserFile

from .outcome import Outcome

NAME = "small requests"
FREE = 10**9
"""Requests a minute: the rate is not what is tried."""
MAX_ERROR_BYTES = 4_000
NUMBERS = (0, 1, -1, 2, 5, 2018, 1000, 1001, 2**31, -(2**31) - 1, 2**53, 2**63, 10**18, -(10**9), 10**30, 10**400)
FRACTIONS = (0.0, -1.5, 1e308, 1e-320, float("nan"), float("inf"), -float("inf"))
IDS = ("acl:P18-1001", "P19-1002", "acl:P20-1003", "doi:10.1/none")
WORDS = ("pruning", "heads", "corpus", "Lee", "Structured pruning of language models", "speeds up inference")
QUERIES = (
    "pruning AND (heads OR",
    "year:2018..",
    "year:99999999999..",
    "like:acl:P18-1001",
    '"a b" -',
    "cited:>1e9",
    "*",
)
TEXTS = (
    "",
    " ",
    "\ud800",
    "acl:\udfff",
    "\udc80\ud800",
    "\x00",
    "a\x00b",
    "\x1b]0;x\x07",
    "../../etc/passwd",
    "/etc/passwd",
    "acl:/../x",
    "'; DROP TABLE papers; --",
    "%s%n{}{0}",
    "[CITATION]",
    "Heads can be pruned [CITATION] with speed.",
    "2018",
    "0000-00",
    "99999999999999999999",
    "e\u0301" * 50,
    "\u202e\u2066x",
    "x" * 20_000,
    "\U0010ffff",
    "note\x1fx",
)
JUNK: tuple[object, ...] = (None, True, [], {}, [[]], {"is": "Filters"}, {"is": []}, [None], "", 0, -1.5, [[[[[[]]]]]])
BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"query": "\xed\xa0\x80"}',
    b'{"k": NaN}',
    b'{"k": 1e999}',
    b"[" * 100_000,
    b'{"query":' * 5_000,
    b'{"k": ' + b"9" * 5_000 + b"}",
    b'{"query": "a", "query": 1}',
)
IDS_OF_MESSAGES: tuple[object, ...] = (
    7,
    "x",
    "x" * 10_000,
    None,
    True,
    1.5,
    float("nan"),
    [],
    {"a": 1},
    10**30,
    "\ud800",
)


def attack(root: Path, random: Random, count: int, finished: Sequence[str] = ()) -> list[Outcome]:
    """`count` requests; see `tests.attack`."""
    if NAME in finished:
        return []
    with library_app(root) as app:
        return [asyncio.run(_ask_all(app, root, random, count))]


@contextmanager
def library_app(home: Path) -> Iterator[Any]:
    """The application of a server without a socket, over three papers, for anybody on this machine."""
    settings = replace(from_home(home), offline=True)
    store(settings.library, papers(home / "secret-folder"))
    limits = ServerLimits(per_minute=FREE, burst=FREE)
    audit = AuditLog(settings.logs)
    library = LibraryApp(build_engine(settings), UserFile(settings.config.parent), limits, audit)
    try:
        yield make_app(library, library.route(mcp.PATH, "tools", ToolEndpoint(library).answer))
    finally:
        library.close()
        audit.close()


async def _ask_all(app: Any, root: Path, random: Random, count: int) -> Outcome:
    outcome = Outcome(NAME, "requests")
    statuses: dict[int, int] = {}
    # As on this machine: the server has no users.
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=600) as client:
        for number in range(count):
            path, body = _request(random, OPERATIONS[number % len(OPERATIONS)])
            answer = await client.post(path, content=body, headers={"content-type": "application/json"})
            statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
            outcome.tried += 1
            outcome.broken += [f"{path} {body[:300]!r}: {fault}" for fault in faults(answer, root)]
    outcome.seen = ", ".join(f"{number} x {status}" for status, number in sorted(statuses.items()))
    return outcome


def faults(answer: httpx.Response, root: Path) -> list[str]:
    """What is wrong with an answer to a small request."""
    found = [f"status {answer.status_code}"] if answer.status_code >= 500 else []
    if answer.status_code >= 400 and len(answer.content) > MAX_ERROR_BYTES:
        found.append(f"an error of {len(answer.content):,} bytes")
    if str(root) in answer.text:
        found.append("names a folder of the server")
    try:
        json.loads(answer.content, parse_constant=_refuse_constant)
    except ValueError as error:
        found.append(f"no JSON: {error}")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _request(random: Random, operation: Operation) -> tuple[str, bytes]:
    path = f"/v1/{operation.name}"
    if random.random() < 0.05:
        return path, random.choice(BODIES)
    fields = _value(random, operation.request, 0)
    if operation.tool and random.random() < 0.2:
        call = {"name": operation.name, "arguments": fields}
        message = {"jsonrpc": "2.0", "method": "tools/call", "params": call, "id": random.choice(IDS_OF_MESSAGES)}
        if random.random() < 0.3:
            message["method"] = _text(random)
        return mcp.PATH, _dumps(message)
    return path, _dumps(fields)


def _dumps(value: object) -> bytes:
    return json.dumps(value).encode()


def _value(random: Random, kind: object, depth: int) -> object:
    """A value of type `kind`, or now and then one of another type."""
    if random.random() < 0.02:
        return random.choice(JUNK)
    members = union_members(kind)
    if len(members) > 1:
        # Data classes hold one another.
        simple = [member for member in members if not is_dataclass(member)] if depth > 4 else []
        return _value(random, random.choice(simple or members), depth)
    (kind,) = members
    if get_origin(kind) is Literal:
        return random.choice((*get_args(kind), *get_args(kind), "x"))
    if (items := item_types(kind)) is not None:
        listed = [items[0]] * random.randrange(4) if items[-1] is Ellipsis else items
        return [_value(random, item, depth + 1) for item in listed]
    if is_dataclass(kind):
        return _fields(random, kind, depth)
    return _plain(random, kind)


def _fields(random: Random, kind: Any, depth: int) -> Mapping[str, object]:
    types = types_of(kind)
    # All that may be needed, and few of the others: most requests are to get past the reading of their fields.
    share = 0.6 if len(types) < 5 else 0.25
    fields: dict[str, object] = {"is": kind.__name__} if depth else {}
    for name, field_type in types.items():
        if random.random() < (share if depth < 6 else 0.0) or name in _NEEDED:
            fields[name] = _text(random, IDS) if name in _IDS else _value(random, field_type, depth + 1)
    return fields


_IDS = frozenset(("paper", "citing"))
_NEEDED = frozenset(
    ("paper", "hypothesis", "excerpt", "excerpts", "topic", "ids", "aspects", "papers", "query", "question", "text")
)


def _plain(random: Random, kind: object) -> object:
    if kind is str:
        return _text(random, IDS, WORDS, QUERIES)
    if kind is int:
        return random.choice(NUMBERS)
    if kind is float:
        return random.choice(FRACTIONS)
    return random.random() < 0.5 if kind is bool else None


def _text(random: Random, *pools: Sequence[str]) -> str:
    return random.choice(random.choice((TEXTS, *pools, *pools)))
