"""Other engines over the same papers and questions: bm25s alone, tantivy, SQLite's FTS5.

tantivy is the extra `bench`; what is not there has no row, and a note says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from litterm.core.installation import install_command
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.text.tokens import STOP_WORDS, tokens, words
from litterm_benchmarks.report import MethodRow, Metric
from litterm_benchmarks.search.library_records import BenchLibrary
from litterm_benchmarks.timing import row, time_once

_BATCH_PAPERS: Final = 5_000
_WARMUP_QUERIES: Final = 10
"""Questions asked before the clock starts."""

Ask = Callable[[str], object]


def engine_rows(holdings: BenchLibrary, queries: Sequence[str], k: int) -> Task[tuple[list[MethodRow], list[str]]]:
    """A row for each engine that is there, best `k` of each question, and what is to be said of the others."""
    rows, notes = [(yield from _bm25s(holdings, queries, k))], []
    with TemporaryDirectory(prefix="litterm-bench-") as folder:
        try:
            rows.append((yield from _tantivy(holdings, queries, k, folder)))
        except ImportError:
            notes.append(f"tantivy is not installed: {install_command('bench')}")
        try:
            rows.append((yield from _fts5(holdings, queries, k, Path(folder) / "fts5.db")))
        except sqlite3.OperationalError as error:
            notes.append(f"this Python's SQLite has no FTS5 ({error})")
    return rows, notes


def _bm25s(holdings: BenchLibrary, queries: Sequence[str], k: int) -> Task[MethodRow]:
    """bm25s with litterm's tokens given to it beforehand: the scoring alone."""
    from litterm_benchmarks.speed.plain_bm25 import PlainBM25

    corpus: list[list[str]] = []
    for batch in _batches(holdings):
        yield Progress("reading for bm25s", len(corpus), len(holdings.ids))
        corpus += [tokens(text) for text in batch]
    yield Progress("indexing with bm25s")
    indexes: list[PlainBM25] = []
    built = time_once(lambda: indexes.append(PlainBM25(corpus)))
    stems = {question: tokens(question) for question in queries}
    return (
        yield from _measure("bm25s alone", queries, lambda question: indexes[0].best(stems[question], k), built.wall)
    )


def _tantivy(holdings: BenchLibrary, queries: Sequence[str], k: int, folder: str) -> Task[MethodRow]:
    import tantivy

    schema = tantivy.SchemaBuilder().add_text_field("text", stored=False, tokenizer_name="en_stem").build()
    index = tantivy.Index(schema, path=folder)

    def build() -> None:
        writer = index.writer(num_threads=1)
        for batch in _batches(holdings):
            for text in batch:
                writer.add_document(tantivy.Document(text=[text]))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()

    yield Progress("indexing with tantivy")
    built = time_once(build)
    searcher = index.searcher()

    def ask(question: str) -> object:
        return searcher.search(index.parse_query(" ".join(words(question)), ["text"]), k)

    return (yield from _measure("tantivy", queries, ask, built.wall))


def _fts5(holdings: BenchLibrary, queries: Sequence[str], k: int, path: Path) -> Task[MethodRow]:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE VIRTUAL TABLE paper USING fts5(text, content='', tokenize='porter unicode61')")

        def build() -> None:
            with database:
                for batch in _batches(holdings):
                    database.executemany("INSERT INTO paper(text) VALUES (?)", ((text,) for text in batch))

        yield Progress("indexing with FTS5")
        built = time_once(build)

        def ask(question: str) -> object:
            sought = dict.fromkeys(word for word in words(question) if word not in STOP_WORDS)
            matched = " OR ".join(f'"{word}"' for word in sought) or '""'
            matches = database.execute(
                "SELECT rowid FROM paper WHERE paper MATCH ? ORDER BY bm25(paper) LIMIT ?", (matched, k)
            )
            return matches.fetchall()

        return (yield from _measure("SQLite FTS5", queries, ask, built.wall))


def _measure(method: str, queries: Sequence[str], ask: Ask, built_ms: float) -> Task[MethodRow]:
    laps = []
    for number, question in enumerate((*queries[:_WARMUP_QUERIES], *queries)):
        if number % _WARMUP_QUERIES == 0:
            yield Progress(method, number, len(queries))
        laps.append(time_once(ask, question))
    measured = row(method, laps[min(_WARMUP_QUERIES, len(queries)) :])
    return MethodRow(method, (*measured.metrics, Metric("build s", built_ms / 1000)))


def _batches(holdings: BenchLibrary) -> Iterable[list[str]]:
    texts = iter(holdings.texts)
    while batch := [f"{title} {text}" for title, text in islice(texts, _BATCH_PAPERS)]:
        yield batch
