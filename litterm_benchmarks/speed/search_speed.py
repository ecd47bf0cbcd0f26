"""How fast a search is on the user's own library, inside the process and as a command, beside bare bm25s."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from litterm.core.errors import BadInput, UsageError
from litterm.core.settings import Settings
from litterm.core.tasks import Task, run
from litterm.engine import Engine
from litterm.engine.parts import Parts
from litterm.interfaces import Library, Searcher
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.library import DuckLibrary
from litterm.library.workers.process import environment, module_command, python_command
from litterm.model.events import Progress
from litterm.model.library import RowRef, Snapshot
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Ranking
from litterm.search.hybrid import HybridSearcher
from litterm.search.lexical import LexicalSearcher
from litterm.text.queries.parser import parse_query
from litterm.text.tokens import tokens
from litterm_benchmarks.report import BenchReport, MethodRow, Metric
from litterm_benchmarks.search.library_records import read_holdings
from litterm_benchmarks.speed.import_time import measure_imports
from litterm_benchmarks.speed.key_latency import workbench
from litterm_benchmarks.speed.other_engines import engine_rows
from litterm_benchmarks.timing import Lap, row, time_once, with_ratios

K = 20
QUESTIONS = 150
_WARMUP_QUERIES = 10
"""Questions asked before the clock starts, which read files and build what is built once."""
_SEARCH_COMMAND = ("search", "structured pruning of large language models", "-k", str(K), "--json")
_IMPORTS_CODE = "import numpy, duckdb"


class _WithoutPapers:
    """A library that gives rows away without fetching them: what is left is parsing, scoring, filtering, top k."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.asked: Sequence[RowRef] = ()
        self._paper = Paper(PaperId(""), "")

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)

    def papers(self, _snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Paper, ...]:
        """One empty paper a row."""
        self.asked = rows
        return (self._paper,) * len(rows)


def measure(
    settings: Settings,
    questions: Path | None = None,
    *,
    archive: Path | None = None,
    starts: int = 7,
    panes: Sequence[str] = (),
) -> Task[BenchReport]:
    """Wall and processor times over the library of `settings`, other engines beside it; takes some minutes.

    `questions` is JSON Lines with a `query` each; without it titles of the library are asked for. The command
    is started `starts` times; keys are pressed in `panes`, by default in all. With `archive`
    its import into an empty library is measured too.

    Raises:
        UsageError: the library is empty.
    """
    library = DuckLibrary(settings.library)
    queries = read_queries(library, questions)
    papers = library.status().papers
    engine = Engine(Parts(replace(settings, starter=False)))
    rows = yield from ranking_rows(library, queries)
    rows += yield from _typing(engine, queries)
    others, notes = yield from engine_rows((yield from read_holdings(library)), queries, K)
    rows += with_ratios(others, rows[0])
    rows += yield from _processes(settings, starts)
    rows += yield from workbench(settings, panes)
    rows += (yield from measure_imports(archive)) if archive is not None else ()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    size = f"{papers:,} papers; {machine}"
    return BenchReport("speed", str(questions or settings.library), len(queries), tuple(rows), (*notes, size))


def read_queries(library: DuckLibrary, questions: Path | None) -> tuple[str, ...]:
    """What is asked for: the questions of a file, else titles of the library.

    Raises:
        UsageError: the library is empty.
        BadInput: a line of the file has no query.
    """
    if not library.status().papers:
        raise UsageError("bench speed measures your own library, which is empty: `litterm add PATH` first.")
    return read_questions(questions) if questions is not None else _titles(library)


def read_questions(path: Path) -> tuple[str, ...]:
    """At most `QUESTIONS` queries of a JSON Lines file.

    Raises:
        BadInput: a line has none.
    """
    lines = path.read_text("utf-8").splitlines()
    try:
        return tuple(str(json.loads(line)["query"]) for line in lines[:QUESTIONS])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: every line must be a JSON object with a query") from error


