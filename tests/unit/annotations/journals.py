"""A journal in memory for annotations that need no disk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from litterm.core.errors import DiskFull


class ListJournal:
    """A journal over a list that several annotations may share; lines go through JSON as on disk."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, str]] = []
        self.full = False

    def append(self, kind: str, body: Mapping[str, object]) -> None:
        self.append_all([(kind, body)])

    def append_all(self, entries: list[tuple[str, Mapping[str, object]]]) -> None:
        if self.full:
            raise DiskFull("No room left.")
        for kind, body in entries:
            self.lines.append((f"2026-11-21T00:00:{len(self.lines) % 60:02}Z", kind, json.dumps(body)))

    def entries(self, since: object = None) -> Iterator[tuple[str, str, Mapping[str, object]]]:
        start = since if isinstance(since, int) else 0
        # One line too many, as the protocol allows: a reader must not take it in twice.
        for at, kind, body in self.lines[max(0, start - 1) :]:
            yield at, kind, json.loads(body)

    def version(self) -> object:
        return len(self.lines)


class MemorySession:
    """A session file over one attribute."""

    def __init__(self) -> None:
        self.body: Mapping[str, object] = {}

    def load(self) -> Mapping[str, object]:
        return self.body

    def save(self, body: Mapping[str, object]) -> None:
        self.body = json.loads(json.dumps(body))
