"""The setting `citation_key`: one formula for the keys of exports, matrices, reading lists, drafts and `cite`."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from litterm.cli.main import main

ENTRIES = """title,authors,year,journal,abstract
Barn owls hunt mice by night,"Heron, Ann",2019,Owls,Barn owls hunt mice by night in the dark barns of the marsh.
Mice hide from owls in barns,"Müller, Bo",2020,Mice,Mice hide from owls in the straw of old barns.
"""
FORMULA = "auth.lower + veryshorttitle(1,1) + shortyear"
KEYS = ["heronBarn19", "mullerMice20"]
OWN = "@article{mine, title = {Barn owls hunt mice by night}, author = {Heron, Ann}, year = 2019, journal = {Owls}}\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    monkeypatch.setenv("LITTERM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LITTERM_OFFLINE", "1")
    monkeypatch.setenv("LITTERM_STARTER", "0")
    (tmp_path / "papers.csv").write_text(ENTRIES, "utf-8")
    assert main(["add", str(tmp_path / "papers.csv")]) == 0
    monkeypatch.setenv("LITTERM_CITATION_KEY", FORMULA)
    capsys.readouterr()

    def command(*argv: str) -> str:
        assert main(list(argv)) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return command


def test_every_export_has_the_keys_of_the_formula(run: Callable[..., str], tmp_path: Path) -> None:
    marks = ("--bibtex", "@article{%s,"), ("--ris", "ID  - %s\n"), ("--csl", '"id": "%s"'), ("--markdown", "[@%s]")
    for form, mark in marks:
        text = run("export", "--all", form)
        assert all(mark % key in text for key in KEYS), form
    assert [row["key"] for row in csv.DictReader(run("export", "--all", "--csv").splitlines())] == KEYS
    run("export", "--all", "--folder", str(tmp_path / "notes"))
    assert sorted(path.stem for path in (tmp_path / "notes").iterdir()) == KEYS
    run("export", "--all", "--parquet", str(tmp_path / "papers.parquet"))
    import duckdb

    rows = duckdb.sql(f"SELECT key FROM '{tmp_path / 'papers.parquet'}' ORDER BY key").fetchall()
    assert [key for (key,) in rows] == KEYS


def test_matrix_reading_list_citation_and_draft_have_them_too(run: Callable[..., str], tmp_path: Path) -> None:
    hypothesis = "owls hunt mice by night"
    for form in ("md", "csv", "json"):
        text = run("evidence", "--query", "owls barns", hypothesis, "--format", form)
        assert all(key in text for key in KEYS), form
    listed = run("list", "owls and mice", "--md")
    assert all(f"[@{key}]" in listed for key in KEYS)
    assert all(f"@article{{{key}," in run("list", "owls and mice", "--bibtex") for key in KEYS)
    excerpt = "Barn owls hunt mice by night [CITATION]."
    assert json.loads(run("cite", excerpt, "--json"))["candidates"][0]["key"] == KEYS[0]
    assert run("cite", excerpt, "--key", "--force").splitlines() == [KEYS[0]]
    assert f"@article{{{KEYS[0]}," in run("cite", excerpt, "--bibtex", "--force")
    run("cite", excerpt, "--append", str(tmp_path / "new.bib"), "--force")
    assert f"@article{{{KEYS[0]}," in (tmp_path / "new.bib").read_text("utf-8")
    (tmp_path / "draft.md").write_text("Barn owls hunt mice by night [CITATION].\n", "utf-8")
    assert f'"{KEYS[0]}"' in run("cite", "--file", str(tmp_path / "draft.md"), "--format", "json")


def test_a_paper_is_found_by_its_key(run: Callable[..., str]) -> None:
    assert run("show", KEYS[1]).splitlines()[0] == "Mice hide from owls in barns"
    assert "Barn owls hunt mice" in run("evidence", KEYS[0], "owls hunt mice by night")


def test_the_users_own_key_wins(run: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "own.bib").write_text(OWN, "utf-8")
    run("add", str(tmp_path / "own.bib"))
    rows = list(csv.DictReader(run("export", "--all", "--csv").splitlines()))
    assert {row["key"] for row in rows} == {"mine", KEYS[1]}


def test_a_formula_that_cannot_be_read_is_one_sentence_about_the_setting(
    run: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LITTERM_CITATION_KEY", "authr + year")
    assert main(["export", "--all"]) == 2
    said = capsys.readouterr().err
    assert "citation_key: There is no “authr” for citation keys; there are" in said
    # What needs no key works.
    assert main(["search", "owls"]) == 0
