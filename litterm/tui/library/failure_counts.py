"""How many records of an import failed or were read in part, in words."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.library import Failure


def failure_counts(failures: Sequence[Failure]) -> tuple[tuple[int, str], ...]:
    """Counts, each with what it counts; `!` lists both kinds."""
    in_part = sum(failure.missing == "fields" for failure in failures)
    return (len(failures) - in_part, "failed: press !"), (in_part, "read in part")
