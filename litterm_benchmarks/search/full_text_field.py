"""Do full texts as one more field of search harm the questions that titles and abstracts answer?

Asked are author-written questions, whose papers mostly have no full text here, and every paper that has one, by its
title and by its own keywords. Questions made from sentences that cite a paper are left out: a candidate's own text must
not count for them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.core.errors import UsageError
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.readers.litsearch import question
from litterm_benchmarks.report import BenchReport
from litterm_benchmarks.search import litsearch
from litterm_benchmarks.search.cases import QueryCase
from litterm_benchmarks.search.litterm_methods import DEPTH, Subject
from litterm_benchmarks.search.relevance import compute_metrics
from litterm_benchmarks.search.retrieval import choose_methods, rank_cases, report_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from litterm.core.tasks import Task
    from litterm_benchmarks.search.retrieval import MethodRankings

FULL_TEXT = "full-text"
_METRICS = ("recall@1", "recall@5", "recall@20", "mrr")
_CITING_SET = "inline"
"""How the names of sets begin that were made from citing sentences."""
_MIN_CASES = 2
"""Keywords that make a query."""


METHODS = ("litterm", FULL_TEXT, "bm25")


def measure(
    path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None
) -> Task[BenchReport]:
    """`litterm` searches titles and abstracts, `full-text` the full texts, too; the notes tell the difference.

    Raises:
        BadInput: the file is not in a known form.
        UsageError: the library holds no full text, or a method is not known.
    """
    selected = choose_methods(
        {"litterm": subject.search, FULL_TEXT: subject.in_full_texts, "bm25": subject.plain}, methods
    )
    if not subject.holdings.full_text.any():
        raise UsageError("this bench searches full texts, and the library holds none: `litterm add` or `litterm fetch`")
    questions = [
        item for item in read_rows(path, question) if not dict(item.parts).get("set", "").startswith(_CITING_SET)
    ]
    written = [case for case in litsearch.cases(questions, subject, until) if any(case.targets)]
    queries = [*written, *own_questions(subject, until)]
    answers = yield from rank_cases(queries, selected)
    notes = (
        f"{len(written)} of {len(questions)} author-written questions have an answer in this library and are asked",
        f"full texts: {int(subject.holdings.full_text.sum())}; mrr and map over the first {DEPTH} results",
        *_differences(queries, answers),
    )
    return BenchReport("full-text", path.name, len(queries), report_rows(queries, answers, subject.holdings), notes)


def measure_covered(
    path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None
) -> Task[BenchReport]:
    """Title and abstract against full texts, as table 5 of LitSearch: only papers with a full text are candidates.

    Asked are the questions of the file with such an answer, those made from citing sentences, too: that a text cites a
    paper does not help to find it here, as each candidate is found by its own text.

    Raises:
        BadInput: the file is not in a known form.
        UsageError: no question has an answer with a full text in this library.
    """
    holdings = subject.holdings
    pool = frozenset(holdings.ids[index] for index in np.flatnonzero(holdings.full_text).tolist())
    questions = list(read_rows(path / "query" if (path / "query").is_dir() else path, question))
    covered = []
    for case in litsearch.cases(questions, subject, until):
        targets = tuple(target & pool for target in case.targets)
        if any(targets):
            covered.append(replace(case, targets=tuple(filter(None, targets)), pool=tuple(sorted(pool))))
    if not covered:
        raise UsageError("no question has an answer whose full text is in your library")
    selected = choose_methods({"litterm": subject.search, FULL_TEXT: subject.in_full_texts}, methods)
    answers = yield from rank_cases(covered, selected)
    note = (
        f"{len(covered)} of {len(questions)} questions ({round(100 * len(covered) / len(questions))} %) have an answer "
        f"with a full text here; searched are the {len(pool):,} papers that have one"
    )
    return BenchReport("full-text", path.name, len(covered), report_rows(covered, answers, holdings), (note,))


def own_questions(subject: Subject, until: int | None) -> Iterator[QueryCase]:
    """Every paper that has a full text, by its title, and by its keywords where it has some."""
    indices = np.flatnonzero(subject.holdings.full_text)
    papers = subject.library.by_id([subject.holdings.ids[index] for index in indices.tolist()])
    for paper in papers:
        target = subject.holdings.candidates([frozenset({paper.id})], until)
        forms = [("title", paper.title)]
        if len(paper.keywords) >= _MIN_CASES:
            forms.append(("keywords", " ".join(paper.keywords)))
        for kind, query in forms:
            yield QueryCase(f"{paper.id} {kind}", query, target, paper.id, (("set", f"own {kind}"),), until)


def _differences(cases: Sequence[QueryCase], answers: Sequence[MethodRankings]) -> Iterator[str]:
    """Per set what full texts change, paired case by case."""
    orders = {answer.method: answer.orders for answer in answers}
    if not {"litterm", FULL_TEXT} <= orders.keys():
        return
    for name in dict.fromkeys(dict(case.parts).get("set", "") for case in cases):
        members = [(number, case) for number, case in enumerate(cases) if dict(case.parts).get("set", "") == name]
        plain = [compute_metrics(orders["litterm"][number], case) for number, case in members]
        fuller = [compute_metrics(orders[FULL_TEXT][number], case) for number, case in members]
        papers = [case.cluster for _, case in members]
        metrics = (
            percent(metric, [answer[metric] for answer in fuller], papers, base=[answer[metric] for answer in plain])
            for metric in _METRICS
        )
        gains = ", ".join(f"{answer.name} {answer.gain:+.1f}±{answer.gain_se:.1f}" for answer in metrics)
        yield f"{FULL_TEXT} over litterm, {name} (n={len(members)}): {gains}"
