"""The tables of a segment, as scripts applied in order; a published script is never edited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Script:
    """One step of the schema: `0001_first.sql` makes version 1."""

    version: int
    sql: str

    @property
    def statements(self) -> tuple[str, ...]:
        """In order, without comments' trailing blanks; each is one statement."""
        return tuple(statement.strip() for statement in self.sql.split(";\n") if statement.strip())


SCHEMA = 1
"""Version this litterm reads and writes: the number of its last script."""


@cache
def scripts() -> tuple[Script, ...]:
    """Every script, oldest first; version n is script number n."""
    # A reader never needs them, and importing this takes as long as opening a segment.
    from importlib.resources import files

    names = sorted(path.name for path in files(__package__).iterdir() if path.name.endswith(".sql"))
    return tuple(
        Script(int(name.partition("_")[0]), (files(__package__) / name).read_text(encoding="utf-8")) for name in names
    )
