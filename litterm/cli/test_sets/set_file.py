"""The file of a test set: written item by item, so that a run that was stopped is continued by the next."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path

from litterm.core.errors import BadInput
from litterm.core.user_files import refusal, resolve_target


@dataclass(slots=True)
class SetFile:
    """A test set on disk, one item a line."""

    path: Path
    heading: str = ""
    """The first line of a table; empty for lines of JSON."""

    def read_keys(self) -> frozenset[str]:
        """Keys of the items that are there. A last line without an end, which a kill leaves, is removed.

        Raises:
            BadInput: it cannot be read, or is a file of another kind.
        """
        try:
            content = self.path.read_bytes() if self.path.exists() else b""
            whole = content[: content.rfind(b"\n") + 1]
            if len(whole) < len(content):
                self._refuse_other(whole or content + b"\n")
                os.truncate(self.path, len(whole))
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be read ({error.strerror}).") from error
        self._refuse_other(whole)
        lines = whole.decode("utf-8", "replace").splitlines()
        return frozenset(map(self._key, lines[1:] if self.heading else lines))

    def append(self, line: str) -> None:
        """Adds an item; it is on disk when this returns.

        Raises:
            BadInput, DiskFull: it cannot be written.
        """
        real = resolve_target(self.path)
        try:
            # Opened for each item, so that a kill loses none that was written.
            with real.open("a", encoding="utf-8", errors="replace", newline="") as file:
                if not file.tell():
                    file.write(self.heading)
                file.write(line)
        except OSError as error:
            raise refusal(self.path, error) from error

    def _refuse_other(self, content: bytes) -> None:
        """Refuses to continue a file that holds something else."""
        first = content.partition(b"\n")[0].decode("utf-8", "replace")
        is_ours = not content or (f"{first}\n" == self.heading if self.heading else bool(self._key(first)))
        if not is_ours:
            raise BadInput(f"{self.path}: holds something else, and is not continued; name another file.")

    def _key(self, line: str) -> str:
        if self.heading:
            return next(csv.reader(io.StringIO(line)), [""])[0]
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return ""
        return str(row.get("id", "")) if isinstance(row, dict) and "by" in row else ""
