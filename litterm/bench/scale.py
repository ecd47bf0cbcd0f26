"""A library of any size: the user's own papers again and again, some words exchanged, imported and searched."""

from __future__ import annotations

import json
import os
import platform
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

from litterm.bench.holdings import Holdings, read_holdings
from litterm.bench.imports import ran
from litterm.bench.report import Metric, Report, Row
from litterm.bench.speed import K, asked_of, ranking_rows
from litterm.errors import DiskFull
from litterm.model.events import Progress
from litterm.settings import Settings, from_home
from litterm.store.library import DuckLibrary
from litterm.tasks import Task

_EXCHANGED: Final = 8
"""One word in so many is another paper's."""
_BYTES: Final = 4_000
"""On disk per paper, the lines it is read from included."""
_STEP: Final = 10_000


def measure(settings: Settings, count: int, questions: Path | None = None) -> Task[Report]:
    """Import and search of `count` papers made from those of the library of `settings`; needs 4 GB a million.

    Raises:
        DiskFull: the temporary folder has no room for it.
        UsageError: the library is empty.
    """
    library = DuckLibrary(settings.library)
    asked = asked_of(library, questions)
    holdings = yield from read_holdings(library)
    with TemporaryDirectory(prefix="litterm-bench-") as folder:
        if shutil.disk_usage(folder).free < count * _BYTES:
            raise DiskFull(
                f"{count:,} papers need {count * _BYTES // 10**9 + 1} GB in {folder}; set TMPDIR to a larger disk."
            )
        lines = Path(folder) / "papers.jsonl"
        with lines.open("w", encoding="utf-8") as stream:
            yield from _write(stream, holdings, count)
        del holdings
        home = Path(folder) / "home"
        seconds, peak_mb = yield from ran(
            ["add", str(lines)], dict(os.environ) | {"LITTERM_HOME": str(home)}, "importing"
        )
        lines.unlink()
        rows = yield from ranking_rows(DuckLibrary(from_home(home).library), asked)
    memory = () if peak_mb is None else (Metric("peak MB", peak_mb),)
    imported = Row(f"import of {count:,} papers", (Metric("s", seconds), *memory))
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    note = f"{count:,} synthetic papers, best {K} of each question; {machine}"
    return Report("speed", f"{count:,} papers", len(asked), (*rows, imported), (note,))


def _write(stream: IO[str], holdings: Holdings, count: int) -> Task[None]:
    for number, line in enumerate(synthetic(holdings.texts, holdings.years.tolist(), count)):
        if number % _STEP == 0:
            yield Progress("making papers", number, count)
        stream.write(line + "\n")


def synthetic(texts: Sequence[tuple[str, str]], years: Sequence[int], count: int) -> Iterator[str]:
    """`count` papers as lines of JSON; the same for the same arguments, no two with one title."""
    for number in range(count):
        dice = random.Random(number)
        title, abstract = (_exchanged(text, texts, dice) for text in texts[number % len(texts)])
        paper = {
            "id": f"local:bench-{number}",
            # Numbers tell titles apart: equal ones would be taken for one paper.
            "title": f"{title} {number}",
            "abstract": abstract,
            "year": years[number % len(years)] or None,
        }
        yield json.dumps(paper)


def _exchanged(text: str, texts: Sequence[tuple[str, str]], dice: random.Random) -> str:
    words = text.split()
    for _ in range(len(words) // _EXCHANGED):
        other = " ".join(texts[dice.randrange(len(texts))]).split()
        if other:
            words[dice.randrange(len(words))] = other[dice.randrange(len(other))]
    return " ".join(words)
