"""How another Python is started: with the modules of this one, and with none from the working directory.

`python -m` looks for modules in the working directory first: a file `queue.py` beside somebody's papers would be run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PACKAGES: Final = str(Path(__file__).resolve().parents[3])
_BEGIN: Final = (
    "import sys; folder, module = sys.argv[1:3]; del sys.argv[1:3]; folder in sys.path or sys.path.append(folder); "
    "import runpy; runpy.run_module(module, run_name='__main__', alter_sys=True)"
)
"""The folder litterm lies in comes last: a checkout that is not installed must not hide the standard library."""


def module_command(module: str, *arguments: str) -> list[str]:
    """What `python -m MODULE ARGUMENTS` would run, safe in any working directory; see `environment`."""
    return python_command("-c", _BEGIN, _PACKAGES, module, *arguments)


def python_command(*arguments: str) -> list[str]:
    """This Python with `arguments`, which puts no folder before its own modules."""
    return [sys.executable, "-P", *arguments]


def environment(changes: Mapping[str, str] = {}) -> dict[str, str]:
    """This process's environment with `changes`, for a Python: no entry of `PYTHONPATH` depends on where one stands.

    An empty entry, left by `PYTHONPATH=$PYTHONPATH:/more`, is the working directory.
    """
    variables = {**os.environ, **changes, "PYTHONSAFEPATH": "1"}
    entries = variables.pop("PYTHONPATH", "").split(os.pathsep)
    if absolute := [entry for entry in entries if Path(entry).is_absolute()]:
        variables["PYTHONPATH"] = os.pathsep.join(absolute)
    return variables
