"""Imports that are killed: a warm process forks one per command, and the fork dies where it was told to.

Run as a script it reads commands from stdin, one line of JSON each, and answers each with how the fork ended.
Forking is safe here: the process has one thread and has opened no database.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from crash_acts import JOBS, perform

from litterm.library.state import connection as state_module
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from sqlite3 import Connection

    from litterm.core.tasks import Task
    from litterm.engine import Engine
    from litterm.evidence.matrix.matrices import Matrices
    from litterm.model.backup import BackupPlaces
    from litterm.services.sync import PaperSink

SEAMS = ("open", "os.rename", "os.remove", "os.mkdir", "os.truncate", "os.rmdir", "fcntl.flock", "statement")
"""What Python or SQLite reports before it does it: the places between which a kill makes a difference."""
STATEMENTS = ("BEGIN", "COMMIT", "INSERT", "UPDATE", "DELETE", "CREATE")
FILES, PAPERS_A_FILE, BATCH = 4, 20, 15
SYNCED, SYNCED_AT_ONCE = 45, 10
"""Papers of the service that `sync` walks, and how many of them are on a page, each stored by itself."""
FETCHED, FETCHED_AT_ONCE = 9, 3
"""Papers whose full texts `fetch` brings, and how many are stored together."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a fork ended."""

    signal: int
    error: str
    stored: int
    """What it had last reported as stored."""
    seams: int
    """How many seams it passed."""
    seconds: float = 0.0
    """How long it lived."""


