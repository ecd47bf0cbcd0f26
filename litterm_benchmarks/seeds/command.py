"""`litterm bench seeds FOLDER`: every set of the five papers that lies there, each by its own bench."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.cli.context import Context
from litterm.core.errors import LittermError, UsageError
from litterm_benchmarks.attribution.citeme import run_citeme
from litterm_benchmarks.report import BenchReport, SubsetScore
from litterm_benchmarks.search.retrieval_command import RetrievalBench, Run, pool_bench, require_one_path, search_bench
from litterm_benchmarks.seeds.published import TABLES, TEXTS, SeedTable
from litterm_benchmarks.seeds.sets import SETS, find_sets
from litterm_benchmarks.seeds.tables import compare, only_published

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm_benchmarks.report import ComparisonTable

_STRATEGIES: Final = (
    "litterm-hypothesis",
    "bm25",
    "embeddings",
    "lead",
    "random",
    "oracle",
    "paraphrased",
    "negated",
)


def run_seeds(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    """A table for each paper; where a set is not there, or cannot be measured, the table says why.

    Raises:
        UsageError: an option of another bench is typed, or the folder holds none of the sets.
    """
    if args.method or args.corpus or args.full_texts or args.cluster is not None or args.scale is not None:
        raise UsageError("bench seeds takes a folder and --until YEAR, which is for the questions of LitSearch")
    folder = require_one_path(paths, args)
    found = find_sets(folder) if folder.is_dir() else {}
    if not found:
        raise UsageError(f"{folder} holds none of {', '.join(SETS)}: a set is a file or folder with such a name")
    tables = [_table(name, found.get(name, ()), folder, args, context) for name in TABLES]
    note = "figures of different data are not comparable; `litterm bench NAME` prints all that is measured of a set"
    return BenchReport("seeds", str(folder), len(found), (), (note,), tuple(tables))


def _table(
    name: str, paths: Sequence[Path], folder: Path, args: argparse.Namespace, context: Context
) -> ComparisonTable:
    table = TABLES[name]
    if not paths:
        return only_published(table, f"{folder.name} holds no {name}")
    try:
        report = _RUNS[name](paths, args, context)
    except LittermError as error:
        return only_published(table, str(error))
    return compare(table, report, is_published=_is_published(name, table, paths, report))


def _is_published(name: str, table: SeedTable, paths: Sequence[Path], report: BenchReport) -> bool:
    """Whether the data is that of the published figures: by its form, or by the number of its cases."""
    return paths[0].is_dir() if name == "acl-rlg" else report.n == table.cases


def _litsearch(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    def measure() -> RetrievalBench:
        from litterm_benchmarks.search import litsearch

        return RetrievalBench(litsearch.measure, litsearch.METHODS)

    methods = ["litterm", "bm25", "one-hop", "one-hop-interleaved"]
    report = search_bench(measure)(paths, _with(args, method=methods), context)
    return _with_full_texts(report, paths, args, context)


def _with_full_texts(
    report: BenchReport, paths: Sequence[Path], args: argparse.Namespace, context: Context
) -> BenchReport:
    """`report` with what titles and abstracts, and full texts, find where both are there, or with why that is not."""

    def measure() -> RetrievalBench:
        from litterm_benchmarks.search import full_text_field

        return RetrievalBench(full_text_field.measure_covered, full_text_field.METHODS)

    try:
        covered = search_bench(measure)(paths, _with(args, method=[], full_texts=True), context)
    except LittermError as error:
        return replace(report, notes=(*report.notes, f"full texts (table 5): - ({error})"))
    texts = {"litterm": "title and abstract", "full-text": "full texts"}
    parts = tuple(
        SubsetScore(TEXTS, texts[row.method], covered.n, row.metrics) for row in covered.rows if row.method in texts
    )
    rows = (replace(row, parts=(*row.parts, *parts)) if row.method == "litterm" else row for row in report.rows)
    return replace(report, rows=tuple(rows), notes=(*report.notes, f"full texts (table 5): {covered.notes[0]}"))


def _evidencebench(paths: Sequence[Path], _args: argparse.Namespace, context: Context) -> BenchReport:
    from litterm_benchmarks.evidence import evidencebench

    return context.run(evidencebench.measure(paths, strategies=_STRATEGIES))


def _citeme(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    return run_citeme(paths, _with(args, method=["litterm"], until=None), context)


def _doris_mae(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    def measure() -> Callable[..., Task[BenchReport]]:
        from litterm_benchmarks.search import reranking_pools

        return reranking_pools.measure_doris_mae

    return pool_bench(measure)(paths, _with(args, until=None), context)


def _acl_rlg(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    def measure() -> RetrievalBench:
        from litterm_benchmarks.reading_lists import acl_rlg

        return RetrievalBench(acl_rlg.measure, acl_rlg.METHODS)

    return search_bench(measure)(paths, _with(args, until=None), context)


_RUNS: Final[Mapping[str, Run]] = {
    "litsearch": _litsearch,
    "evidencebench": _evidencebench,
    "citeme": _citeme,
    "doris-mae": _doris_mae,
    "acl-rlg": _acl_rlg,
}


def _with(args: argparse.Namespace, **values: object) -> argparse.Namespace:
    return argparse.Namespace(**{**vars(args), **values})
