"""A group at work: clients that search, read and cite over a server of the user's own library, all at once."""

from __future__ import annotations

import asyncio
import os
import platform
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from litterm.core.errors import ChildFailed, UsageError
from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.library.segments.library import DuckLibrary
from litterm.library.workers.process import environment
from litterm.model.events import Progress
from litterm.model.paper import Paper
from litterm_benchmarks.report import BenchReport, MethodRow, Metric
from litterm_benchmarks.search.bench_library import records_of
from litterm_benchmarks.timing import Lap, row

if TYPE_CHECKING:
    import httpx

DEFAULT_CLIENTS, DEFAULT_SECONDS = 50, 60
_PAUSE_S: Final = (2.0, 6.0)
"""Between an answer and the next question of one client: somebody who hardly reads what comes."""
_VERB_SHARES: Final[Mapping[str, int]] = {"search": 60, "read": 15, "evidence": 15, "cite": 10}
"""Of a hundred questions."""
_PAPERS, _WORDS, _SEED = 2_000, 4, 7
_REQUEST_TIMEOUT_S = 60.0
_SLOW_CONNECTIONS: Final = 20
"""Connections that send half a request and nothing more, all the while."""


@dataclass(slots=True)
class _Outcome:
    """What became of the questions, by verb."""

    laps: dict[str, list[Lap]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def measure(settings: Settings, clients: int = DEFAULT_CLIENTS, seconds: int = DEFAULT_SECONDS) -> Task[BenchReport]:
    """How long each verb takes while `clients` ask for `seconds`, and how many questions failed.

    Raises:
        UsageError: the library is empty.
        ChildFailed: the server did not start.
    """
    yield Progress("reading the library")
    papers = [parsed.paper for parsed in islice(records_of(DuckLibrary(settings.library)), _PAPERS)]
    papers = [paper for paper in papers if len(paper.title.split()) >= _WORDS]
    if not papers:
        raise UsageError("The library has no papers to ask for; `litterm add PATH` imports some.")
    count = DuckLibrary(settings.library).status().papers
    with _serving(settings) as (server, url):
        yield Progress(f"{clients} clients for {seconds} s")
        outcome = asyncio.run(_all_at_once(url, papers, clients, seconds))
        server.terminate()
        _, status, used = os.wait4(server.pid, 0)
        server.returncode = os.waitstatus_to_exitcode(status)
    requests = sum(map(len, outcome.laps.values()))
    cpu_ms = 1000 * (used.ru_utime + used.ru_stime) / max(requests, 1)
    rows = [
        MethodRow("litterm" if verb == "search" else verb, row(verb, outcome.laps[verb], cpu=False).metrics)
        for verb in _VERB_SHARES
        if outcome.laps.get(verb)
    ]
    whole = (
        Metric("failed", len(outcome.failures)),
        Metric("a second", requests / seconds),
        Metric("server cpu ms each", cpu_ms),
        Metric("server MB", used.ru_maxrss / 1024),
    )
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.machine()}"
    note = (
        f"{clients} clients with a pause of about four seconds, {_SLOW_CONNECTIONS} half requests held open; {machine}"
    )
    notes = (note, *dict.fromkeys(outcome.failures[:5]))
    return BenchReport("server", f"{count:,} papers", requests, (*rows, MethodRow("all", whole)), notes)


@contextmanager
def _serving(settings: Settings) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that serves the library, and its address."""
    argv = [sys.executable, "-m", "litterm", "serve", "--port", "0", "--rate", "1000000", "--library"]
    process = subprocess.Popen(
        [*argv, str(settings.library)], stderr=subprocess.PIPE, text=True, env=environment({"LITTERM_SERVER": ""})
    )
    assert process.stderr is not None
    try:
        first_line = process.stderr.readline()
        url = re.search(r"http://[\d.:]+", first_line)
        if url is None:
            raise ChildFailed(f"The server did not start: {first_line.strip()}")
        yield process, url[0]
    finally:
        if process.returncode is None:
            process.kill()
        process.stderr.close()


async def _all_at_once(url: str, papers: Sequence[Paper], clients: int, seconds: int) -> _Outcome:
    import httpx

    outcome, until = _Outcome(), time.monotonic() + seconds
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    slow = asyncio.create_task(_half_requests(url))
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=_REQUEST_TIMEOUT_S, trust_env=False) as asking:
        await asyncio.gather(*(_client(asking, papers, number, until, outcome) for number in range(clients)))
    slow.cancel()
    return outcome


async def _client(
    asking: httpx.AsyncClient, papers: Sequence[Paper], number: int, until: float, outcome: _Outcome
) -> None:
    """One of the group, until the time is up."""
    import httpx

    dice = random.Random(_SEED + number)
    await asyncio.sleep(dice.uniform(0, _PAUSE_S[1]))
    while time.monotonic() < until:
        verb, body = _question(dice, papers)
        begun = time.perf_counter()
        try:
            answer = await asking.post(f"/v1/{verb}", json=body)
            if answer.status_code != 200:
                outcome.failures.append(f"{verb}: status {answer.status_code}: {answer.text[:200]}")
        except httpx.HTTPError as error:
            outcome.failures.append(f"{verb}: {type(error).__name__}")
        outcome.laps.setdefault(verb, []).append(Lap((time.perf_counter() - begun) * 1000, 0.0))
        await asyncio.sleep(dice.uniform(*_PAUSE_S))


def _question(dice: random.Random, papers: Sequence[Paper]) -> tuple[str, dict[str, object]]:
    """A verb and what is asked of it: words of a paper's title, the paper itself, a claim, an excerpt."""
    paper = dice.choice(papers)
    # In lower case: AND and its like would be operators.
    words = " ".join(re.findall(r"\w+", paper.title.lower())[:_WORDS]) or "language"
    (verb,) = dice.choices(list(_VERB_SHARES), weights=list(_VERB_SHARES.values()))
    match verb:
        case "search":
            return verb, {"query": words}
        case "read":
            return verb, {"paper": paper.id}
        case "evidence":
            return verb, {"paper": paper.id, "hypothesis": f"{paper.title} improves results"}
        case _:
            return verb, {"excerpt": f"Others have studied {paper.title.lower()} [CITATION] before."}


async def _half_requests(url: str) -> None:
    """Connections that begin a request and never end it, opened again whenever the server has enough of them."""
    host, port = url.removeprefix("http://").split(":")

    async def one() -> None:
        while True:
            reader, writer = await asyncio.open_connection(host, int(port))
            try:
                writer.write(b"POST /v1/search HTTP/1.1\r\nHost: ")
                await reader.read()
            finally:
                writer.close()

    await asyncio.gather(*(one() for _ in range(_SLOW_CONNECTIONS)))
