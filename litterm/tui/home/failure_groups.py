"""Failures as a list shows them: one row for the many lines of a file that fail for the same reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litterm.model.library import Failure

_IN_FILE = re.compile(r"(?P<file>.+):(?P<line>\d+)")


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Several rows of one file with the same cause."""

    file: str
    failures: tuple[Failure, ...]
    """At least two."""

    @property
    def origins(self) -> tuple[str, ...]:
        """Where each of them came from."""
        return tuple(failure.origin for failure in self.failures)


def group_failures(failures: Sequence[Failure]) -> tuple[Failure | FailureGroup, ...]:
    """What failed before what was only read in part, otherwise in the order of `failures`."""
    groups: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in sorted(failures, key=lambda failure: failure.missing == "fields"):
        in_file = _IN_FILE.fullmatch(failure.origin)
        place = in_file["file"] if in_file else failure.origin
        # With the cause as written: lines that fail differently must stay apart.
        groups.setdefault((place, failure.cause, failure.missing), []).append(failure)
    return tuple(
        FailureGroup(place, tuple(members)) if len(members) > 1 else members[0]
        for (place, _, _), members in groups.items()
    )
