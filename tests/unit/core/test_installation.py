"""An extra is advised by its packages, in the way that litterm was installed."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litterm.core import installation
from litterm.core.installation import command_for, extra_packages, install_command, installed_from

PACKAGE = ("citeproc-py<1,>=0.9",)
RECEIPT = """[tool]
requirements = [
    { name = "litterm", path = "/wheels/litterm-1.0.0-py3-none-any.whl" },
    { name = "keyring", specifier = ">=25" },
]
"""


@pytest.fixture
def from_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "installed_from", lambda: "/wheels/litterm-1.0.0-py3-none-any.whl")


def environment(folder: Path, **files: str) -> Path:
    prefix = folder / "litterm"
    prefix.mkdir(parents=True)
    for name, text in files.items():
        (prefix / name.replace("__", "-").replace("_dot_", ".")).write_text(text, "utf-8")
    return prefix


def test_pip_is_called_by_the_python_of_this_environment(tmp_path: Path) -> None:
    prefix = environment(tmp_path / "my venvs", pyvenv_dot_cfg="home = /usr/bin\n")
    assert command_for(PACKAGE, prefix, {}) == f"'{prefix}/bin/python' -m pip install \"citeproc-py<1,>=0.9\""


def test_an_active_environment_needs_no_path(tmp_path: Path) -> None:
    prefix = environment(tmp_path)
    active = {"VIRTUAL_ENV": str(prefix)}
    assert command_for(PACKAGE, prefix, active) == 'pip install "citeproc-py<1,>=0.9"'


def test_pipx_injects(tmp_path: Path) -> None:
    prefix = environment(tmp_path, pipx_metadata_dot_json="{}")
    assert command_for(PACKAGE, prefix, {}) == 'pipx inject litterm "citeproc-py<1,>=0.9"'


def test_a_tool_of_uv_is_installed_again_with_all_it_had(tmp_path: Path, from_wheel: None) -> None:
    prefix = environment(tmp_path, uv__receipt_dot_toml=RECEIPT, pyvenv_dot_cfg="uv = 0.13.9\n")
    expected = (
        'uv tool install --with "keyring>=25" --with "citeproc-py<1,>=0.9" /wheels/litterm-1.0.0-py3-none-any.whl'
    )
    assert command_for(PACKAGE, prefix, {}) == expected


def test_uvx_takes_the_package_along(tmp_path: Path, from_wheel: None) -> None:
    prefix = environment(tmp_path / "archive-v0", pyvenv_dot_cfg="uv = 0.13.9\n")
    expected = 'uvx --with "citeproc-py<1,>=0.9" --from /wheels/litterm-1.0.0-py3-none-any.whl litterm'
    assert command_for(PACKAGE, prefix, {}) == expected


def test_an_environment_of_uv_has_no_pip(tmp_path: Path) -> None:
    prefix = environment(tmp_path, pyvenv_dot_cfg="uv = 0.13.9\n")
    assert command_for(PACKAGE, prefix, {}) == f'uv pip install --python {prefix}/bin/python "citeproc-py<1,>=0.9"'


@pytest.mark.parametrize("extra", ["keyring", "ann", "encoder", "csl", "server", "cluster", "bench"])
def test_a_command_never_names_litterm_on_an_index(extra: str) -> None:
    assert extra_packages(extra)
    assert "litterm[" not in install_command(extra)


@pytest.mark.parametrize(
    ("direct_url", "told"),
    [
        ('{"url": "file:///my%20wheels/litterm.whl"}', "/my wheels/litterm.whl"),
        ('{"url": "https://example.org/litterm.whl"}', "https://example.org/litterm.whl"),
        (None, "litterm"),
        ("damaged", "litterm"),
    ],
)
def test_litterm_is_named_by_where_it_came_from(
    monkeypatch: pytest.MonkeyPatch, direct_url: str | None, told: str
) -> None:
    class Installed:
        read_text: Callable[[Any, str], str | None] = lambda _self, _name: direct_url

    monkeypatch.setattr(importlib.metadata, "distribution", lambda _name: Installed())
    assert installed_from() == told


def test_sources_that_were_never_installed_are_named_as_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[str]:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", missing)
    assert install_command("csl").endswith('install ".[csl]"')
