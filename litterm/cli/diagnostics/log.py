"""The log file, shared by all running litterm processes, and the reports of unexpected errors and damaged files."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from litterm.core.filesystem import open_private, try_lock

MAX_LOG_BYTES = 1_000_000
MAX_ROTATED_FILES = 3
_LOG_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s %(message)s"


class SharedFileHandler(logging.Handler):
    """Appends every record with one write, so that lines of several processes never mix and none is lost in a crash.

    The file and its folder are made with the first record; where that fails, logging is silently off.
    """

    def __init__(
        self, path: Path, *, largest_bytes: int = MAX_LOG_BYTES, rotated_files: int = MAX_ROTATED_FILES
    ) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter(_LOG_FORMAT))
        self.path = path
        self._max_bytes = largest_bytes
        self._rotated_files = rotated_files

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record; a full disk or a missing permission must not end the command."""
        # Messages quote what services send; shown with `cat`, an escape in them would reach the terminal.
        line = self.format(record).replace("\x1b", "\\x1b") + "\n"
        try:
            self._append(line.encode("utf-8", "backslashreplace"))
        except OSError:
            return

    def _append(self, line: bytes) -> None:
        # Opened for each record: then another process may rename the file at any time.
        try:
            file = open_private(self.path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = open_private(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, line)
            size = os.fstat(file).st_size
        finally:
            os.close(file)
        if size > self._max_bytes:
            self._rotate()

    def _rotate(self) -> None:
        """`litterm.log` becomes `.1`, `.1` becomes `.2`, ...; by one process at a time."""
        lock = open_private(self.path.with_suffix(".lock"), os.O_RDWR)
        try:
            # Whoever holds the lock is rotating this very file.
            if not try_lock(lock, 0.0):
                return
            # Another process may have rotated it between our write and the lock.
            if self.path.stat().st_size <= self._max_bytes:
                return
            # From the oldest on, as each takes the place of the next.
            for number in range(self._rotated_files, 0, -1):
                older = self.path.with_name(f"{self.path.name}.{number}")
                newer = self.path if number == 1 else self.path.with_name(f"{self.path.name}.{number - 1}")
                if newer.exists():
                    newer.replace(older)
        finally:
            os.close(lock)


def start_log(path: Path) -> None:
    """Sends what litterm and its libraries log to `path`, instead of anywhere else."""
    root = logging.getLogger()
    # A second start in one process, as in tests, must not write every line twice.
    for handler in [handler for handler in root.handlers if isinstance(handler, SharedFileHandler)]:
        root.removeHandler(handler)
    root.addHandler(SharedFileHandler(path))
    root.setLevel(logging.WARNING)
    logging.getLogger("litterm").setLevel(logging.INFO)
    # Python would print warnings of libraries on standard error, in the middle of the workbench.
    logging.captureWarnings(True)


def report_bugs() -> None:
    """Installs the report of unexpected exceptions: a line on stderr, a traceback in the log, exit status 1.

    An exception in a thread is only logged: whoever waits for the thread finds out.
    """
    log = logging.getLogger("litterm")

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        from litterm.cli.terminal.output import standard_output

        log.critical("litterm stopped because of a bug %s", " ".join(sys.argv[1:2]), exc_info=(kind, error, trace))
        cause = f"{kind.__name__}: {error}".partition("\n")[0]
        standard_output(os.environ).say(f"litterm: this is a bug in litterm ({cause}); {_details_hint(trace)}.")

    def note(fault: threading.ExceptHookArgs) -> None:
        error = fault.exc_value or fault.exc_type()
        log.error("a bug ended a thread", exc_info=(fault.exc_type, error, fault.exc_traceback))

    # Before there is a log, logging would print the traceback itself.
    logging.getLogger().addHandler(logging.NullHandler())
    sys.excepthook = report
    threading.excepthook = note


def _details_hint(trace: TracebackType | None) -> str:
    """Where the details are: the log, or without one the place in the code."""
    files = [handler.path for handler in logging.getLogger().handlers if isinstance(handler, SharedFileHandler)]
    if files:
        return f"details are in {files[0]}"
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"it was at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "there are no details"


def report_damage(argv: Sequence[str]) -> bool:
    """Reports a damaged file of the library, if there is one, and logs the error; returns whether it found one."""
    from litterm.cli.parser import parse
    from litterm.cli.terminal.output import standard_output
    from litterm.core.settings import load
    from litterm.library.segments.repair.integrity import index_faults, list_faults

    # Loads the settings again: the error may have come before the command had any.
    typed = vars(parse(argv))
    root = load({"home": typed["home"]} if "home" in typed else {}, os.environ).library
    damage = next((fault for faults in (index_faults, list_faults) for fault in faults(root)), None)
    if damage is None:
        return False
    logging.getLogger("litterm").error("a damaged file ended litterm: %s", damage.cause, exc_info=True)
    reason = damage.cause[0].upper() + damage.cause[1:]
    standard_output(os.environ).say(f"litterm: {reason}; {damage.remedy}.")
    return True
