"""Known items: does a well-known paper come first for the few words one remembers of it.

The queries are ours: names and title words of papers of the ACL Anthology, as short as they are typed, which none of
the published benchmarks asks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.bench import litsearch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from litterm.bench.report import Report
    from litterm.bench.subject import Subject
    from litterm.tasks import Task


def measure(path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None) -> Task[Report]:
    """Every query of the file, in the form of `litsearch`, over the papers of `subject`.

    Raises:
        BadInput: the file is not in a known form.
        UsageError: it holds no query, or a method is not known.
    """
    report = yield from litsearch.measure(path, subject, methods=methods, until=until)
    return replace(report, bench="known-items")
