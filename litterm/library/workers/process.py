"""Starting another Python, and a child process as its parent sees it: requests, replies, timeouts and killing.

The other Python has the modules of this one, and none from the working directory: `python -m` looks there first, and a
file `queue.py` beside somebody's papers would be run.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from litterm.core import errors
from litterm.core.errors import ChildFailed, LittermError

_PACKAGES_FOLDER: Final = str(Path(__file__).resolve().parents[3])
_RUN_MODULE_CODE: Final = (
    "import sys; folder, module = sys.argv[1:3]; del sys.argv[1:3]; folder in sys.path or sys.path.append(folder); "
    "import runpy; runpy.run_module(module, run_name='__main__', alter_sys=True)"
)
"""The folder that contains litterm comes last: a checkout that is not installed must not hide the standard library."""
_detached_processes: Final[list[subprocess.Popen[bytes]]] = []
"""Detached processes. They are polled now and then, so that one that has ended does not stay behind as a zombie."""
_LOG_TAIL_CHARS = 400
"""Characters of a dead child's log that are quoted in the error."""
_CLOSE_TIMEOUT_S = 1.0
_INHERITED_VARIABLE: Final = re.compile(
    # Where programs, the user's files and temporary files are.
    r"PATH|HOME|TMPDIR|TEMP|TMP"
    # The encoding of file names, and times.
    r"|LANG|LANGUAGE|LC_[A-Z]+|LOCPATH|LOCALE_ARCHIVE|TZ"
    # Where Python and compiled packages find what they load, and how many threads these start.
    r"|PYTHON[A-Z]+|VIRTUAL_ENV|__PYVENV_LAUNCHER__|LD_LIBRARY_PATH|DYLD_[A-Z_]+|NIX_LD[A-Z_]*"
    r"|(?:OMP|OPENBLAS|MKL|NUMEXPR|VECLIB)_[A-Z_]+|MALLOC_[A-Z_]+"
)


def module_command(module: str, *arguments: str) -> list[str]:
    """What `python -m MODULE ARGUMENTS` would run, safe in any working directory; see `environment`."""
    return python_command("-c", _RUN_MODULE_CODE, _PACKAGES_FOLDER, module, *arguments)


def python_command(*arguments: str) -> list[str]:
    """This Python with `arguments`, which puts no folder before its own modules."""
    return [sys.executable, "-P", *arguments]


def environment(changes: Mapping[str, str] = {}) -> dict[str, str]:
    """What a child process needs of this one's environment, with `changes`; no entry of `PYTHONPATH` is relative.

    A list of what goes on and not of what does not: a child reads the files of strangers, and needs none of the keys,
    tokens and passwords that may be in any variable. An empty entry of `PYTHONPATH`, left by
    `PYTHONPATH=$PYTHONPATH:/more`, is the working directory.
    """
    inherited = {name: value for name, value in os.environ.items() if _INHERITED_VARIABLE.fullmatch(name)}
    variables = {**inherited, **changes, "PYTHONSAFEPATH": "1"}
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
        error_log = log.open("wb")
    except OSError:
        return None
    with error_log:
        process = subprocess.Popen(
            module_command(module, argument),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=error_log,
            # Neither ctrl+c nor a closed terminal is meant for it.
            start_new_session=True,
        )
    _detached_processes.append(process)
    return process


class Child:
    """One child process for the job `job`, answering requests in the order they are sent.

    Spawned, never forked: forking beside threads deadlocks. One thread at a time may use it.
    """

    def __init__(self, job: str) -> None:
        self._job = job
        self._resources = ExitStack()
        # A file and not a pipe: a pipe that is not read fills up and stops the child.
        self._log = self._resources.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it lives as long as the child
        self._buffer = b""
        self._process = subprocess.Popen(
            module_command("litterm.library.workers", job),
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests = self._resources.enter_context(self._process.stdin)
        self._replies = self._resources.enter_context(self._process.stdout)
        # A selector may say that there is something, and a read still wait.
        os.set_blocking(self._replies.fileno(), False)
        # Not `select`, which refuses descriptors above 1,023: a server has more of them open.
        self._answered = self._resources.enter_context(selectors.PollSelector())
        self._answered.register(self._replies, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """Of the child."""
        return self._process.pid

    def ask(self, request: Mapping[str, object]) -> None:
        """Sends one request; the answer comes by `poll` or `wait`.

        Raises:
            ChildFailed: the child is dead.
        """
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
        except OSError as error:
            raise self._failure("ended before its work was done") from error

    def poll(self, timeout_s: float = 0.0) -> Mapping[str, object] | None:
        """The next answer if it comes within `timeout_s`, else `None`.

        Raises:
            ChildFailed: the child died.
            LittermError: what the job itself raised.
        """
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._buffer:
            remaining_s = max(0.0, deadline - time.monotonic())
            if not self._answered.select(remaining_s):
                return None
            piece = os.read(self._replies.fileno(), 1 << 20)
            if not piece:
                raise self._failure("ended before its work was done")
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return _unwrap(json.loads(line))

    def wait(self, timeout_s: float) -> Mapping[str, object]:
        """The next answer; a child that has none after `timeout_s` is killed.

        Raises:
            ChildFailed: it died or ran out of time.
            LittermError: what the job itself raised.
        """
        answer = self.poll(timeout_s)
        if answer is None:
            self.kill()
            raise ChildFailed(f"The {self._job} child took longer than {timeout_s:.0f} s and was stopped.")
        return answer

    @property
    def alive(self) -> bool:
        """Whether it can still answer."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Ends it at once, whatever it does."""
        self._process.kill()
        self._clean_up()

    def close(self) -> None:
        """Gives it a second to end on its own; harmless when it is dead."""
        try:
            self._requests.close()
            self._process.wait(_CLOSE_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
        self._clean_up()

    def _clean_up(self) -> None:
        self._process.wait()
        # A pipe to a dead child may refuse to be flushed; it is closed all the same.
        with suppress(OSError):
            self._resources.close()

    def _failure(self, symptom: str) -> ChildFailed:
        # A closed output comes a moment before the end of the process, whose code shows the cause.
        code = self._process.wait()
        cause = f"signal {-code}" if code < 0 else f"exit code {code}"
        self._log.seek(0)
        tail = self._log.read().decode("utf-8", "replace").strip()[-_LOG_TAIL_CHARS:]
        ending = f": {tail.splitlines()[-1]}" if tail else "."
        return ChildFailed(f"The {self._job} child {symptom} ({cause}){ending}")


def _unwrap(reply: Mapping[str, object]) -> Mapping[str, object]:
    answer = reply.get("done")
    if isinstance(answer, dict):
        return answer
    kind = getattr(errors, str(reply.get("error")), ChildFailed)
    # A `QueryError` is made from more than its message, and no job reads queries.
    if not (isinstance(kind, type) and issubclass(kind, LittermError)) or kind is errors.QueryError:
        kind = ChildFailed
    raise kind(str(reply.get("message", "It gave no answer.")))
