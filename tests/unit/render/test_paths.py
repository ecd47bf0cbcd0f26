"""Paths as they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.render.names import home_relative


def test_only_what_lies_in_the_users_folder_is_told_from_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    shown = home_relative(str(tmp_path / "papers" / "scan.pdf"))
    assert shown == "~/papers/scan.pdf"
    assert Path(shown).expanduser() == tmp_path / "papers" / "scan.pdf"
    assert home_relative(f"{tmp_path}er/scan.pdf") == f"{tmp_path}er/scan.pdf"
    assert home_relative("/srv/scan.pdf") == "/srv/scan.pdf"


def test_a_home_that_is_the_root_shortens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert home_relative("/srv/scan.pdf") == "/srv/scan.pdf"
