"""A server under requests that are too large, readers who ask for as much as they may, and idle connections."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import httpx

from .outcome import Outcome

HOSTILE_READERS = 4
MAX_P95_S, MAX_SLOWDOWN = 0.3, 3.0
"""What others may wait beside hostile readers, whichever is more: seconds, or times what they wait without them."""
MAX_KEPT_MB = 400
"""Memory that a server may hold after all of these requests, above what it held before."""
_PAPERS = 3_000
_CONNECTIONS = 1_200
_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    url: str
    tokens: Sequence[str]
    process: int

    def client(self, user: int) -> httpx.Client:
        headers = {"authorization": f"Bearer {self.tokens[user]}"}
        return httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=120)

    def memory_mb(self) -> int:
        """The memory that its process has allocated, mapped files left out; 0 where the system does not tell."""
        with suppress(OSError):
            status = Path(f"/proc/{self.process}/status").read_text("utf-8")
            (kilobytes,) = re.findall(r"RssAnon:\s+(\d+)", status)
            return int(kilobytes) // 1024
        return 0


def attack(root: Path, chance: Random, count: int, finished: Sequence[str] = ()) -> Iterable[Outcome]:
    """All rows against a library of some thousand papers; `count` searches are timed."""
    make_library(root, chance)
    yield from attack_home(root, count, finished)


def attack_home(home: Path, count: int, finished: Sequence[str] = ()) -> Iterable[Outcome]:
    """All rows against the library in `home`."""
    rows = {"server: too much asked": refuse_excess, "server: hostile readers": measure_beside, "server: idle": flood}
    for name, row in rows.items():
        if name not in finished:
            with serving(home) as served:
                yield row(name, served, count)


def make_library(home: Path, chance: Random) -> None:
    """A library of papers whose words are drawn from a few hundred."""
    from libraries import record, store

    words = [f"{''.join(chance.choices('bcdfglmnprst', k=2))}{number}o" for number in range(600)]
    store(
        home / "library",
        [
            record(
                f"P{number:04}", " ".join(chance.choices(words, k=8)), abstract=" ".join(chance.choices(words, k=120))
            )
            for number in range(_PAPERS)
        ],
    )


@contextmanager
def serving(home: Path) -> Iterator[Served]:
    """A server process, with a token for each hostile reader and one for somebody else, who comes first."""
    from litterm.server.users.user_file import UserFile

    users = UserFile(home)
    tokens = [users.add(f"user{number}", "read") for number in range(1 + HOSTILE_READERS)]
    argv = [sys.executable, "-m", "litterm", "serve", "--port", "0", "--home", str(home)]
    process = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, env={**os.environ, "LITTERM_HOME": str(home)})
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"http://[\d.:]+", line):
                yield Served(found[0].rstrip("."), tokens, process.pid)
                break
    finally:
        process.kill()
        process.communicate()


def _ids_and_words(served: Served) -> tuple[list[str], list[str]]:
    with served.client(0) as asking:
        found = asking.post("/v1/search", json={"query": "", "k": 1000}).json()["results"]
    words = dict.fromkeys(word for row in found for word in re.findall(r"[a-z0-9]{3,}", row["title"].lower()))
    return [row["id"] for row in found], list(words)


def excessive_requests(paper: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Requests that no user makes, as an attacker would; each must be refused."""

    def words(count: int) -> str:
        return " ".join(f"w{number}x" for number in range(count))

    yield "search", {"query": f"like:{paper} " * 50_000}
    yield "search", {"query": words(100_000)}
    yield "search", {"query": "a-" * 900_000}
    yield "search", {"query": " ".join(f"author:x{number}" for number in range(30_000))}
    yield "search", {"query": " ".join(f"-venue:v{number}" for number in range(30_000))}
    filters = [{"is": "Filters", "venues": [f"v{number}"]} for number in range(15_000)]
    yield "search", {"parsed": {"text": "x", "conditions": filters}}
    yield "facets", {"query": words(100_000)}
    yield "first", {"query": words(100_000)}
    yield "evidence", {"paper": paper, "hypothesis": words(120_000)}
    yield "list", {"topic": words(100_000)}
    yield "list", {"topic": "parsing", "include": [paper] * 2000}
    yield "aspects", {"aspects": [words(2000)] * 50, "papers": [paper]}
    yield "aspects", {"aspects": ["x"] * 51, "papers": [paper]}
    yield "cite", {"excerpt": words(20_000)}
    yield "cite-batch", {"excerpts": [{"excerpt": "x"}] * 101}
    yield "papers", {"ids": [paper] * 2001}


