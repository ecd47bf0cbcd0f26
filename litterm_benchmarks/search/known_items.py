"""Known items: does a well-known paper come first for the few words one remembers of it.

The queries are ours: names and title words of papers of the ACL Anthology, as short as they are typed, which none of
the published benchmarks asks. The weight of a bare name was settled on all of them, so that what they say of it is no
evidence. From now on weights may be settled on the half *tuned on* alone; the half *held out* is only measured.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm_benchmarks.readers.litsearch import LitSearchQuestion, question
from litterm_benchmarks.search import litsearch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from litterm.core.tasks import Task
    from litterm_benchmarks.report import BenchReport
    from litterm_benchmarks.search.litterm_methods import Subject

TUNED_ON, HELD_OUT = "tuned on", "held out"
NOTE = (
    "until 2026-11-22 weights were settled on all of these queries; since then the half `held out`, chosen by a hash "
    "of the query, is only measured"
)


def measure(
    path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None
) -> Task[BenchReport]:
    """Every query of the file, in the form of `litsearch`, over the papers of `subject`; each half by itself, too.

    Raises:
        BadInput: the file is not in a known form.
        UsageError: it holds no query, or a method is not known.
    """
    report = yield from litsearch.measure(path, subject, methods=methods, until=until, read=_read_row)
    return replace(report, bench="known-items", notes=(*report.notes, NOTE))


def half(query: str) -> str:
    """The half that a query belongs to, chosen by its hash."""
    return HELD_OUT if hashlib.sha256(query.encode()).digest()[0] % 2 else TUNED_ON


def _read_row(row: Mapping[str, object], number: int) -> LitSearchQuestion:
    item = question(row, number)
    return replace(item, parts=(*item.parts, ("half", half(item.query))))
