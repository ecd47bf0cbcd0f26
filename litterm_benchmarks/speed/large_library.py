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

from litterm.core.errors import DiskFull
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import Task
from litterm.library.segments.library import DuckLibrary
from litterm.library.workers.interpreter import environment
from litterm.model.events import Progress
from litterm.model.paper import Paper
from litterm_benchmarks.report import BenchReport
from litterm_benchmarks.search.bench_library import records_of
from litterm_benchmarks.speed.import_time import one_more, run_command
from litterm_benchmarks.speed.search_speed import K, ranking_rows, read_queries

_EXCHANGED_SHARE: Final = 8
"""One word in so many is another paper's."""
_MAX_WORD_CHARS: Final = 40
"""Letters of a word; texts of languages without blanks are cut."""
_BYTES_PER_PAPER: Final = 6_000
"""On disk per paper, the lines it is read from and what compaction has still to remove included."""
_PAPERS_PER_EVENT: Final = 10_000


def measure(settings: Settings, count: int, questions: Path | None = None) -> Task[BenchReport]:
    """Import and search of `count` papers made from those of the library of `settings`; needs 6 GB a million.

    Raises:
        DiskFull: the temporary folder has no room for it.
        UsageError: the library is empty.
    """
    library = DuckLibrary(settings.library)
    queries = read_queries(library, questions)
    with TemporaryDirectory(prefix="litterm-bench-") as folder:
        if shutil.disk_usage(folder).free < count * _BYTES_PER_PAPER:
            raise DiskFull(
                f"{count:,} papers need {count * _BYTES_PER_PAPER // 10**9 + 1} GB in {folder};"
                " set TMPDIR to a larger disk."
            )
        lines, home = Path(folder) / "papers.jsonl", Path(folder) / "home"
        with lines.open("w", encoding="utf-8") as stream:
            yield from _write(stream, library, count)
        settled = environment({"LITTERM_HOME": str(home)})
        imported = yield from run_command(["add", str(lines)], settled, "importing")
        lines.unlink()
        more = yield from one_more(Path(folder), settled)
        rows = yield from ranking_rows(DuckLibrary(from_home(home).library), queries)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    note = f"{count:,} synthetic papers, best {K} of each question; {machine}"
    rows += [imported.row(f"import of {count:,} papers"), *more]
    return BenchReport("speed", f"{count:,} papers", len(queries), tuple(rows), (note,))


def _write(stream: IO[str], library: DuckLibrary, count: int) -> Task[None]:
    papers: list[Paper] = []
    for parsed in records_of(library):
        if len(papers) % _PAPERS_PER_EVENT == 0:
            yield Progress("reading the library", len(papers))
        papers.append(parsed.paper)
    for number, line in enumerate(synthetic_papers(papers, count)):
        if number % _PAPERS_PER_EVENT == 0:
            yield Progress("making papers", number, count)
        stream.write(line + "\n")


def synthetic_papers(papers: Sequence[Paper], count: int) -> Iterator[str]:
    """`count` papers as lines of JSON; the same for the same arguments, no two with one title."""
    texts = [f"{paper.title} {paper.abstract}" for paper in papers]
    for number in range(count):
        dice = random.Random(number)
        paper = papers[number % len(papers)]
        records = {
            "id": f"local:bench-{number}",
            # Numbers tell titles apart: equal ones would be taken for one paper.
            "title": f"{_exchange_words(paper.title, texts, dice)} {number}",
            "abstract": _exchange_words(paper.abstract, texts, dice),
            "authors": [{"family": author.family, "given": author.given} for author in paper.authors],
            "venue": paper.venue,
            "year": paper.year,
        }
        yield json.dumps(records)


def _exchange_words(text: str, texts: Sequence[str], dice: random.Random) -> str:
    words = text.split()
    for _ in range(len(words) // _EXCHANGED_SHARE):
        words[dice.randrange(len(words))] = _any_word(texts[dice.randrange(len(texts))], dice)
    return " ".join(words)


def _any_word(text: str, dice: random.Random) -> str:
    """A word of `text`; splitting a whole abstract for one of its words would take as long as the import."""
    start = text.find(" ", dice.randrange(len(text))) + 1
    return text[start : start + _MAX_WORD_CHARS].partition(" ")[0]
