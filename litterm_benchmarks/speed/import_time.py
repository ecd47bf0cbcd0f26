"""How long an import takes as a command of its own, and how much memory all its processes hold at once."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from litterm.core.errors import ChildFailed
from litterm.core.tasks import Task
from litterm.library.workers.process import environment, module_command
from litterm.model.events import Progress
from litterm_benchmarks.report import MethodRow, Metric

_POLL_S = 0.1
_MEMORY_POLL_S = 0.5
"""Between two looks at the memory: each takes some milliseconds of a core the import wants, too."""
_NEW_TITLE = "Quokkas in the wild: one paper more"


@dataclass(frozen=True, slots=True)
class CommandRun:
    """What a command took."""

    seconds: float
    cpu_s: float
    """Of all its processes."""
    peak_mb: float | None
    """Memory of all its processes at once; `None` where the system does not tell."""

    def __add__(self, other: CommandRun) -> CommandRun:
        """One after the other."""
        peaks = [run.peak_mb for run in (self, other) if run.peak_mb is not None]
        return CommandRun(self.seconds + other.seconds, self.cpu_s + other.cpu_s, max(peaks, default=None))

    def row(self, method: str) -> MethodRow:
        """Its row."""
        memory = () if self.peak_mb is None else (Metric("peak MB", self.peak_mb),)
        return MethodRow(method, (Metric("s", self.seconds), Metric("cpu s", self.cpu_s), *memory))


def measure_imports(archive: Path) -> Task[list[MethodRow]]:
    """`litterm add` of `archive` into an empty library, again, and of one paper more until it is found.

    Raises:
        ChildFailed: the command did not succeed.
    """
    with tempfile.TemporaryDirectory(prefix="litterm-bench-") as folder:
        settled = environment({"LITTERM_HOME": folder})
        first = yield from run_command(["add", str(archive)], settled, "importing")
        again = yield from run_command(["add", str(archive)], settled, "importing again")
        more = yield from one_more(Path(folder), settled)
    return [first.row(f"import of {archive.name}"), again.row("the same import once more"), *more]


def one_more(folder: Path, settled: dict[str, str]) -> Task[list[MethodRow]]:
    """A paper of a file made in `folder` added to the library of the environment `settled` and searched for.

    Raises:
        ChildFailed: a command did not succeed.
    """
    file = folder / "one.jsonl"
    file.write_text(json.dumps({"id": "local:bench-quokka", "title": _NEW_TITLE}) + "\n", "utf-8")
    added = yield from run_command(["add", str(file)], settled, "adding one paper")
    search = yield from run_command(["search", f'"{_NEW_TITLE}"', "--json"], settled, "finding it")
    return [(added + search).row("one paper added and found"), search.row("of that, finding it")]


def tree_memory_mb(pid: int) -> float | None:
    """Proportional memory of a process and all that descend from it, in MB; `None` where the system does not tell."""
    kilobytes = [_held_kilobytes(kilobytes_of) for kilobytes_of in _tree(pid)]
    known = [kilobytes_of for kilobytes_of in kilobytes if kilobytes_of is not None]
    return sum(known) / 1024 if known else None


def run_command(arguments: Sequence[str], settled: dict[str, str], what: str) -> Task[CommandRun]:
    """What the command `litterm ARGUMENTS` takes.

    Raises:
        ChildFailed: it did not succeed.
    """
    started, busy = time.perf_counter(), _cpu_of_children()
    peak: float | None = None
    with subprocess.Popen(
        module_command("litterm", *arguments),
        env=settled,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            looked = 0.0
            while not _has_ended(process):
                if time.perf_counter() - looked >= _MEMORY_POLL_S:
                    looked, memory = time.perf_counter(), tree_memory_mb(process.pid)
                    peak = memory if peak is None else max(peak, memory or 0.0)
                yield Progress(f"{what} (seconds)", round(time.perf_counter() - started))
        finally:
            process.kill()
    if process.returncode:
        raise ChildFailed(f"litterm {' '.join(arguments)} ended with {process.returncode}; run it by hand to see why.")
    return CommandRun(time.perf_counter() - started, _cpu_of_children() - busy, peak)


def _cpu_of_children() -> float:
    """Seconds of all commands that have ended, and of the processes they waited for."""
    times = os.times()
    return times.children_user + times.children_system


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _tree(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # From the last bracket on: the name within them may hold anything, blanks and brackets included.
            parent = int(stat.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    # The list grows while it is walked, so that children of children are found as well.
    descendants = [pid]
    for process in descendants:
        descendants += children.get(process, ())
    return descendants


def own_megabytes(pid: int) -> float:
    """Memory of a process without mapped files, in MB; 0 once it has ended, or where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("utf-8", "replace").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:")), 0.0)


def _held_kilobytes(pid: int) -> int | None:
    """Kilobytes, shared pages divided among those who share them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), None)
