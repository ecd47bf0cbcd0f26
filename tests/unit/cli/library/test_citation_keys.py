"""The citation key of a paper is accepted wherever a paper is named: ids first, then the key as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.cli.main import main

BIBLIOGRAPHY = """
@article{Heron2019marsh, author = {Heron, Ann}, title = {Herons of the northern marsh}, year = 2019,
  abstract = {Herons nest.}}
@article{heron2019Marsh, author = {Reed, Bo}, title = {A reed bed and its warblers}, year = 2019}
@book{otter:river/2020, author = {Otter, Cy}, title = {Otters of a slow river}, year = 2020}
"""
OTHER = "@article{otter:river/2020, author = {Vole, Di}, title = {Voles under the winter snow}, year = 2011}\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.setenv("LITTERM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LITTERM_OFFLINE", "1")
    (tmp_path / "my.bib").write_text(BIBLIOGRAPHY, "utf-8")
    assert main(["add", str(tmp_path / "my.bib")]) == 0
    capsys.readouterr()
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["show"],
        ["read", "--plain"],
        ["export"],
        ["refs"],
        ["evidence", "--json"],
    ],
)
def test_a_command_takes_the_key_of_a_bibliography(
    home: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    name, *options = command
    words = [name, "Heron2019marsh", *(["herons nest"] if name == "evidence" else []), *options]
    # A list that only a service knows ends with 4 while litterm is offline: the paper was found.
    assert main(words) in (0, 4)
    said = capsys.readouterr()
    assert "is not in the library" not in said.err
    if name in ("show", "read", "export"):
        assert "Herons of the northern marsh" in said.out


def test_capitals_tell_keys_apart_and_else_do_not_matter(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "heron2019Marsh"]) == 0
    assert "warblers" in capsys.readouterr().out
    assert main(["show", "OTTER:river/2020"]) == 0
    assert "Otters" in capsys.readouterr().out
    assert main(["show", "HERON2019MARSH"]) == 2
    assert "may be any of" in capsys.readouterr().err


def test_an_ambiguous_key_names_the_papers_and_an_unknown_one_is_unknown(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "other.bib").write_text(OTHER, "utf-8")
    assert main(["add", str(home / "other.bib")]) == 0
    assert main(["show", "otter:river/2020"]) == 2
    assert capsys.readouterr().err.count("local:") == 2
    assert main(["show", "otter:river"]) == 3


def test_a_removed_paper_and_a_pair_to_merge_are_named_by_key(home: Path) -> None:
    assert main(["duplicates", "--merge", "Heron2019marsh", "heron2019Marsh"]) == 0
    assert main(["remove", "otter:river/2020"]) == 0
    assert main(["show", "otter:river/2020"]) == 3
