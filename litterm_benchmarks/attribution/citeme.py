"""CiteME: does the cited paper come first, by its title; and what the agent did to find it.

Whether a paper can be found at all depends on the library: `ceiling` is the share of excerpts whose paper it holds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from time import perf_counter
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.attribution.agent import AGENT_VARIANTS, AgentOptions, Trajectory
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper, PaperId
from litterm.text.references.identity import title_key
from litterm_benchmarks.attribution.failures import (
    BY_RULES,
    FAILURE_CLASSES,
    FAILURES,
    RULES,
    SHOWN_BY_SEARCHES,
    TECHNICAL,
    Failure,
    FailureClass,
    classify,
)
from litterm_benchmarks.cases_at_once import measure_cases
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.readers.citeme import CitedExcerpt, is_right, read_citeme
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore
from litterm_benchmarks.search.retrieval_command import require_one_path

if TYPE_CHECKING:
    from litterm_benchmarks.search.library_records import BenchLibrary


CANDIDATES = 10
_VOTES = 5
"""Runs on each excerpt of the method `agent-votes`."""
USES: Mapping[str, AgentOptions | None] = {
    "litterm": None,
    "agent": AgentOptions(),
    "agent+online": AgentOptions(online=True),
    **{f"agent-{variant.name}": variant.apply(AgentOptions()) for variant in AGENT_VARIANTS},
    "agent-votes": AgentOptions(runs=_VOTES),
}
"""Methods; all but the first ask the language model of the settings, and need consent."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """What a method said of one excerpt."""

    item: CitedExcerpt
    excerpt: Excerpt
    papers: tuple[Paper, ...] = ()
    """The candidates, the likeliest first."""
    runs: tuple[Trajectory, ...] = ()
    """Of an agent; several for a vote."""
    seconds: float = 0.0

    @property
    def is_right(self) -> bool:
        """Whether the first candidate is the cited paper; an agent that selects none has failed, as published."""
        if self.runs and self.runs[0].choice.paper is None:
            return False
        return any(is_right(paper.title, self.item) for paper in self.papers[:1])

    @property
    def is_among(self) -> bool:
        """Whether one of the candidates is."""
        return any(is_right(paper.title, self.item) for paper in self.papers)


@dataclass(frozen=True, slots=True)
class _Holdings:
    """What the library holds of the cited papers."""

    records: BenchLibrary
    rows_of: Mapping[str, Sequence[int]]
    """By the key of a title."""

    def targets(self, item: CitedExcerpt) -> list[int]:
        """The rows with a title of the cited paper."""
        return [row for title in item.titles for row in self.rows_of.get(title_key(title), ())]

    def target_year(self, item: CitedExcerpt) -> int | None:
        """The year of the cited paper, of its record or else of its address."""
        years = [int(self.records.years[row]) for row in self.targets(item)]
        return min((year for year in years if year), default=item.target_year)

    def title(self, paper_id: PaperId) -> str:
        """Of a paper that a search returned; empty where the library does not hold it."""
        rows = self.records.rows([paper_id])
        return self.records.texts[rows[0]][0] if rows else ""

    def chance(self, item: CitedExcerpt, picks: int) -> float:
        """That one of `picks` papers drawn from those up to the citing year is the cited one."""
        years = self.records.years
        limit = item.year if item.year is not None else int(years.max(initial=0))
        right = sum(0 < int(years[row]) <= limit for row in self.targets(item))
        possible = int(((years > 0) & (years <= limit)).sum())
        missed = 1.0
        for drawn in range(min(picks, possible)):
            missed *= max(0, possible - right - drawn) / (possible - drawn)
        return 1 - missed if possible else 0.0


def measure(path: Path, engine: Engine, records: BenchLibrary, *, methods: Sequence[str] = ()) -> Task[BenchReport]:
    """One row a method, over the library of `engine`, whose `records` are given; gains are over `litterm`.

    Raises:
        BadInput: the file is not CiteME's.
        UsageError: it has no row, or a method is not known.
    """
    items = read_citeme(path)
    if not items:
        raise UsageError(f"{path} holds no excerpt")
    rows_of: dict[str, list[int]] = {}
    for row, (title, _) in enumerate(records.texts):
        rows_of.setdefault(title_key(title), []).append(row)
    holdings = _Holdings(records, rows_of)
    rows: list[MethodRow] = []
    base: list[_Answered] = []
    for name in options_by_name(methods):
        answers = yield from _ask_all(items, engine, name)
        base = base or answers
        rows.append(_row(name, answers, base, holdings, engine))
    chances = (
        # Expected, not sampled: without an error.
        Metric(metric, 100 * fmean(holdings.chance(item, picks) for item in items))
        for metric, picks in (("accuracy", 1), (f"accuracy@{CANDIDATES}", CANDIDATES))
    )
    rows.append(MethodRow("random", tuple(chances)))
    in_library = [float(bool(holdings.targets(item))) for item in items]
    rows.append(MethodRow("ceiling", (percent("accuracy", in_library), percent(f"accuracy@{CANDIDATES}", in_library))))
    notes = (
        f"accuracy: the first candidate has a title of the cited paper (likeness above .8); @{CANDIDATES}: one of the "
        f"first {CANDIDATES} has; papers to the citing year, without the citing paper; an agent that selects none has "
        "failed, although `cite` then shows the offline ranking",
        "found, not chosen: of the failures, those whose paper was in a result (or read), or among the candidates",
        RULES,
        "seconds: of the excerpts for which something was computed or asked; replies kept from earlier take none"
        + _waiting_words(methods, engine),
    )
    return BenchReport("citeme", path.name, len(items), tuple(rows), notes)


def _waiting_words(methods: Sequence[str], engine: Engine) -> str:
    at_once = _excerpts_at_once(engine) if any(options_by_name(methods).values()) else 1
    return f"; a model is asked about {at_once} at a time, and each also waits for the others" if at_once > 1 else ""


def options_by_name(methods: Sequence[str]) -> dict[str, AgentOptions | None]:
    """How the methods asked for use a model; always `litterm`, which the others are compared with, first.

    Raises:
        UsageError: one of them is not known.
    """
    unknown = [name for name in methods if name not in USES]
    if unknown:
        raise UsageError(f"no method {unknown[0]!r} here; there are {', '.join(USES)}")
    return {name: options for name, options in USES.items() if name in ("litterm", *methods)}


def estimate_cost(items: Sequence[CitedExcerpt], engine: Engine, options: AgentOptions) -> CostEstimate:
    """What asking the agent about every excerpt would cost at most.

    Raises:
        ModelError: the model cannot be asked.
    """
    costs = [
        engine.citing.estimate(engine.excerpt(item.excerpt), options, before=item.year, source=item.source)
        for item in items
    ]
    return reduce(CostEstimate.plus, costs)


def _ask_all(items: Sequence[CitedExcerpt], engine: Engine, name: str) -> Task[list[_Answered]]:
    at_once = _excerpts_at_once(engine) if USES[name] else 1
    return measure_cases(name, (_answer(item, engine, name) for item in items), len(items), at_once=at_once)


def _excerpts_at_once(engine: Engine) -> int:
    """About how many excerpts a model is asked at the same time."""
    return engine.models.model().at_once if engine.models.is_available else 1


def _answer(item: CitedExcerpt, engine: Engine, name: str) -> Task[_Answered]:
    excerpt, began = engine.excerpt(item.excerpt), perf_counter()
    try:
        attribution = yield from _ask(item, engine, USES[name])
    except UsageError:
        # An excerpt without a word to search for is a miss.
        return _Answered(item, excerpt)
    seconds = perf_counter() - began
    runs = engine.citing.open_runs(attribution.trajectory) if attribution.trajectory else ()
    if attribution.votes:
        # The run that says what most say is the one whose end counts.
        first = attribution.votes[0].runs[0]
        runs = tuple(sorted(runs, key=lambda run: run.id != first))
    papers = tuple(candidate.paper for candidate in attribution.candidates)
    return _Answered(item, excerpt, papers, runs, seconds)


def _ask(item: CitedExcerpt, engine: Engine, options: AgentOptions | None) -> Task[Attribution]:
    if options is None:
        return (yield from engine.cite(item.excerpt, k=CANDIDATES, before=item.year, source=item.source))
    excerpt = engine.excerpt(item.excerpt)
    return (yield from engine.citing.find(excerpt, options, k=CANDIDATES, before=item.year, source=item.source))


def _row(
    name: str, answers: Sequence[_Answered], base: Sequence[_Answered], holdings: _Holdings, engine: Engine
) -> MethodRow:
    pairs = list(zip(answers, base if base is not answers else (None,) * len(answers), strict=True))
    parts: list[SubsetScore] = []
    properties: Mapping[str, Callable[[CitedExcerpt], str]] = {
        "split": lambda item: item.split,
        "citing year": lambda item: str(item.year or ""),
        "target year": lambda item: str(holdings.target_year(item) or "not known"),
    }
    for field, value_of in properties.items():
        values = sorted({value_of(answer.item) for answer in answers} - {""})
        for value in values if field != "split" or len(values) > 1 else ():
            members = [pair for pair in pairs if value_of(pair[0].item) == value]
            parts.append(SubsetScore(field, value, len(members), _accuracy(members)))
    failures, statistics = _failures(answers, holdings, engine), _statistics(answers)
    if failures:
        parts.append(
            SubsetScore(FAILURES, BY_RULES, len(answers), _class_shares(answers, [kind for kind, _ in failures]))
        )
    shown = percent("found, not chosen", [float(was_shown) for _, was_shown in failures])
    metrics = (*_accuracy(pairs), shown, *_durations(answers), *statistics)
    return MethodRow(name, metrics, tuple(parts), base="litterm" if base is not answers else "")


def _failures(answers: Sequence[_Answered], holdings: _Holdings, engine: Engine) -> list[tuple[FailureClass, bool]]:
    """The class of each wrong answer, and whether the right paper had been found."""
    graph = engine.citations.graph()

    def cited_by(paper_id: PaperId) -> Collection[PaperId]:
        (edges,) = graph.references([paper_id])
        return [edge.cited for edge in edges]

    classes: list[tuple[FailureClass, bool]] = []
    for answer in answers:
        if answer.is_right:
            continue
        trajectory = answer.runs[0] if answer.runs else None
        was_shown = _was_shown(answer, holdings)
        failure = Failure(
            excerpt=answer.excerpt,
            chosen=answer.papers[0] if answer.papers else None,
            targets=frozenset(holdings.records.ids[row] for row in holdings.targets(answer.item)),
            was_shown=was_shown,
            trajectory=trajectory,
        )
        classes.append((classify(failure, cited_by), was_shown))
    return classes


def _was_shown(answer: _Answered, holdings: _Holdings) -> bool:
    if not answer.runs:
        return answer.is_among
    titles = {holdings.title(paper) for run in answer.runs for step in run.steps for paper in step.found}
    titles |= {hit.paper.title for run in answer.runs for step in run.steps for hit in step.elsewhere}
    return any(is_right(title, answer.item) for title in titles)


def _class_shares(answers: Sequence[_Answered], classes: Sequence[FailureClass]) -> tuple[Metric, ...]:
    """The share of each class among the failures; without searches none of the classes that only they show."""
    searched = any(answer.runs for answer in answers)
    kinds = [kind for kind in FAILURE_CLASSES if searched or kind not in SHOWN_BY_SEARCHES]
    return tuple(percent(kind, [float(other == kind) for other in classes]) for kind in kinds)


def _accuracy(pairs: Sequence[tuple[_Answered, _Answered | None]]) -> tuple[Metric, ...]:
    """Of answers, each with that of the method they are compared with."""
    answers, others = [answer for answer, _ in pairs], [other for _, other in pairs if other is not None]
    return (
        percent(
            "accuracy",
            [float(answer.is_right) for answer in answers],
            base=[float(other.is_right) for other in others],
        ),
        percent(
            f"accuracy@{CANDIDATES}",
            [float(answer.is_among) for answer in answers],
            base=[float(other.is_among) for other in others],
        ),
    )


def _durations(answers: Sequence[_Answered]) -> tuple[Metric, ...]:
    paid = [answer.seconds for answer in answers if not answer.runs or any(run.spent.calls for run in answer.runs)]
    return (_mean("seconds", paid),) if paid else ()


def _statistics(answers: Sequence[_Answered]) -> tuple[Metric, ...]:
    """How long the trajectories were, what was done in them, how they ended, and what they cost."""
    searched = [answer.runs for answer in answers if answer.runs]
    if not searched:
        return ()

    def count_actions(*names: str) -> Callable[[Trajectory], float]:
        return lambda answer: sum(step.action.name in names for step in answer.steps)

    figures: Mapping[str, Callable[[Trajectory], float]] = {
        "steps": lambda answer: len(answer.steps),
        "searches": count_actions("search", "search_citations"),
        "reads": count_actions("read", "references", "verify"),
        "calls": lambda answer: answer.spent.calls,
        "tokens": lambda answer: answer.spent.tokens,
        "dollars": lambda answer: answer.spent.dollars or 0.0,
    }
    selected = percent("selected", [float(runs[0].choice.ended == "selected") for runs in searched])
    technical = percent("technical", [float(runs[0].choice.ended in TECHNICAL) for runs in searched])
    sums = (_mean(name, [sum(map(figure, runs)) for runs in searched]) for name, figure in figures.items())
    return selected, technical, *sums


def _mean(name: str, values: Sequence[float]) -> Metric:
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
    return Metric(name, fmean(values), error)


def run_citeme(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    """The report; methods that ask the model are estimated first."""
    from litterm.cli import cluster
    from litterm.cli.llm_consent import ask_consent
    from litterm.library.segments.library import DuckLibrary
    from litterm_benchmarks.search.library_records import read_holdings

    if args.until is not None or args.corpus or args.full_texts or args.scale is not None:
        raise UsageError(
            "bench citeme asks your own library to each citing year: only --method, --cluster and --yes are for it"
        )
    path = require_one_path(paths, args)
    context = cluster.apply_cluster_option(args, context)
    engine = context.engine()
    if not (items := read_citeme(path)):
        raise UsageError(f"{path} holds no excerpt")
    asking = filter(None, options_by_name(args.method).values())
    costs = [estimate_cost(items, engine, options) for options in asking]
    if costs:
        # Once for all methods: who agrees to the first expects no further question.
        ask_consent(reduce(CostEstimate.plus, costs), args, context, cheaper="a file of fewer excerpts asks for less")
    holdings = context.run(read_holdings(DuckLibrary(context.settings.library)))
    return context.run(measure(path, engine, holdings, methods=args.method))
