"""CiteME: does the cited paper come first, by its title; and what the agent did to find it.

Whether a paper can be found at all depends on the library: `ceiling` is the share of excerpts whose paper it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.agent import AgentUse
from litterm.model.citation import Attribution
from litterm.model.events import Progress
from litterm.model.llm import CostEstimate
from litterm.model.trajectory import Trajectory
from litterm.text.references.identity import title_key
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.readers.citeme import CitedExcerpt, is_right, read_citeme
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore

CANDIDATES = 10
USES: Mapping[str, AgentUse | None] = {
    "litterm": None,
    "agent": AgentUse(),
    "agent+online": AgentUse(online=True),
}
"""Methods; the last two ask the language model of the settings, and need consent."""


@dataclass(frozen=True, slots=True)
class _Told:
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
    for name in uses(methods):
        told = yield from _asked(items, engine, name)
        rows.append(_row(name, told))
    held = frozenset(map(title_key, titles))
    there = [float(any(title_key(each) in held for each in item.titles)) for item in items]
    rows.append(MethodRow("ceiling", (percent("accuracy", there),)))
    notes = (
        f"accuracy: the first candidate has a title of the cited paper (likeness above .8); @{CANDIDATES}: one of the "
        f"first {CANDIDATES} has; papers to the citing year, without the citing paper",
    )
    return BenchReport("citeme", path.name, len(items), tuple(rows), notes)


def uses(methods: Sequence[str]) -> dict[str, AgentUse | None]:
    """How the methods asked for use a model; `litterm` alone where none is asked for.

    Raises:
        UsageError: one of them is not known.
    """
    unknown = [name for name in methods if name not in USES]
    if unknown:
        raise UsageError(f"no method {unknown[0]!r} here; there are {', '.join(USES)}")
    return {name: use for name, use in USES.items() if name in (methods or ("litterm",))}


def estimated(path: Path, engine: Engine, use: AgentUse) -> CostEstimate:
    """What asking the agent about every excerpt would cost at most.

    Raises:
        ModelError: the model cannot be asked.
    """
    items = read_citeme(path)
    each = [
        engine.citing.estimate(engine.excerpt(item.excerpt), use, before=item.year, source=item.source)
        for item in items
    ]
    return reduce(CostEstimate.plus, each)


def _asked(items: Sequence[CitedExcerpt], engine: Engine, name: str) -> Task[list[_Told]]:
    told = []
    for number, item in enumerate(items):
        yield Progress(name, number, len(items))
        try:
            found = yield from _answer(item, engine, USES[name])
        except UsageError:
            # An excerpt without a word to search for is a miss.
            told.append(_Told(item, ()))
            continue
        kept = engine.citing.open(found.trajectory) if found.trajectory else None
        told.append(_Told(item, tuple(each.paper.title for each in found.candidates), kept))
    return told


def _answer(item: CitedExcerpt, engine: Engine, use: AgentUse | None) -> Task[Attribution]:
    if use is None:
        return (yield from engine.cite(item.excerpt, k=CANDIDATES, before=item.year, source=item.source))
    excerpt = engine.excerpt(item.excerpt)
    return (yield from engine.citing.find(excerpt, use, k=CANDIDATES, before=item.year, source=item.source))


def _row(name: str, told: Sequence[_Told]) -> MethodRow:
    splits = dict.fromkeys(each.item.split for each in told if each.item.split)
    parts = []
    for split in splits if len(splits) > 1 else ():
        members = [each for each in told if each.item.split == split]
        parts.append(SubsetScore("split", split, len(members), _accuracy(members)))
    return MethodRow(name, (*_accuracy(told), *_statistics(told)), tuple(parts))


def _accuracy(told: Sequence[_Told]) -> tuple[Metric, ...]:
    first = [float(any(is_right(title, each.item) for title in each.titles[:1])) for each in told]
    among = [float(any(is_right(title, each.item) for title in each.titles)) for each in told]
    return percent("accuracy", first), percent(f"accuracy@{CANDIDATES}", among)


def _statistics(told: Sequence[_Told]) -> tuple[Metric, ...]:
    """How long the trajectories were, what was done in them, how they ended, and what they cost."""
    kept = [each.trajectory for each in told if each.trajectory is not None]
    if not kept:
        return ()

    def counted(*names: str) -> Callable[[Trajectory], float]:
        return lambda each: sum(step.action.name in names for step in each.steps)

    figures: Mapping[str, Callable[[Trajectory], float]] = {
        "steps": lambda each: len(each.steps),
        "searches": counted("search", "search_citations"),
        "reads": counted("read", "references", "verify"),
        "calls": lambda each: each.spent.calls,
        "tokens": lambda each: each.spent.tokens,
        "dollars": lambda each: each.spent.dollars or 0.0,
    }
    selected = percent("selected", [float(each.choice.ended == "selected") for each in kept])
    return selected, *(_mean(name, [figure(each) for each in kept]) for name, figure in figures.items())


def _mean(name: str, values: Sequence[float]) -> Metric:
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
    return Metric(name, fmean(values), error)
