"""The packages that `doctor` looks for are those litterm requires, by their names alone."""

from __future__ import annotations

import pytest

from litterm.cli.diagnostics import doctor


def test_extras_versions_and_conditions_are_no_part_of_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = [
        "numpy>=1.26",
        "rich",
        "pypdf[crypto]<8,>=7.1",
        "tomli ; python_version < '4'",
        "ray ; extra == 'cluster'",
    ]
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: stated)
    packages = [finding.name for finding in doctor.check_versions()][2:]
    assert packages == ["numpy", "pypdf", "rich", "tomli"]
