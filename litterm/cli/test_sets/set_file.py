"""The file of a test set: written item by item, so that a run that was stopped is continued by the next."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from litterm.core.durable_files import replace_file
from litterm.core.errors import BadInput
from litterm.core.user_files import refusal, resolve_target


@dataclass(slots=True)
class SetFile:
    """A test set on disk, one item a line."""

    path: Path
    heading: str = ""
    """The first line of a table; empty for lines of JSON."""

    def read_keys(self) -> frozenset[str]:
        """Keys of the items that are there. What a kill left half written is removed.

        Raises:
            BadInput: it cannot be read, or is a file of another kind.
        """
        try:
            content = self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be read ({error.strerror}).") from error
        lines = content[: content.rfind(b"\n") + 1].decode("utf-8", "replace").splitlines(keepends=True)
        first = content.partition(b"\n")[0].decode("utf-8", "replace") + "\n"
        if content and not (first == self.heading if self.heading else self._key(first)):
            raise BadInput(f"{self.path}: holds something else, and is not continued; name another file.")
        items = lines[bool(self.heading) :]
        whole = "".join([self.heading, *items]).encode()
        if content and whole != content:
            replace_file(resolve_target(self.path), whole)
        return frozenset(map(self._key, items))

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

    def _key(self, line: str) -> str:
        if self.heading:
            return next(csv.reader(io.StringIO(line)), [""])[0]
        row = _read_object(line)
        return str(row.get("id", "")) if "by" in row else ""


def _read_object(line: str) -> Mapping[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}
