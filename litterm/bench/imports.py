"""How long an import takes as a command of its own, and how much memory all its processes hold at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from litterm.bench.report import Metric, Row
from litterm.errors import ChildFailed
from litterm.model.events import Progress
from litterm.tasks import Task

_POLL_S = 0.1
_LOOK_S = 0.5
"""Between two looks at the memory: each takes some milliseconds of a core the import wants, too."""
_TITLE = "Quokkas in the wild: one paper more"


def measure_imports(archive: Path) -> Task[list[Row]]:
    """`litterm add` of `archive` into an empty library, again, and of one paper more until it is found.

    Raises:
        ChildFailed: the command did not succeed.
    """
    with tempfile.TemporaryDirectory(prefix="litterm-bench-") as folder:
        environment = dict(os.environ) | {"LITTERM_HOME": folder}
        first_s, peak_mb = yield from ran(["add", str(archive)], environment, "importing")
        again_s, _ = yield from ran(["add", str(archive)], environment, "importing again")
        more = yield from one_more(Path(folder), environment)
    memory = () if peak_mb is None else (Metric("peak MB", peak_mb),)
    return [
        Row(f"import of {archive.name}", (Metric("s", first_s), *memory)),
        Row("the same import once more", (Metric("s", again_s),)),
        more,
    ]


def one_more(folder: Path, environment: dict[str, str]) -> Task[Row]:
    """A paper of a file made in `folder` added to the library of `environment` and searched for.

    Raises:
        ChildFailed: a command did not succeed.
    """
    one = folder / "one.jsonl"
    one.write_text(json.dumps({"id": "local:bench-quokka", "title": _TITLE}) + "\n", "utf-8")
    added_s, _ = yield from ran(["add", str(one)], environment, "adding one paper")
    found_s, held_mb = yield from ran(["search", f'"{_TITLE}"', "--json"], environment, "finding it")
    memory = () if held_mb is None else (Metric("search peak MB", held_mb),)
    return Row("one paper added and found", (Metric("s", added_s + found_s), Metric("found s", found_s), *memory))


def tree_memory_mb(pid: int) -> float | None:
    """Proportional memory of a process and all that descend from it, in MB; `None` where the system does not tell."""
    kilobytes = [_held(each) for each in _tree(pid)]
    known = [each for each in kilobytes if each is not None]
    return sum(known) / 1024 if known else None


def ran(arguments: Sequence[str], environment: dict[str, str], what: str) -> Task[tuple[float, float | None]]:
    """Seconds and peak memory in MB, of all its processes at once, that the command `litterm ARGUMENTS` takes.

    Raises:
        ChildFailed: it did not succeed.
    """
    started = time.perf_counter()
    peak: float | None = None
    with subprocess.Popen(
        [sys.executable, "-m", "litterm", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            looked = 0.0
            while not _ended(process):
                if time.perf_counter() - looked >= _LOOK_S:
                    looked, held = time.perf_counter(), tree_memory_mb(process.pid)
                    peak = held if peak is None else max(peak, held or 0.0)
                yield Progress(f"{what} (seconds)", round(time.perf_counter() - started))
        finally:
            process.kill()
    if process.returncode:
        raise ChildFailed(f"litterm {' '.join(arguments)} ended with {process.returncode}; run it by hand to see why.")
    return time.perf_counter() - started, peak


def _ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def _tree(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in brackets may hold anything, blanks included.
            parent = int(stat.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, ())
    return found


def _held(pid: int) -> int | None:
    """Kilobytes, shared pages divided among those who share them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), None)
