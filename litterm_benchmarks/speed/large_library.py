"""A library of any size: the user's own papers again and again, some words exchanged, imported and searched."""

from __future__ import annotations

import json
import os
import platform
import random
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import count as counting
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

from litterm.core.errors import DiskFull
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import Task, run
from litterm.library.lock import WriteLock
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import DATABASE, publish, read_manifest, segment_folder
from litterm.library.workers.memory import peak_megabytes
from litterm.library.workers.process import environment
from litterm.library.workers.segment_builder import COMPACTION_LOCK
from litterm.library.writer.compaction import SMALL_PAPERS
from litterm.model.events import Progress
from litterm.model.paper import Paper
from litterm_benchmarks.report import BenchReport, MethodRow, Metric
from litterm_benchmarks.search.bench_library import records_of
from litterm_benchmarks.speed.import_time import one_more, run_command
from litterm_benchmarks.speed.search_speed import K, ranking_rows, read_queries

_EXCHANGED_SHARE: Final = 8
"""One word in so many is another paper's."""
_MAX_WORD_CHARS: Final = 40
"""Letters of a word; texts of languages without blanks are cut."""
_BYTES_PER_PAPER: Final = 6_000
"""On disk per paper, the lines it is read from and what compaction has still to remove included."""
_BYTES_PER_COPY: Final = 2_200
"""On disk per paper of a copied segment, which shares its records."""
_PAPERS_PER_EVENT: Final = 10_000


def measure(
    settings: Settings, count: int, questions: Path | None = None, *, distinct: int | None = None
) -> Task[BenchReport]:
    """Import and search of `count` papers made from those of the library of `settings`; needs 6 GB a million.

    With `distinct` only so many are made and imported, and the others are copies of their large segments: a search
    takes as long as over other papers, and the import is spared.

    Raises:
        DiskFull: the temporary folder has no room for it.
        UsageError: the library is empty.
    """
    library = DuckLibrary(settings.library)
    queries = read_queries(library, questions)
    with TemporaryDirectory(prefix="litterm-bench-") as folder:
        made = min(count, distinct or count)
        bytes_needed = made * _BYTES_PER_PAPER + (count - made) * _BYTES_PER_COPY
        if shutil.disk_usage(folder).free < bytes_needed:
            raise DiskFull(
                f"{count:,} papers need {bytes_needed // 10**9 + 1} GB in {folder}; set TMPDIR to a larger disk."
            )
        lines, home = Path(folder) / "papers.jsonl", Path(folder) / "home"
        with lines.open("w", encoding="utf-8") as stream:
            yield from _write(stream, library, made)
        settled = environment({"LITTERM_HOME": str(home)})
        imported = yield from run_command(["add", str(lines)], settled, "importing")
        lines.unlink()
        more = yield from one_more(Path(folder), settled)
        root = from_home(home).library
        lock = WriteLock(root / COMPACTION_LOCK)
        # The import may still be merging segments in the background: it must not take in copies, nor disturb searches.
        yield from lock.acquire()
        try:
            yield from repeat_segments(root, count)
            yield Progress("searching")
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
                rows = child.submit(search_rows, root, queries).result()
        finally:
            lock.release()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    note = f"{count:,} synthetic papers, best {K} of each question; {machine}"
    rows += [imported.row(f"import of {made:,} papers"), *more]
    return BenchReport("speed", f"{count:,} papers", len(queries), tuple(rows), (note,))


def search_rows(root: Path, queries: Sequence[str]) -> list[MethodRow]:
    """What searches of the library in `root` take, and the most memory of this process, mapped files included."""
    rows = run(ranking_rows(DuckLibrary(root), queries))
    return [*rows, MethodRow("memory of these searches", (Metric("peak MB", peak_megabytes()),))]


def repeat_segments(root: Path, count: int) -> Task[None]:
    """Copies the large segments of the library in `root` again and again, until it has `count` papers.

    The copies share their records with what they are copies of; their indexes are files of their own.
    """
    manifest = read_manifest(root)
    entries, papers = list(manifest.segments), manifest.papers
    large = [entry for entry in entries if entry.count >= SMALL_PAPERS] or entries
    for copy, entry in ((copy, entry) for copy in counting() for entry in large):
        if papers >= count:
            break
        yield Progress("copying segments", papers, count)
        key = f"{entry.key}{copy:03}"
        shutil.copytree(segment_folder(root, entry.key), segment_folder(root, key), copy_function=_copy_file)
        entries.append(replace(entry, key=key))
        papers += entry.live
    if papers > manifest.papers:
        fuller = replace(manifest, generation=manifest.generation + 1, segments=tuple(entries), papers=papers)
        publish(root, fuller)


def _copy_file(source: str, copy: str) -> None:
    if source.endswith(DATABASE):
        os.link(source, copy)
    else:
        shutil.copyfile(source, copy)


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
            "authors": [{"family": author.surname, "given": author.given} for author in paper.authors],
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
