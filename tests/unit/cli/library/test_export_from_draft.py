"""`export --from`: the works that a draft cites, over the real engine."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from litterm.cli.main import main

PAPERS = """@article{boats, title = {Counting boats at sea}, author = {Able, Ann}, year = 2010, journal = {Boats}}
@article{ropes, title = {Ropes of another kind}, author = {Baker, Bo}, year = {2011}, journal = {Boats}}
@article{knots, title = {Knots that hold in storms}, author = {Cole, Cy}, year = {2012}, journal = {Boats}}
@article{sails, title = {Sails for light winds}, author = {Dole, Di}, year = {2013}, journal = {Boats}}
"""
BIB = """@misc{Baker11, title = {Ropes of another kind}, author = {Bo Baker}, year = 2011}
@misc{Able10, title = {Counting boats at sea}, author = {Ann Able}, year = 2010}
@misc{Able10again, title = {Counting boats at sea}, author = {Ann Able}, year = 2010}
@misc{Nobody, title = {Zebras of the Serengeti in colour}, author = {Who, W.}, year = 1999}
"""
TEX = r"""\documentclass{article}
\begin{document}
Ropes hold \cite{Baker11}.
\input{chapter}
Boats count \citep[see][]{Able10, Baker11}, and zebras \cite{Nobody,Able10again}.
\bibliography{refs}
\end{document}
"""


@pytest.fixture
def folder(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (tmp_path / "own.bib").write_text(PAPERS, "utf-8")
    assert main(["add", str(tmp_path / "own.bib")]) == 0
    capsys.readouterr()
    folder = tmp_path / "paper"
    folder.mkdir()
    return folder


def test_cited_works_come_in_the_order_and_under_the_keys_of_the_draft(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "draft.tex").write_text(TEX, "utf-8")
    (folder / "chapter.tex").write_text(r"Knots hold \cite{knots}." + "\n", "utf-8")
    (folder / "refs.bib").write_text(BIB, "utf-8")
    assert main(["export", "--from", str(folder / "draft.tex")]) == 3
    out, said = capsys.readouterr()
    # In a chapter that is taken in between the two; by the library's own key, as no bibliography has it.
    assert re.findall(r"@\w+\{(.*),", out) == ["Baker11", "knots", "Able10"]
    assert "Nobody, which the draft cites, is not in the library." in said
    assert "Able10again and Able10 are one paper" in said


def test_nocite_adds_works_at_the_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "\\nocite{knots, sails}\n% \\nocite{ropes}\nBoats count \\cite{boats}.\n"
    (folder / "draft.tex").write_text(text, "utf-8")
    assert main(["export", "--from", str(folder / "draft.tex")]) == 0
    assert re.findall(r"@\w+\{(.*),", capsys.readouterr().out) == ["boats", "knots", "sails"]
    (folder / "refs.bib").write_text(BIB, "utf-8")
    (folder / "draft.tex").write_text("\\nocite{*} \\bibliography{refs}", "utf-8")
    assert main(["export", "--from", str(folder / "draft.tex")]) == 3
    assert re.findall(r"@\w+\{(.*),", capsys.readouterr().out) == ["Baker11", "Able10"]


@pytest.mark.parametrize("name", ["draft.md", "draft.txt"])
def test_drafts_in_markdown_are_exported_in_every_format(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (folder / name).write_text("Sails pull [@sails; see @boats, p. 3].\n", "utf-8")
    assert main(["export", "--from", str(folder / name), "--csl"]) == 0
    assert [item["id"] for item in json.loads(capsys.readouterr().out)] == ["sails", "boats"]


def test_a_draft_without_known_works_exports_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft = folder / "draft.md"
    for text, sentence in (("Zebras [@zebra].", "zebra, which the draft cites, is not"), ("Nothing.", "cites nothing")):
        draft.write_text(text, "utf-8")
        assert main(["export", "--from", str(draft), "-o", str(folder / "out.bib")]) == 3
        assert sentence in capsys.readouterr().err
    assert not (folder / "out.bib").exists()


def test_options_of_other_scopes_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--from", "a.tex", "--all"], ["--all", "--bib", "refs.bib"]):
        assert main(["export", *words]) == 2
