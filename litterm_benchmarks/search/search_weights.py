"""The weights of the default ranking, each settled on all sets of questions but one and tried on that one.

A weight is fit for fields that nobody has measured if it comes out about the same whichever field is left out, and if
the field left out does not lose by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

from litterm.core.errors import UsageError
from litterm.library.index.bm25_weights import TYPICAL_LENGTH
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.library import DuckLibrary
from litterm.model.events import Progress
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.search.hybrid import HybridSearcher
from litterm.search.search_weights import DEFAULT, SearchWeights
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary
from litterm_benchmarks.readers.litsearch import question
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore
from litterm_benchmarks.search.cases import QueryCase, Target
from litterm_benchmarks.search.library_records import papers_by_key
from litterm_benchmarks.search.litterm_methods import DEPTH, typed_query
from litterm_benchmarks.search.relevance import compute_metrics

if TYPE_CHECKING:
    from litterm.core.tasks import Task

TRIED: Final[Mapping[str, tuple[float, ...]]] = {
    "meaning": (1.0, 1.2, 1.4, 1.7, 2.0),
    "known_power": (1.0, 2.0, 3.0),
    "title_of_statement": (0.15, 0.25, 0.4),
    "rare": (4.0, 8.0, 16.0),
    "coverage": (0.7, 1.0, 1.3),
    "first": (0.3, 0.5, 0.7),
    "followers": (0.0, 0.8, 1.2, 1.6),
}
"""Values of each weight; the shipped one is always among them."""
MAX_CASES = 100
"""Questions of a set; of more, so many evenly spread ones are asked."""
QUESTIONS, CORPUS = "questions.jsonl", "corpus.jsonl.gz"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one field with a searcher over its papers."""

    name: str
    searcher: HybridSearcher
    cases: tuple[QueryCase, ...]


def measure(sets: Iterable[QuestionSet], source: str, grid: Mapping[str, Sequence[float]] = TRIED) -> Task[BenchReport]:
    """Every weight alone, the others as shipped: the value with the best mean MAP over all sets but one, and its gain.

    Raises:
        UsageError: there are fewer than two sets.
    """
    measured = list(sets)
    if len(measured) < 2:
        raise UsageError(f"{source} has fewer than two folders with {QUESTIONS} and {CORPUS}; one is left out in turn")
    shipped = yield from _mean_average_precisions(measured, DEFAULT)
    rows = []
    for name, values in grid.items():
        table = {float(getattr(DEFAULT, name)): shipped}
        for value in values:
            if value not in table:
                table[value] = yield from _mean_average_precisions(measured, replace(DEFAULT, **{name: value}))
        rows.append(_report_row(name, [item.name for item in measured], table))
    count = sum(len(item.cases) for item in measured)
    notes = (
        f"MAP over the first {DEPTH} of at most {MAX_CASES} questions a set; each weight alone, the others as shipped",
        "left out: the value that the other sets choose, and what it gains the set left out over the shipped value",
    )
    return BenchReport("search-weights", source, count, tuple(rows), notes)


def sets_below(folder: Path) -> Iterator[QuestionSet]:
    """A set for each folder in `folder` that holds questions and the papers to search, built in memory."""
    for file in sorted(folder.glob(f"*/{QUESTIONS}")):
        if not (file.parent / CORPUS).exists():
            continue
        papers = list(read_rows(file.parent / CORPUS, _paper))
        model = open_static()
        index = MemoryIndex(map(index_row, papers), average_length=TYPICAL_LENGTH, model=model)
        searcher = HybridSearcher(MemoryLibrary(map(Parsed, papers)), index, embedder=model)
        papers_of = {str(paper.id): frozenset({paper.id}) for paper in papers}
        yield QuestionSet(file.parent.name, searcher, _cases(file, papers_of, None))


def set_of_library(file: Path, folder: Path, until: int | None) -> QuestionSet:
    """The questions of `file` over the library in `folder`, its papers up to the year `until`."""
    library = DuckLibrary(folder)
    keys = sorted({key for item in read_rows(file, question) for key in item.gold})
    papers_of = dict(zip(keys, papers_by_key(library, keys), strict=True))
    searcher = HybridSearcher(library, IndexFolder(), embedder=open_static())
    return QuestionSet(file.stem, searcher, _cases(file, papers_of, until))


def _cases(file: Path, papers_of: Mapping[str, Target], until: int | None) -> tuple[QueryCase, ...]:
    questions = list(read_rows(file, question))
    step = max(1, -(-len(questions) // MAX_CASES))
    return tuple(
        QueryCase(
            item.key, item.query, tuple(papers_of.get(key, frozenset()) for key in item.gold), item.key, until=until
        )
        for item in questions[::step]
    )


def _mean_average_precisions(sets: Sequence[QuestionSet], weights: SearchWeights) -> Task[list[float]]:
    """MAP of each set with `weights`, in percent."""
    means: list[float] = []
    for item in sets:
        yield Progress(item.name, len(means), len(sets))
        item.searcher.weights = weights
        precisions = []
        for case in item.cases:
            ranking = yield from item.searcher.search(typed_query(case), k=DEPTH)
            precisions.append(compute_metrics([ranked.paper.id for ranked in ranking.papers], case).get("map", 0.0))
        means.append(100 * fmean(precisions))
    return means


def _report_row(name: str, sets: Sequence[str], table: Mapping[float, Sequence[float]]) -> MethodRow:
    """One weight: `table` has the MAP of every set by value, the shipped value first."""
    shipped = next(iter(table))
    chosen = [
        _best_value(table, [number for number in range(len(sets)) if number != left]) for left in range(len(sets))
    ]
    gains = [table[value][number] - table[shipped][number] for number, value in enumerate(chosen)]
    parts = tuple(
        SubsetScore("left out", left, 1, (Metric(f"{name}: chosen", value), Metric("gain in MAP", gain)))
        for left, value, gain in zip(sets, chosen, gains, strict=True)
    )
    metrics = (
        Metric("shipped", shipped),
        Metric("chosen on all", _best_value(table, range(len(sets)))),
        Metric("least chosen", min(chosen)),
        Metric("most chosen", max(chosen)),
        Metric("mean gain left out", fmean(gains)),
    )
    return MethodRow(name, metrics, parts)


def _best_value(table: Mapping[float, Sequence[float]], sets: Iterable[int]) -> float:
    """The value with the best mean over `sets`; of equal ones the first of `table`."""
    places = list(sets)
    # Rounded: the sums of different sets may differ in the last bit where the values are equal.
    return max(table, key=lambda value: round(fmean(table[value][index] for index in places), 6))


def _paper(row: Mapping[str, object], _number: int) -> Paper:
    return Paper(PaperId(str(row["id"])), str(row["title"] or ""), str(row.get("abstract") or ""))
