"""Starting another Python: with the modules of this one, and with none from the working directory.

`python -m` looks for modules in the working directory first: a file `queue.py` beside somebody's papers would be run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PACKAGES_FOLDER: Final = str(Path(__file__).resolve().parents[3])
_RUN_MODULE_CODE: Final = (
    "import sys; folder, module = sys.argv[1:3]; del sys.argv[1:3]; folder in sys.path or sys.path.append(folder); "
    "import runpy; runpy.run_module(module, run_name='__main__', alter_sys=True)"
)
"""The folder that contains litterm comes last: a checkout that is not installed must not hide the standard library."""
_detached_processes: Final[list[subprocess.Popen[bytes]]] = []
"""Detached processes. They are polled now and then, so that one that has ended does not stay behind as a zombie."""


def module_command(module: str, *arguments: str) -> list[str]:
    """What `python -m MODULE ARGUMENTS` would run, safe in any working directory; see `environment`."""
    return python_command("-c", _RUN_MODULE_CODE, _PACKAGES_FOLDER, module, *arguments)


def python_command(*arguments: str) -> list[str]:
    """This Python with `arguments`, which puts no folder before its own modules."""
    return [sys.executable, "-P", *arguments]


def environment(changes: Mapping[str, str] = {}) -> dict[str, str]:
    """This process's environment with `changes`, for a Python: no entry of `PYTHONPATH` is relative.

    An empty entry, left by `PYTHONPATH=$PYTHONPATH:/more`, is the working directory.
    """
    variables = {**os.environ, **changes, "PYTHONSAFEPATH": "1"}
    entries = variables.pop("PYTHONPATH", "").split(os.pathsep)
    if absolute := [entry for entry in entries if Path(entry).is_absolute()]:
        variables["PYTHONPATH"] = os.pathsep.join(absolute)
    return variables


def start_detached(module: str, argument: str, *, log: Path) -> subprocess.Popen[bytes] | None:
    """Starts `module` with `argument` as a process that continues when this one ends; its errors go to `log`.

    Nobody has to wait for it. `None` where `log` cannot be written.
    """
    _detached_processes[:] = [process for process in _detached_processes if process.poll() is None]
    try:
        errors = log.open("wb")
    except OSError:
        return None
    with errors:
        process = subprocess.Popen(
            module_command(module, argument),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            # Neither ctrl+c nor a closed terminal is meant for it.
            start_new_session=True,
        )
    _detached_processes.append(process)
    return process
