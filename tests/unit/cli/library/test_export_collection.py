"""`litterm export --collection`: the papers of a collection and of those that lie in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.cli.main import main

ENTRIES = """
@article{heron, title = {Herons of the northern marsh}, author = {Heron, Ann}, year = 2019}
@article{reed, title = {A reed bed and its warblers}, author = {Reed, Bo}, year = 2020}
@article{otter, title = {Otters of a slow river}, author = {Otter, Cy}, year = 2021}
"""


def test_nested_collections_are_in_it_and_removed_papers_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LITTERM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LITTERM_OFFLINE", "1")
    (tmp_path / "my.bib").write_text(ENTRIES, "utf-8")
    assert main(["add", str(tmp_path / "my.bib")]) == 0
    assert main(["mark", "heron", "--collection", "Thesis"]) == 0
    assert main(["mark", "reed", "--collection", "Thesis/Birds"]) == 0
    capsys.readouterr()
    assert main(["export", "--collection", "thesis"]) == 0
    text = capsys.readouterr().out
    assert [key for key in ("heron", "reed", "otter") if f"{{{key}," in text] == ["heron", "reed"]
    assert main(["export", "--collection", "Thesis/Birds", "--csv"]) == 0
    assert capsys.readouterr().out.count("\n") == 2
    assert main(["export", "--collection", "Thesi"]) == 2
    assert "There is no collection Thesi. Did you mean Thesis?" in capsys.readouterr().err
    assert main(["export", "--collection", "Thesis", "--all"]) == 2
    assert main(["remove", "reed"]) == 0
    capsys.readouterr()
    assert main(["export", "--collection", "Thesis"]) == 0
    text = capsys.readouterr().out
    assert [key for key in ("heron", "reed", "otter") if f"{{{key}," in text] == ["heron"]
