"""How fast a search is on the user's own library, inside the process and as a command, beside bare bm25s."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, cast

from litterm.bench.imports import measure_imports
from litterm.bench.report import Metric, Report, Row
from litterm.errors import BadInput, UsageError
from litterm.index.reader import IndexFolder
from litterm.model.events import Progress
from litterm.model.library import RowRef, Snapshot
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query, Ranking
from litterm.protocols import Library
from litterm.retrieve.lexical import LexicalSearcher
from litterm.settings import Settings
from litterm.store.library import DuckLibrary
from litterm.tasks import Task, run
from litterm.text.query import parse_query
from litterm.text.tokens import tokens

P = ParamSpec("P")

K = 20
QUESTIONS = 150
_CHUNK = 5_000
_SEARCH = ("search", "structured pruning of large language models", "-k", str(K), "--json")
_IMPORTS = "import numpy, duckdb"


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
    settings: Settings, questions: Path | None = None, *, archive: Path | None = None, starts: int = 7
) -> Task[Report]:
    """Wall-clock times over the library of `settings`; building the bm25s beside it takes half a minute.

    `questions` is JSON Lines with a `query` each; without it titles of the library are asked for. The command
    is started `starts` times. With `archive` its import into an empty library is measured too.

    Raises:
        UsageError: the library is empty.
    """
    library = DuckLibrary(settings.library)
    papers = library.status().papers
    if not papers:
        raise UsageError("bench speed measures your own library, which is empty: `litterm add PATH` first.")
    asked = read_questions(questions) if questions is not None else _titles(library)
    rows = yield from _inside(library, asked)
    rows.append((yield from _bare(library, asked)))
    rows += yield from _processes(settings, starts)
    rows += (yield from measure_imports(archive)) if archive is not None else ()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return Report(
        "speed", str(questions or settings.library), len(asked), tuple(rows), (f"{papers:,} papers; {machine}",)
    )


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
    found = run(LexicalSearcher(library, IndexFolder()).search(parse_query(""), k=QUESTIONS))
    return tuple(" ".join(tokens(ranked.paper.title, "evidence")) for ranked in found.papers)


def _inside(library: DuckLibrary, asked: Sequence[str]) -> Task[list[Row]]:
    """Rows for what happens in a process that is already running."""
    counting = _WithoutPapers(library)
    bare = LexicalSearcher(cast("Library", counting), IndexFolder())
    opened = _timed(_ask, bare, asked[0])
    plain: list[float] = []
    fetched: list[float] = []
    for at, question in enumerate((*asked, *asked)):
        if at % 20 == 0:
            yield Progress("searching", at, 2 * len(asked))
        plain.append(_timed(_ask, bare, question))
        fetched.append(_timed(library.papers, library.snapshot(), counting.asked))
    return [
        _row("litterm", plain[len(asked) :]),
        _row("filtered by year:2015..", [_timed(_ask, bare, f"{question} year:2015..") for question in asked]),
        _row(f"{K} records fetched", fetched[len(asked) :]),
        _row("first search after opening", [opened]),
        _row("as you type, whole refresh", _typed(LexicalSearcher(library, IndexFolder()), asked)),
    ]


def _typed(searcher: LexicalSearcher, asked: Sequence[str]) -> list[float]:
    times: list[float] = []
    for question in asked:
        for share in (3, 2, 1):
            text = question[: max(1, len(question) // share)]
            times.append(_timed(_ask, searcher, text, finished=False))
    return times


def _bare(library: DuckLibrary, asked: Sequence[str]) -> Task[Row]:
    """bm25s alone over the same papers, its own tokens given to it beforehand."""
    from litterm.index.bm25 import PlainBM25

    snapshot = library.snapshot()
    refs = [
        RowRef(segment.key, row)
        for segment in snapshot.segments
        for row in sorted(set(range(segment.count)).difference(segment.shadowed))
    ]
    corpus: list[list[str]] = []
    for start in range(0, len(refs), _CHUNK):
        yield Progress("reading for bm25s", start, len(refs))
        corpus += [tokens(f"{title} {text}") for title, text in library.texts(snapshot, refs[start : start + _CHUNK])]
    yield Progress("indexing with bm25s")
    model = PlainBM25(corpus)
    stems = [tokens(question) for question in asked]
    times = [_timed(model.best, each, K) for each in (*stems, *stems)]
    return _row("bm25s alone", times[len(asked) :])


def _processes(settings: Settings, starts: int) -> Task[list[Row]]:
    """The command as a whole, and what importing numpy and duckdb alone takes; in turns, so that load hits both."""
    environment = dict(os.environ)
    if settings.library.name == "library":
        environment["LITTERM_HOME"] = str(settings.library.parent)
    whole: list[float] = []
    imports: list[float] = []
    for at in range(starts + 1):
        yield Progress("starting litterm search", at, starts)
        whole.append(_timed(_start, ["-m", "litterm", *_SEARCH], environment))
        imports.append(_timed(_start, ["-c", _IMPORTS], environment))
    ratio = statistics.median(a / b for a, b in zip(whole[1:], imports[1:], strict=True))
    command = _row("litterm search --json", whole[1:])
    return [
        Row(command.method, (*command.metrics, Metric("x imports", ratio))),
        _row(f'python -c "{_IMPORTS}"', imports[1:]),
    ]


def _start(arguments: Sequence[str], environment: dict[str, str]) -> None:
    subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )


def _ask(searcher: LexicalSearcher, typed: str, *, finished: bool = True) -> Ranking:
    query: Query = parse_query(typed, finished=finished)
    return run(searcher.search(query, k=K))


def _timed(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> float:
    """Milliseconds `work` takes."""
    started = time.perf_counter()
    work(*args, **kwargs)
    return (time.perf_counter() - started) * 1000


def _row(method: str, times_ms: Sequence[float]) -> Row:
    if len(times_ms) < 2:
        return Row(method, (Metric("p50 ms", times_ms[0]),))
    cuts = statistics.quantiles(times_ms, n=20, method="inclusive")
    return Row(method, (Metric("p50 ms", cuts[9]), Metric("p95 ms", cuts[18])))
