"""What a cluster costs and brings: two nodes of one core on this machine, beside one process without Ray."""

from __future__ import annotations

import os
import platform
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from shutil import rmtree
from statistics import median
from typing import TYPE_CHECKING, Any

from litterm.core.errors import ClusterError, UsageError
from litterm.core.installation import install_command
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import Task, run
from litterm.library.segments.library import DuckLibrary
from litterm.library.workers.process import environment
from litterm.model.events import Progress
from litterm.model.paper import Provenance
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.report import BenchReport, MethodRow, Metric
from litterm_benchmarks.search.bench_library import records_of
from litterm_benchmarks.speed.import_time import CommandRun, run_command
from litterm_benchmarks.speed.large_library import synthetic_papers
from litterm_benchmarks.timing import Lap, row, time_once

if TYPE_CHECKING:
    from litterm.cluster.shards import Shards
    from litterm.engine import Engine
    from litterm.model.paper import Paper
    from litterm.model.search import Query, Ranking

DEFAULT_QUERIES, DEFAULT_PAPERS, DEFAULT_IMPORTED = 200, 240, 20_000
_IMPORTED_FILES = 20
"""Files that the imported papers are in."""
_OBJECT_STORE_BYTES = 100_000_000
_WARMUP_QUERIES = 5
_SEED = 7
_WORKER_PREFIX = b"ray::"
"""How the command lines of Ray's workers begin."""


def measure(
    settings: Settings,
    queries: int = DEFAULT_QUERIES,
    papers: int = DEFAULT_PAPERS,
    imported: int = DEFAULT_IMPORTED,
) -> Task[BenchReport]:
    """Queries, a matrix and an import in one process and on two nodes; and whether their results are the same.

    Raises:
        UsageError: the library is empty.
        ClusterError: Ray is not installed.
    """
    yield Progress("reading the library")
    known = [parsed.paper for parsed in islice(records_of(DuckLibrary(settings.library)), 20 * papers)]
    if not known:
        raise UsageError("The library has no papers to ask for; `litterm add PATH` imports some.")
    dice = random.Random(_SEED)
    asked = [parse_query(_words(dice.choice(known), index)) for index in range(queries)]
    with _two_nodes() as address, _library_beside(settings) as local:
        from litterm.cluster.connection import RayCluster
        from litterm.cluster.engine import ClusterParts
        from litterm.engine import Engine
        from litterm.engine.parts import Parts

        parts = ClusterParts(replace(local, cluster=address), RayCluster(address))
        one, many = Engine(Parts(local)), Engine(parts)
        yield Progress("queries")
        rows = _queries(one, many, asked, parts.shards)
        memory = _shard_memory()
        yield Progress("a matrix")
        # Full texts, where there are any: they are what a matrix takes its time for.
        found = run(one.search(parse_query("has:fulltext"), k=papers)).papers
        chosen = [ranked.paper for ranked in found] or [paper for paper in known if paper.abstract][:papers]
        rows += _matrix(one, many, chosen)
        rows += yield from _imports(local.library.parent, address, synthetic_papers(known, imported))
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.machine()}"
    count = DuckLibrary(settings.library).status()
    rows.append(
        MethodRow(
            "library",
            (
                Metric("bytes a paper", count.bytes_on_disk / max(1, count.papers)),
                Metric("index bytes a paper", _index_bytes(settings.library) / max(1, count.papers)),
                *memory,
            ),
        )
    )
    return BenchReport("cluster", f"{count.papers:,} papers", len(asked), tuple(rows), (f"two nodes; {machine}",))


