"""The workbench without a terminal, in a process of its own: CPU of each key's handler, and memory."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from litterm.core.errors import ChildFailed
from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.library.workers.process import environment, module_command
from litterm.model.events import Progress
from litterm_benchmarks.report import MethodRow, Metric
from litterm_benchmarks.timing import Lap, row

MODULE = "litterm_benchmarks.speed.key_driver"
"""What drives the workbench: it lies above the benches, which know no screen."""
IDLE = "--idle"
"""Its argument for a workbench that is left alone."""
_TIMEOUT_S = 1200
"""Many times what it takes; only a workbench that hangs is ended."""
_POLL_S = 0.2


def workbench(settings: Settings, panes: Sequence[str] = ()) -> Task[list[MethodRow]]:
    """Rows for the keys in `panes`, by default all, and for memory.

    At rest are a search, a paper and its evidence; then all that two rounds over the keys open comes to that.

    Raises:
        ChildFailed: the workbench could not be driven to the end.
    """
    home = {"LITTERM_HOME": str(settings.library.parent)} if settings.library.name == "library" else {}
    figures = yield from _driven(home, panes)
    handled = [Lap(wall, cpu - drawn) for wall, cpu, drawn in figures["keys"]]
    drawn = [Lap(wall, cpu) for wall, cpu, _ in figures["keys"]]
    return [
        row("a key's handler, over the key table", handled),
        row("the same, drawing included", drawn),
        *(MethodRow(when, tuple(Metric(*size) for size in sizes.items())) for when, sizes in figures["memory"].items()),
    ]


def idle_rows(home: Path) -> Task[list[MethodRow]]:
    """The row of a workbench over the library in `home` that nobody touches.

    Raises:
        ChildFailed: the workbench could not be driven to the end.
    """
    figures = yield from _driven({"LITTERM_HOME": str(home)}, [IDLE])
    return [MethodRow("workbench, idle", (Metric("cpu ms a second", figures["idle"]),))]


def _driven(home: dict[str, str], arguments: Sequence[str]) -> Task[Any]:
    with subprocess.Popen(
        module_command(MODULE, *arguments),
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            out, err = yield from _await_end(process)
        finally:
            process.kill()
    if process.returncode:
        raise ChildFailed(
            f"The workbench could not be measured: {err.strip().splitlines()[-1:] or process.returncode}."
        )
    return json.loads(out)


def _await_end(process: subprocess.Popen[str]) -> Task[tuple[str, str]]:
    waited = 0.0
    while True:
        try:
            return process.communicate(timeout=_POLL_S)
        except subprocess.TimeoutExpired:
            waited += _POLL_S
            yield Progress("keys of the workbench (seconds)", round(waited), 0)
            if waited > _TIMEOUT_S:
                process.kill()
