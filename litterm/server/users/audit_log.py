"""The audit log: one JSON line per request with user, time and operation; never the contents of request or answer."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from litterm.core.durable_files import utc_now
from litterm.core.filesystem import open_private

AUDIT_FILE = "audit.jsonl"
_MAX_FILE_BYTES, _MAX_OLD_FILES = 10_000_000, 9


@dataclass(frozen=True, slots=True)
class AuditLine:
    """A request that has ended."""

    user: str
    address: str
    operation: str
    status: int
    milliseconds: int
    bytes_in: int
    bytes_out: int


class _QuietFile(RotatingFileHandler):
    """A log file for its owner alone, whose errors are ignored.

    A full disk must not prevent answers, nor fill standard error.
    """

    def _open(self) -> TextIOWrapper:
        """Called by `logging` for the first line, and for that after each rotation."""
        file = open(self.baseFilename, "ab", opener=open_private)  # noqa: SIM115 - the handler closes it
        return TextIOWrapper(file, encoding=self.encoding, errors=self.errors)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name that logging calls
        """Leaves the line out."""


class AuditLog:
    """Appends to `audit.jsonl` in `folder`, which is rotated at ten megabytes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / AUDIT_FILE
        # Of an older litterm, which let others read what it began after a rotation.
        for path in folder.glob(f"{AUDIT_FILE}*"):
            path.chmod(0o600)
        self._handler = _QuietFile(
            self.path,
            maxBytes=_MAX_FILE_BYTES,
            backupCount=_MAX_OLD_FILES,
            encoding="utf-8",
            errors="backslashreplace",
            delay=True,
        )
        self._handler.setFormatter(logging.Formatter("%(message)s"))

    def write(self, line: AuditLine) -> None:
        """Writes one line, which survives a kill of the process but not a power failure."""
        fields = {
            "at": utc_now(),
            "user": line.user,
            "address": line.address,
            "verb": line.operation,
            "status": line.status,
            "ms": line.milliseconds,
            "bytes_in": line.bytes_in,
            "bytes_out": line.bytes_out,
        }
        self._handler.handle(logging.makeLogRecord({"msg": json.dumps(fields), "levelno": logging.INFO}))

    def close(self) -> None:
        """Closes the file."""
        self._handler.close()
