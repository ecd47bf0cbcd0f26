"""Which lines each test reaches, and how long it takes: a plugin for pytest that keeps both in one file of JSON."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from coverage import Coverage


class Reach:
    """Watches the tests of one run; a test and all its parameters count as one."""

    def __init__(self, package: Path, kept: Path) -> None:
        self._coverage = Coverage(data_file=None, include=[f"{package}/*"], config_file=False)
        self._package = package
        self._kept = kept
        self._seconds: Counter[str] = Counter()
        self._started = 0.0
        self._coverage.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """From here on lines are reached by this test."""
        self._coverage.switch_context(nodeid.partition("[")[0])
        self._started = time.perf_counter()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """What a test has taken, fixtures included."""
        self._seconds[nodeid.partition("[")[0]] += time.perf_counter() - self._started  # type: ignore[assignment]

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Keeps what was seen, if every test has passed."""
        self._coverage.stop()
        if exitstatus != pytest.ExitCode.OK:
            return
        data = self._coverage.get_data()
        lines = {
            str(Path(file).relative_to(self._package.parent)): {
                line: [name for name in names if name] for line, names in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        draft = self._kept.with_suffix(".draft")
        draft.write_text(json.dumps({"seconds": self._seconds, "lines": lines}), "utf-8")
        draft.rename(self._kept)
