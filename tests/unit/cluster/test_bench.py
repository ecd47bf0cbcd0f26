"""The bench of a cluster compares it with one process, on a library of any size."""

from __future__ import annotations

from pathlib import Path

import pytest
from libraries import record, store

from litterm.core.errors import UsageError
from litterm.core.settings.model import from_home
from litterm.core.tasks import run
from litterm_benchmarks.speed.cluster import measure


def test_bench_finds_no_difference_and_leaves_nothing_behind(tmp_path: Path) -> None:
    settings = from_home(tmp_path)
    store(
        settings.library, [record(f"P{n}", f"Study {n} of parsing", abstract="We parse. It helps.") for n in range(9)]
    )
    before = sorted(tmp_path.rglob("*"))
    report = run(measure(settings, queries=2, papers=3, imported=40))
    figures = {row.method: {metric.name: metric.mean for metric in row.metrics} for row in report.rows}
    assert figures["two nodes"]["other rankings"] == 0
    assert figures["speed-up of the matrix"]["other cells"] == 0
    assert figures["matrix, two nodes"]["cpu s on nodes"] > 0
    assert figures["library"]["MB a shard"] > 0
    assert figures["speed-up of the import"]["papers"] == 40
    assert figures["speed-up of the import"]["other papers"] == 0
    assert figures["import, two nodes"]["cpu s on nodes"] > 0
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_library_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no papers"):
        run(measure(from_home(tmp_path)))