class Warm:
    """The warm process; a context manager."""

    def __enter__(self) -> Warm:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.communicate()

    def run(
        self, root: Path, job: str = "import", *, die_at: int = 0, largest_file: int = 0, die_after_s: float = 0.0
    ) -> Ended:
        """Runs `job` on the library in `root`; it is killed at seam number `die_at`, or after `die_after_s` wherever it
        is then, if either is not 0."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(root), job, die_at, largest_file, die_after_s]) + "\n")
        self._process.stdin.flush()
        return Ended(*json.loads(self._process.stdout.readline()))


def corpus() -> dict[str, Sequence[object]]:
    """Files of papers; the last paper of each file is also in the next."""
    from libraries import record

    numbers = [range(at * PAPERS_A_FILE, (at + 1) * PAPERS_A_FILE + (at < FILES - 1)) for at in range(FILES)]
    return {
        f"file{at}.jsonl": [record(f"P{n}", f"Title number {n}", abstract="Words " * n) for n in each]
        for at, each in enumerate(numbers)
    }


def _import(root: Path, report: int) -> None:
    from libraries import Files, HereBuilder

    from litterm.core.tasks import run
    from litterm.library.import_files import add
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.failures import FailureList
    from litterm.library.writer import library_writer as writer
    from litterm.model.events import Event, PapersStored

    def tell(event: Event) -> None:
        if isinstance(event, PapersStored):
            os.pwrite(report, b"%8d" % event.papers, 0)

    writer.BATCH_PAPERS = BATCH
    reader = Files(corpus())  # type: ignore[arg-type]
    run(add(writer.LibraryWriter(root, HereBuilder()), reader, FailureList(StateDatabase(root)), [root]), tell)


def _compact(root: Path, report: int) -> None:
    from libraries import record, store

    store(root, [record("last")])
    os.pwrite(report, b"%8d" % 1, 0)


def _compact_all(root: Path, report: int) -> None:
    from litterm.library.workers.compaction import compact_all

    compact_all(root)
    os.pwrite(report, b"%8d" % 1, 0)


def _fill(root: Path, report: int) -> None:
    from matrices import HYPOTHESES, KEYS, Counting, matrices

    made = matrices(root, Counting(root / "computed"))
    _filled(made, made.begin(KEYS, HYPOTHESES).id, report)


def _judge(root: Path, report: int) -> None:
    from matrices import HYPOTHESES, KEYS, judged
    from model_clients import Clock, Models

    from litterm.model.evidence import EvidenceLlmOptions

    model = Models(root / "home", (root / "server").read_text(), Clock())()
    made = judged(root, model)
    _filled(made, made.begin(KEYS, HYPOTHESES, options=EvidenceLlmOptions("sections")).id, report)
    model.close()


def _filled(made: Matrices, key: str, report: int) -> None:
    from litterm.core.tasks import run
    from litterm.model.events import CellFilled, Event

    stored = 0

    def tell(event: Event) -> None:
        nonlocal stored
        if isinstance(event, CellFilled):
            stored += 1
            os.pwrite(report, b"%8d" % stored, 0)

    run(made.fill(key), tell)


def _add(root: Path, report: int) -> None:
    _driven(root, report, lambda engine: engine.add([root / "input"]))


def _sync(root: Path, report: int) -> None:
    from litterm.model.services import Scope
    from litterm.services import arxiv, sync

    arxiv._PAGE_SIZE = sync._MAX_PENDING_PAPERS = SYNCED_AT_ONCE
    _driven(root, report, lambda engine: engine.services.sync("arxiv", Scope("cat:cs.CL")))


def _driven(root: Path, report: int, task: Callable[[Engine], Task[object]]) -> None:
    """A verb of the real engine, children included, in small publications."""
    from litterm.build import build_engine
    from litterm.core.settings import from_home
    from litterm.core.tasks import run
    from litterm.library.writer import library_writer as writer
    from litterm.model.events import Event, PapersStored

    def tell(event: Event) -> None:
        if isinstance(event, PapersStored):
            os.pwrite(report, b"%8d" % event.papers, 0)

    writer.BATCH_PAPERS = BATCH
    run(task(build_engine(from_home(root / "home"))), tell)


def _acts(job: str) -> Callable[[Path, int], None]:
    def perform_reported(root: Path, report: int) -> None:
        perform(root, job, lambda done: os.pwrite(report, b"%8d" % done, 0))

    return perform_reported


def _retry(root: Path, report: int) -> None:
    _driven(root, report, lambda engine: engine.retry_failures())


def _fetch(root: Path, report: int) -> None:
    """Full texts of all papers that have none, stored a few at a time; each time is reported when it is noted."""
    from litterm.build import build_engine
    from litterm.core.settings import from_home
    from litterm.core.tasks import run
    from litterm.services import full_text

    full_text._MAX_PENDING_TEXTS = FETCHED_AT_ONCE
    engine = build_engine(from_home(root / "home"))
    begun = engine.status().documents
    stored = full_text._store_texts

    def told(stock: PaperSink, haul: full_text._FetchedTexts) -> Task[None]:
        yield from stored(stock, haul)
        os.pwrite(report, b"%8d" % (engine.status().documents - begun), 0)

    full_text._store_texts = told
    run(engine.services.fetch([PaperId(f"arxiv:2001.{n:05d}") for n in range(FETCHED)]))


def _backup(root: Path, _report: int) -> None:
    from litterm.core.tasks import run
    from litterm.library.backup.create import back_up

    run(back_up(places_below(root), root / "backup.tar.gz", force=True))


def _restore(root: Path, _report: int) -> None:
    from litterm.core.tasks import run
    from litterm.library.backup.restore import restore

    run(restore(places_below(root / "restored"), root / "backup.tar.gz"))


def places_below(home: Path) -> BackupPlaces:
    """What is backed up of a home."""
    from litterm.cli.library.backup import backup_places
    from litterm.core.settings import from_home

    return backup_places(from_home(home))


_JOBS = {
    "backup": _backup,
    "restore": _restore,
    "import": _import,
    "compact": _compact,
    "compact all": _compact_all,
    "matrix": _fill,
    "judge": _judge,
    "acl": _add,
    "jsonl": _add,
    "articles": _add,
    "zotero": _add,
    "sync": _sync,
    "retry": _retry,
    "fetch": _fetch,
    **{job: _acts(job) for job in JOBS},
}


def _forked(root: Path, job: str, die_at: int, limits: tuple[int, float], report: int) -> None:
    seams = itertools.count(1)

    def count(event: str, _args: tuple[object, ...]) -> None:
        if event in SEAMS:
            # A number of its own for every seam, whichever thread passes it.
            number = next(seams)
            os.pwrite(report, b"%8d" % number, 8)
            if number == die_at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    connect = state_module._connect

    def connect_and_count(address: str) -> Connection:
        connection = connect(address)
        connection.set_trace_callback(
            lambda statement: count("statement", ()) if statement.startswith(STATEMENTS) else None
        )
        return connection

    state_module._connect = connect_and_count
    largest_file, die_after_s = limits
    if die_after_s:
        # The default action of this signal ends the process as a kill does: at once, wherever it is.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, die_after_s)
    if largest_file:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    from litterm.core.errors import LittermError

    try:
        _JOBS[job](root, report)
    except LittermError as error:
        os.pwrite(report, type(error).__name__.encode(), 16)


def main() -> None:
    """Answers commands until stdin closes."""
    import libraries  # noqa: F401 - warmed up before the first fork
    import matrices  # noqa: F401
    import model_clients  # noqa: F401
    import openai  # noqa: F401

    import litterm.annotations.annotations
    import litterm.engine.parts
    import litterm.evidence.matrix.matrices
    import litterm.library.import_files
    import litterm.reading_lists.reading_lists
    import litterm.services.online
    import litterm.services.registry  # noqa: F401

    for line in sys.stdin:
        root, job, die_at, *limits = json.loads(line)
        report = (
            os.memfd_create("report")
            if hasattr(os, "memfd_create")
            else os.open(f"{root}.report", os.O_RDWR | os.O_CREAT)
        )
        os.pwrite(report, b"%8d%8d" % (0, 0), 0)
        started = time.monotonic()
        pid = os.fork()
        if not pid:
            try:
                _forked(Path(root), job, die_at, tuple(limits), report)
            finally:
                os._exit(0)
        _, status = os.waitpid(pid, 0)
        seconds = time.monotonic() - started
        told = os.pread(report, 100, 0)
        os.close(report)
        code = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        answer = [code, told[16:].decode(), int(told[:8]), int(told[8:16]), seconds]
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