def _queries(one: Engine, many: Engine, asked: Sequence[Query], shards: Shards) -> list[MethodRow]:
    """Each query here and there in turn, so that both meet the same load."""
    differing, warm = 0, asked[:_WARMUP_QUERIES]
    here, there, workers = [], [], 0.0
    rounds = []
    for index, query in enumerate((*warm, *asked)):
        before, rounds_before = _worker_seconds(), shards.rounds
        lap_here, ranking_here = _timed_search(one, query)
        lap_there, ranking_there = _timed_search(many, query)
        if index >= len(warm):
            here.append(lap_here)
            there.append(lap_there)
            rounds.append(shards.rounds - rounds_before)
            workers += _seconds_since(before)
            differing += ranking_here != ranking_there
    work_ms = 1000 * workers / len(asked)
    more = [Lap(b.wall - a.wall, b.cpu + work_ms - a.cpu) for a, b in zip(here, there, strict=True)]
    asking = (Metric("median rounds", float(median(rounds))), Metric("most rounds", max(rounds)))
    nodes = (Metric("cpu ms on nodes", work_ms), Metric("other rankings", differing))
    return [
        MethodRow("litterm", row("", here).metrics),
        MethodRow("two nodes", (*row("", there).metrics, *nodes, *asking)),
        MethodRow("more on two nodes", row("", more).metrics),
    ]


def _timed_search(engine: Engine, query: Query) -> tuple[Lap, Ranking]:
    rankings: list[Ranking] = []
    lap = time_once(lambda: rankings.append(run(engine.search(query))))
    return lap, rankings[0]


def _matrix(one: Engine, many: Engine, papers: Sequence[Paper]) -> list[MethodRow]:
    keys, claims = [paper.id for paper in papers], ["Attention improves translation.", "More data helps parsing."]
    rows, results = [], []
    for name, engine in (("matrix, one process", one), ("matrix, two nodes", many)):
        begun = engine.matrices.begin(keys, claims, query=name)
        before, cpu, wall = _worker_seconds(), time.process_time(), time.perf_counter()
        filled = run(engine.matrices.fill(begun.id))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        workers = _seconds_since(before)
        results.append([replace(cell, at="") for line in filled.rows for cell in line.cells if cell is not None])
        metrics = (Metric("wall s", wall), Metric("cpu s here", cpu), Metric("cpu s on nodes", workers))
        rows.append(MethodRow(name, metrics))
    here = rows[0].metrics[1].mean
    # With a core of its own for the driver and for each node, the slowest of the three is waited for.
    bound = here / max(rows[1].metrics[1].mean, rows[1].metrics[2].mean / 2)
    texts = Metric("full texts", sum(paper.full_text for paper in papers))
    cells = Metric("other cells", sum(a != b for a, b in zip(*results, strict=True)))
    return [*rows, MethodRow("speed-up of the matrix", (Metric("by cpu x", bound), texts, cells))]


def _imports(folder: Path, address: str, lines: Iterable[str]) -> Task[list[MethodRow]]:
    """The same files added to two empty libraries below `folder`, by one command alone and by one with the nodes."""
    files = [folder / f"papers-{number}.jsonl" for number in range(_IMPORTED_FILES)]
    with ExitStack() as stack:
        streams = [stack.enter_context(file.open("w", encoding="utf-8")) for file in files]
        for number, line in enumerate(lines):
            streams[number % _IMPORTED_FILES].write(f"{line}\n")
    rows, results = [], []
    for name, options in (("import, alone", ()), ("import, two nodes", ("--cluster", address))):
        home = folder / name
        arguments = ["add", *map(str, files), *options]
        used, nodes = yield from _watch_workers(run_command(arguments, environment({"LITTERM_HOME": str(home)}), name))
        metrics = (Metric("wall s", used.seconds), Metric("cpu s here", used.cpu_s), Metric("cpu s on nodes", nodes))
        rows.append(MethodRow(name, metrics))
        library = DuckLibrary(from_home(home).library)
        results.append(
            {parsed.paper.id: replace(parsed.paper, provenance=Provenance()) for parsed in records_of(library)}
        )
        library.close()
    bound = rows[0].metrics[1].mean / max(rows[1].metrics[1].mean, rows[1].metrics[2].mean / 2)
    differing = sum(results[0].get(paper) != results[1].get(paper) for paper in {*results[0], *results[1]})
    counted = (Metric("by cpu x", bound), Metric("papers", len(results[0])), Metric("other papers", differing))
    return [*rows, MethodRow("speed-up of the import", counted)]