def refuse_excess(name: str, served: Served, _count: int) -> Outcome:
    """Each excessive request, one after the other, is a mistake of its sender, and costs no memory."""
    outcome = Outcome(name, "requests")
    before, slowest = served.memory_mb(), 0.0
    ids, _ = _ids_and_words(served)
    with served.client(1) as asking:
        for operation, body in excessive_requests(ids[0]):
            begun = time.monotonic()
            answer = asking.post(f"/v1/{operation}", json=body)
            slowest = max(slowest, time.monotonic() - begun)
            outcome.tried += 1
            if answer.status_code != 400:
                size = int(answer.request.headers["content-length"])
                outcome.broken.append(f"{operation}: {answer.status_code} for {size:,} bytes")
    kept = served.memory_mb() - before
    if kept > MAX_KEPT_MB:
        outcome.broken.append(f"{kept} MB more than before")
    outcome.seen = f"slowest {slowest:.1f} s, {kept} MB more than before"
    return outcome


def heavy_requests(ids: Sequence[str], words: Sequence[str]) -> list[tuple[str, Mapping[str, object]]]:
    """As much as a request may ask for, of what costs most."""
    long = " ".join((list(words) * 2000)[:1990])
    claim = " ".join((list(words) * 500)[:490])
    batch = [{"excerpt": f"{' '.join(words[number : number + 900])} [CITATION]", "k": 1000} for number in range(100)]
    return [
        ("aspects", {"aspects": [f"{claim} {number}" for number in range(50)], "papers": list(ids[:1000])}),
        ("cite-batch", {"excerpts": batch}),
        ("search", {"query": long, "k": 1000, "one_hop": {}}),
        ("list", {"topic": long}),
        ("evidence", {"paper": ids[0], "hypothesis": claim, "k": 1000}),
        ("search", {"query": " ".join(f"like:{paper}" for paper in ids[:50]), "k": 1000}),
        ("papers", {"ids": list(ids)}),
        ("edges", {"ids": list(ids), "direction": "citations"}),
    ]


def measure_beside(name: str, served: Served, count: int) -> Outcome:
    """How long a reader waits for a plain search, alone and beside hostile readers."""
    outcome = Outcome(name, "timed searches", tried=count)
    ids, words = _ids_and_words(served)
    before, alone = served.memory_mb(), _p95_s(served, words, count, outcome)
    ended, asked = threading.Event(), list[int]()
    heavy = heavy_requests(ids, words)

    def ask_for_much(user: int) -> None:
        with served.client(user) as asking:
            number = user
            while not ended.is_set():
                operation, body = heavy[number % len(heavy)]
                with suppress(httpx.HTTPError):
                    asked.append(asking.post(f"/v1/{operation}", json=body).status_code)
                number += 1

    hostile = [threading.Thread(target=ask_for_much, args=(1 + n,), daemon=True) for n in range(HOSTILE_READERS)]
    for thread in hostile:
        thread.start()
    # Until all of them are at work.
    time.sleep(3)
    beside = _p95_s(served, words, count, outcome)
    ended.set()
    for thread in hostile:
        thread.join()
    time.sleep(1)
    kept = served.memory_mb() - before
    if beside > max(MAX_P95_S, MAX_SLOWDOWN * alone):
        outcome.broken.append("others wait longer than they may")
    if kept > MAX_KEPT_MB:
        outcome.broken.append(f"{kept} MB more than before")
    outcome.seen = (
        f"p95 {1000 * alone:.0f} ms alone, {1000 * beside:.0f} ms beside {HOSTILE_READERS} hostile readers "
        f"({len(asked)} requests), {kept} MB more than before"
    )
    return outcome


def _p95_s(served: Served, words: Sequence[str], count: int, outcome: Outcome) -> float:
    times: list[float] = []
    with served.client(0) as asking:
        for number in range(count):
            query = " ".join(words[(number * 3 + place) % len(words)] for place in range(3))
            begun = time.monotonic()
            answer = asking.post("/v1/search", json={"query": query, "k": 20})
            times.append(time.monotonic() - begun)
            if answer.status_code != 200:
                outcome.broken.append(f"a plain search: {answer.status_code}")
            time.sleep(_PAUSE_S)
    return sorted(times)[int(0.95 * (len(times) - 1))]


def flood(name: str, served: Served, _count: int) -> Outcome:
    """Connections that say nothing, or ask for `/health` and then say nothing; kept up while a user searches."""
    outcome = Outcome(name, "connections")
    host, _, port = served.url.removeprefix("http://").rpartition(":")
    refused = 0
    for said in (b"", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        with ExitStack() as stack:
            for number in range(_CONNECTIONS // 2):
                # From several addresses of this machine, as a limit for one address would hold at once.
                one = stack.enter_context(socket.socket())
                with suppress(OSError):
                    one.bind((f"127.0.0.{2 + number % 50}", 0))
                    one.settimeout(10)
                    one.connect((host, int(port)))
                    one.sendall(said)
                    outcome.tried += 1
            with served.client(0) as asking:
                for _ in range(5):
                    answer = asking.post("/v1/search", json={"query": "parsing"})
                    if answer.status_code != 200:
                        outcome.broken.append(f"a plain search beside idle connections: {answer.status_code}")
                        refused += 1
    outcome.seen = f"{10 - refused} of 10 searches beside them answered"
    return outcome
