"""LitSearch: whether the papers that answer a literature search question come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.readers.litsearch import LitSearchQuestion, question
from litterm_benchmarks.report import BenchReport
from litterm_benchmarks.search.cases import QueryCase, Target
from litterm_benchmarks.search.library_records import papers_by_key
from litterm_benchmarks.search.litterm_methods import (
    CONTROL,
    DEPTH,
    ONE_HOP_RERANK,
    RERANK,
    REWRITES,
    Subject,
    leak_note,
    question_hash,
    question_rewrites,
)
from litterm_benchmarks.search.retrieval import choose_methods, rank_cases, report_rows
from litterm_benchmarks.search.training_overlap import overlap_note

METHODS = ("litterm", "bm25", CONTROL, "one-hop", "one-hop-interleaved", REWRITES, RERANK, ONE_HOP_RERANK)
_YEARS_TOGETHER = 5


def measure(
    path: Path,
    subject: Subject,
    *,
    methods: Sequence[str] = (),
    until: int | None = None,
    read: Callable[[Mapping[str, object], int], LitSearchQuestion] = question,
) -> Task[BenchReport]:
    """Every question of the file, or of the folder `query` in the folder as published, over the papers of `subject`.

    Those with `one-hop`, `rewrites` and `rerank` in their names are measured where they are named. `rewrites` leaves
    only the questions for which other queries were written down; `rerank` and `one-hop-rerank` ask a language model for
    each question.
    `read` makes a question of a row and its number.

    Raises:
        BadInput: the file is not in a known form.
        UsageError: it holds no question, or a method is not known.
    """
    selected = choose_methods(
        {"litterm": subject.search, "bm25": subject.plain, CONTROL: subject.control},
        methods,
        {
            "one-hop": subject.one_hop,
            "one-hop-interleaved": subject.one_hop_interleaved,
            REWRITES: subject.rewrites,
            RERANK: subject.rerank,
            ONE_HOP_RERANK: subject.one_hop_rerank,
        },
    )
    questions = list(read_rows(path / "query" if (path / "query").is_dir() else path, read))
    if REWRITES in selected:
        # All methods on the same questions, or they could not be compared.
        questions = [item for item in questions if question_hash(item.query) in question_rewrites()]
    # What a person judged to be no good question; the published set has none of them.
    questions = [item for item in questions if ("quality", "0") not in item.parts]
    if not questions:
        raise UsageError(f"{path} holds no question{' with other queries' if REWRITES in selected else ''}")
    queries = cases(questions, subject, until)
    answers = yield from rank_cases(queries, selected, subject.at_once(RERANK, ONE_HOP_RERANK))
    notes = (
        f"mrr and map over the first {DEPTH} results",
        leak_note(subject),
        overlap_note(queries, subject.holdings),
    )
    return BenchReport("litsearch", path.name, len(queries), report_rows(queries, answers, subject.holdings), notes)


def cases(questions: Sequence[LitSearchQuestion], subject: Subject, until: int | None) -> list[QueryCase]:
    """The questions with what the library holds of their answers."""
    keys = [key for item in questions for key in item.gold]
    papers_of = dict(zip(keys, papers_by_key(subject.library, keys), strict=True))
    return [
        QueryCase(
            key=item.key,
            query=item.query,
            targets=subject.holdings.candidates([papers_of[key] for key in item.gold], until),
            cluster=_cluster_of(item, papers_of),
            parts=(*item.parts, *_years_of_answer(item, papers_of, subject)),
            until=until,
        )
        for item in questions
    ]


def _years_of_answer(
    item: LitSearchQuestion, papers_of: Mapping[str, Target], subject: Subject
) -> Iterator[tuple[str, str]]:
    """The five years in which the oldest paper that answers a question appeared; nothing where that is not known."""
    holdings = subject.holdings
    rows = [row for key in item.gold for row in holdings.rows(papers_of[key])]
    years = [year for year in holdings.years[rows].tolist() if year > 0]
    if years:
        first = min(years) // _YEARS_TOGETHER * _YEARS_TOGETHER
        yield "years of the answer", f"{first}-{first + _YEARS_TOGETHER - 1}"


def _cluster_of(item: LitSearchQuestion, papers_of: dict[str, Target]) -> str:
    """The key by which questions on one paper are resampled together."""
    return min(min(papers_of[key], default=key) for key in item.gold)
