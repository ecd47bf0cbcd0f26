"""The load test of a group's server, in its shortest form: every verb is asked, and nothing fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from libraries import store
from library_servers import papers

from litterm.core.errors import UsageError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm_benchmarks.speed.group_server import measure


def test_a_few_clients_are_all_answered(home: Path) -> None:
    settings = from_home(home)
    store(settings.library, papers(home))
    report = run(measure(settings, clients=12, seconds=1))
    assert report.bench == "server"
    assert report.n >= 1
    whole = {metric.name: metric.mean for metric in report.rows[-1].metrics}
    assert whole["failed"] == 0, report.notes
    assert whole["server cpu ms each"] > 0


def test_an_empty_library_is_not_asked(home: Path) -> None:
    with pytest.raises(UsageError, match="no papers"):
        run(measure(from_home(home)))