def _watch_workers(task: Task[CommandRun]) -> Task[tuple[CommandRun, float]]:
    """The result of `task`, and the processor time of the workers meanwhile."""
    before, seconds = _worker_seconds(), dict[int, float]()
    with closing(task):
        while True:
            try:
                event = next(task)
            except StopIteration as end:
                return end.value, sum(spent - before.get(worker, 0.0) for worker, spent in seconds.items())
            # While it runs: workers end with the command, or when they have been idle for a second.
            seconds |= _worker_seconds()
            yield event


@contextmanager
def _two_nodes() -> Iterator[str]:
    """The address of a cluster of two nodes of one core each on this machine."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
        from ray.cluster_utils import Cluster
    except ImportError as error:
        raise ClusterError(f"This measures Ray, which is not installed: {install_command('cluster')}") from error
    head = {"num_cpus": 1, "object_store_memory": _OBJECT_STORE_BYTES, "include_dashboard": False}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    try:
        cluster.add_node(num_cpus=1, object_store_memory=_OBJECT_STORE_BYTES)
        yield str(cluster.address)
    finally:
        for opened in (ray, cluster):
            opened.shutdown()


@contextmanager
def _library_beside(settings: Settings) -> Iterator[Settings]:
    """The same library with matrices and cache of its own: what is measured leaves nothing behind."""
    folder = Path(tempfile.mkdtemp(prefix="litterm-cluster-"))
    try:
        library = folder / "library"
        library.mkdir()
        for path in settings.library.iterdir():
            if path.name == "segments" or path.name == "CURRENT" or path.name.startswith("manifest-"):
                (library / path.name).symlink_to(path.absolute())
        yield replace(settings, library=library, cache=folder / "cache", starter=False)
    finally:
        rmtree(folder, ignore_errors=True)


def _words(paper: Paper, index: int) -> str:
    """A title, some words of it, or the beginning of an abstract; in lower case, where no word is an operator."""
    title = "".join(letter if letter.isalnum() else " " for letter in paper.title.lower()).split()
    abstract = "".join(letter if letter.isalnum() else " " for letter in paper.abstract.lower()).split()
    return " ".join((title, title[:3], abstract[:30] or title)[index % 3]) or "language"


def _index_bytes(library: Path) -> int:
    return sum(path.stat().st_size for path in (library / "segments").glob("*/index/*"))


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process of Ray, at one moment."""

    command: bytes
    seconds: float
    """Processor time so far."""
    own_kb: int
    mapped_kb: int
    """Memory for itself, and mapped files."""


def _workers() -> dict[int, _Worker]:
    """The workers of the nodes that this process has started, by process; there may be other clusters beside them."""
    workers = {}
    for process in Path("/proc").iterdir():
        # Any of them may end while it is looked at.
        with suppress(OSError):
            if process.name.isdecimal() and (command := (process / "cmdline").read_bytes()).startswith(_WORKER_PREFIX):
                fields = _stat(process)
                if _stat(process.parent / fields[1])[1] == str(os.getpid()):
                    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                    lines = (process / "status").read_text().splitlines()
                    memory = dict(line.split(":", 1) for line in lines)
                    own, mapped = (int(memory.get(name, "0").split()[0]) for name in ("RssAnon", "RssFile"))
                    workers[int(process.name)] = _Worker(command, seconds, own, mapped)
    return workers


def _stat(process: Path) -> list[str]:
    """What `stat` says after the name of a process, in which anything may stand."""
    return (process / "stat").read_text().rpartition(")")[2].split()


def _worker_seconds() -> dict[int, float]:
    """Processor time of each worker so far."""
    return {process: worker.seconds for process, worker in _workers().items()}


def _seconds_since(before: Mapping[int, float]) -> float:
    """Processor time of the workers since; of one that has ended meanwhile none is known."""
    return sum(seconds - before.get(process, 0.0) for process, seconds in _worker_seconds().items())


def _shard_memory() -> tuple[Metric, Metric]:
    """What the largest shard keeps for itself, and what it has mapped of its segments, in MB."""
    shards = [worker for worker in _workers().values() if b"Shard" in worker.command]
    own = max((worker.own_kb for worker in shards), default=0)
    mapped = max((worker.mapped_kb for worker in shards), default=0)
    return Metric("MB a shard", own / 1024), Metric("MB mapped", mapped / 1024)
