"""The JSON of benchmarks."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class MetricData(TypedDict):
    """A figure of a benchmark, with that over its baseline."""

    mean: float | None
    se: float | None
    gain: NotRequired[float | None]
    gain_se: NotRequired[float | None]


class BenchPartData(TypedDict):
    """The figures of a part of the data."""

    n: int
    metrics: dict[str, MetricData]


class BenchRowData(TypedDict):
    """The figures of one method."""

    method: str
    metrics: dict[str, MetricData]
    base: NotRequired[str]
    parts: NotRequired[dict[str, dict[str, BenchPartData]]]


class FigureData(TypedDict):
    """A figure beside a published one."""

    mean: float
    se: float | None


class ComparedRowData(TypedDict):
    """A row of a table with published figures."""

    name: str
    cells: dict[str, FigureData]
    why: str


class ComparedTableData(TypedDict):
    """A table with published figures; `published` and `ours` name its columns."""

    title: str
    data: str
    published: list[str]
    ours: list[str]
    rows: list[ComparedRowData]
    notes: list[str]


class BenchData(TypedDict):
    """The answer of `bench`."""

    bench: str
    data: str
    n: int
    rows: list[BenchRowData]
    notes: list[str]
    tables: NotRequired[list[ComparedTableData]]
