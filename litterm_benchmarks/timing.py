"""Times of many runs to a row: wall and processor, median and 95th percentile."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ParamSpec

from litterm_benchmarks.report import MethodRow, Metric

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Lap:
    """What one run took, in milliseconds."""

    wall: float
    cpu: float
    """Of all threads of this process; 0 where another process did the work."""


def time_once(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Lap:
    """`work` run once."""
    started, busy = time.perf_counter(), time.process_time()
    work(*args, **kwargs)
    cpu = time.process_time() - busy
    return Lap((time.perf_counter() - started) * 1000, cpu * 1000)


def row(method: str, laps: Sequence[Lap], *, cpu: bool = True) -> MethodRow:
    """The row of a method; wall times alone where the work was done by another process."""
    metrics = _percentiles("", [lap.wall for lap in laps])
    return MethodRow(method, (*metrics, *(_percentiles("cpu ", [lap.cpu for lap in laps]) if cpu else ())))


def _percentiles(name: str, times_ms: Sequence[float]) -> tuple[Metric, ...]:
    if len(times_ms) < 2:
        return (Metric(f"{name}p50 ms", times_ms[0]),)
    cuts = statistics.quantiles(times_ms, n=20, method="inclusive")
    return (Metric(f"{name}p50 ms", cuts[9]), Metric(f"{name}p95 ms", cuts[18]))


def with_ratios(rows: Sequence[MethodRow], ours: MethodRow) -> list[MethodRow]:
    """`rows` with how many times as long `ours` takes, by the median of processor time."""
    return [
        MethodRow(measured.method, (*measured.metrics, *_ratio(measured, ours)), measured.parts) for measured in rows
    ]


def _ratio(measured: MethodRow, ours: MethodRow) -> tuple[Metric, ...]:
    cpu = [next((m.mean for m in row.metrics if m.name == "cpu p50 ms"), 0.0) for row in (measured, ours)]
    return (Metric("litterm takes x", cpu[1] / cpu[0]),) if all(cpu) else ()