def _titles(library: DuckLibrary) -> tuple[str, ...]:
    ranking = run(LexicalSearcher(library, IndexFolder()).search(parse_query(""), k=QUESTIONS))
    return tuple(" ".join(tokens(ranked.paper.title, "evidence")) for ranked in ranking.papers)


def ranking_rows(library: DuckLibrary, queries: Sequence[str]) -> Task[list[MethodRow]]:
    """Rows for what a search takes in a process that is already running; the first is the default ranking."""
    counting = _WithoutPapers(library)
    ours = searcher_of(counting)
    by_words = LexicalSearcher(cast("Library", counting), IndexFolder())
    opened = time_once(ask, ours, queries[0])
    laps: dict[str, list[Lap]] = {"litterm": [], "filtered": [], "words": [], "fetched": []}
    warm = min(_WARMUP_QUERIES, len(queries))
    for number, question in enumerate((*queries[:warm], *queries)):
        if number % _WARMUP_QUERIES == 0:
            yield Progress("searching", number, len(queries))
        laps["litterm"].append(time_once(ask, ours, question))
        laps["fetched"].append(time_once(library.papers, library.snapshot(), counting.asked))
        laps["filtered"].append(time_once(ask, ours, f"{question} year:2015.."))
        laps["words"].append(time_once(ask, by_words, question))
    return [
        row("litterm", laps["litterm"][warm:]),
        row("filtered by year:2015..", laps["filtered"][warm:]),
        row("by words alone", laps["words"][warm:]),
        row(f"{K} records fetched", laps["fetched"][warm:]),
        row("first search after opening", [opened]),
    ]


def _typing(engine: Engine, queries: Sequence[str]) -> Task[list[MethodRow]]:
    laps: list[Lap] = []
    for number, question in enumerate(queries):
        if number % _WARMUP_QUERIES == 0:
            yield Progress("typing", number, len(queries))
        laps += _type_question(engine, question)
    return [row("as you type, whole refresh", laps)]


def searcher_of(library: object) -> HybridSearcher:
    """The default ranking over `library`, as the workbench has it."""
    return HybridSearcher(cast("Library", library), IndexFolder(), embedder=open_static())


def _type_question(engine: Engine, question: str) -> list[Lap]:
    return [time_once(_refresh, engine, question[: max(1, len(question) // share)]) for share in (3, 2, 1)]


def _refresh(engine: Engine, text: str) -> object:
    return run(engine.search(text, k=K, finished=False))


def _processes(settings: Settings, starts: int) -> Task[list[MethodRow]]:
    """The command as a whole, and what importing numpy and duckdb alone takes; in turns, so that load hits both."""
    settled = environment({"LITTERM_HOME": str(settings.library.parent)} if settings.library.name == "library" else {})
    # As it runs where it was installed: with its modules compiled, by the first start if need be.
    settled.pop("PYTHONDONTWRITEBYTECODE", None)
    whole: list[Lap] = []
    imports: list[Lap] = []
    for number in range(starts + 1):
        yield Progress("starting litterm search", number, starts)
        whole.append(time_once(_start, module_command("litterm", *_SEARCH_COMMAND), settled))
        imports.append(time_once(_start, python_command("-c", _IMPORTS_CODE), settled))
    ratio = statistics.median(a.wall / b.wall for a, b in zip(whole[1:], imports[1:], strict=True))
    command = row("litterm search --json", whole[1:], cpu=False)
    return [
        MethodRow(command.method, (*command.metrics, Metric("x imports", ratio))),
        row(f'python -c "{_IMPORTS_CODE}"', imports[1:], cpu=False),
    ]


def _start(command: Sequence[str], settled: dict[str, str]) -> None:
    subprocess.run(
        command,
        env=settled,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )


def ask(searcher: Searcher, typed: str) -> Ranking:
    """The best `K` papers."""
    return run(searcher.search(parse_query(typed), k=K))
