"""CiteME: does the cited paper come first, by its title; and what the agent did to find it.

Whether a paper can be found at all depends on the library: `ceiling` is the share of excerpts whose paper it holds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.attribution.agent import AGENT_VARIANTS, AgentOptions, Trajectory
from litterm.model.attribution.citation import Attribution
from litterm.model.events import Progress
from litterm.model.llm import CostEstimate
from litterm.text.references.identity import title_key
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.readers.citeme import CitedExcerpt, is_right, read_citeme
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore
from litterm_benchmarks.search.retrieval_command import require_one_path

if TYPE_CHECKING:
    from litterm_benchmarks.report import BenchReport


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
    titles: tuple[str, ...]
    trajectory: Trajectory | None = None


def measure(path: Path, engine: Engine, titles: Iterable[str], *, methods: Sequence[str] = ()) -> Task[BenchReport]:
    """One row a method, over the library of `engine`, which holds papers with these `titles`.

    Raises:
        BadInput: the file is not CiteME's.
        UsageError: it has no row, or a method is not known.
    """
    items = read_citeme(path)
    if not items:
        raise UsageError(f"{path} holds no excerpt")
    rows = []
    for name in options_by_name(methods):
        answers = yield from _ask_all(items, engine, name)
        rows.append(_row(name, answers))
    title_keys = frozenset(map(title_key, titles))
    in_library = [float(any(title_key(title) in title_keys for title in item.titles)) for item in items]
    rows.append(MethodRow("ceiling", (percent("accuracy", in_library),)))
    notes = (
        f"accuracy: the first candidate has a title of the cited paper (likeness above .8); @{CANDIDATES}: one of the "
        f"first {CANDIDATES} has; papers to the citing year, without the citing paper",
    )
    return BenchReport("citeme", path.name, len(items), tuple(rows), notes)


def options_by_name(methods: Sequence[str]) -> dict[str, AgentOptions | None]:
    """How the methods asked for use a model; `litterm` alone where none is asked for.

    Raises:
        UsageError: one of them is not known.
    """
    unknown = [name for name in methods if name not in USES]
    if unknown:
        raise UsageError(f"no method {unknown[0]!r} here; there are {', '.join(USES)}")
    return {name: options for name, options in USES.items() if name in (methods or ("litterm",))}


def estimate_cost(path: Path, engine: Engine, options: AgentOptions) -> CostEstimate:
    """What asking the agent about every excerpt would cost at most.

    Raises:
        ModelError: the model cannot be asked.
    """
    items = read_citeme(path)
    costs = [
        engine.citing.estimate(engine.excerpt(item.excerpt), options, before=item.year, source=item.source)
        for item in items
    ]
    return reduce(CostEstimate.plus, costs)


def _ask_all(items: Sequence[CitedExcerpt], engine: Engine, name: str) -> Task[list[_Answered]]:
    answers = []
    for number, item in enumerate(items):
        yield Progress(name, number, len(items))
        try:
            attribution = yield from _ask(item, engine, USES[name])
        except UsageError:
            # An excerpt without a word to search for is a miss.
            answers.append(_Answered(item, ()))
            continue
        trajectory = engine.citing.open(attribution.trajectory) if attribution.trajectory else None
        answers.append(
            _Answered(item, tuple(candidate.paper.title for candidate in attribution.candidates), trajectory)
        )
    return answers


def _ask(item: CitedExcerpt, engine: Engine, options: AgentOptions | None) -> Task[Attribution]:
    if options is None:
        return (yield from engine.cite(item.excerpt, k=CANDIDATES, before=item.year, source=item.source))
    excerpt = engine.excerpt(item.excerpt)
    return (yield from engine.citing.find(excerpt, options, k=CANDIDATES, before=item.year, source=item.source))


def _row(name: str, answers: Sequence[_Answered]) -> MethodRow:
    splits = dict.fromkeys(answer.item.split for answer in answers if answer.item.split)
    parts = []
    for split in splits if len(splits) > 1 else ():
        members = [answer for answer in answers if answer.item.split == split]
        parts.append(SubsetScore("split", split, len(members), _accuracy(members)))
    for year in sorted({answer.item.year for answer in answers if answer.item.year is not None}):
        members = [answer for answer in answers if answer.item.year == year]
        parts.append(SubsetScore("citing year", str(year), len(members), _accuracy(members)))
    return MethodRow(name, (*_accuracy(answers), *_statistics(answers)), tuple(parts))


def _accuracy(answers: Sequence[_Answered]) -> tuple[Metric, ...]:
    first = [float(any(is_right(title, answer.item) for title in answer.titles[:1])) for answer in answers]
    among = [float(any(is_right(title, answer.item) for title in answer.titles)) for answer in answers]
    return percent("accuracy", first), percent(f"accuracy@{CANDIDATES}", among)


def _statistics(answers: Sequence[_Answered]) -> tuple[Metric, ...]:
    """How long the trajectories were, what was done in them, how they ended, and what they cost."""
    trajectories = [answer.trajectory for answer in answers if answer.trajectory is not None]
    if not trajectories:
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
    selected = percent("selected", [float(answer.choice.ended == "selected") for answer in trajectories])
    return selected, *(_mean(name, [figure(answer) for answer in trajectories]) for name, figure in figures.items())


def _mean(name: str, values: Sequence[float]) -> Metric:
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
    return Metric(name, fmean(values), error)


def run_citeme(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    """The report; methods that ask the model are estimated first."""
    from litterm.cli import cluster
    from litterm.cli.llm_consent import ask_consent
    from litterm.library.segments.library import DuckLibrary
    from litterm_benchmarks.attribution import citeme
    from litterm_benchmarks.search.library_records import read_holdings

    if args.until is not None or args.corpus or args.full_texts or args.scale is not None:
        raise UsageError(
            "bench citeme asks your own library to each citing year: only --method, --cluster and --yes are for it"
        )
    path = require_one_path(paths, args)
    context = cluster.apply_cluster_option(args, context)
    engine = context.engine()
    for options in filter(None, citeme.options_by_name(args.method).values()):
        ask_consent(
            citeme.estimate_cost(path, engine, options), args, context, cheaper="without --method agent none is made"
        )
    holdings = context.run(read_holdings(DuckLibrary(context.settings.library)))
    titles = (title for title, _ in holdings.texts)
    return context.run(citeme.measure(path, engine, titles, methods=args.method))
