"""Rows of an attack that are finished, so that a long one can be stopped and gone on with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from .outcome import Outcome


class Log:
    """The rows of this call and, in a file, of those before it with the same seed and counts."""

    def __init__(self, path: Path | None, seed: int) -> None:
        self._path = path
        self._seed = seed
        self.outcomes: list[Outcome] = []

    def finished(self, suite: str, count: int) -> Sequence[str]:
        """Names of the rows of `suite` that need not be run again; they are among `outcomes` from now on."""
        if self._path is None or not self._path.exists():
            return ()
        rows = [json.loads(line) for line in self._path.read_text("utf-8").splitlines() if line.endswith("}")]
        known = [Outcome(**row["outcome"]) for row in rows if row["of"] == [self._seed, suite, count]]
        self.outcomes += known
        return [outcome.name for outcome in known]

    def keep(self, suite: str, count: int, outcome: Outcome) -> None:
        """One row that is finished."""
        self.outcomes.append(outcome)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"of": [self._seed, suite, count], "outcome": asdict(outcome)}) + "\n")
