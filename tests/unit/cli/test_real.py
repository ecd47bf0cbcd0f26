"""The command over the real engine: what a user does in the first five minutes, with hostile and broken input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.cli.main import main

ROWS = [
    {
        "id": "h1",
        "title": "\x1b]0;owned\x07\x1b[31mRed zebra crossing\x1b[0m [bold]markup[/bold] [@click=app.quit]x[/]",
        "abstract": "zebra \u202e evil",
        "authors": ["A B"],
        "year": 2020,
    },
    {
        "id": "h2",
        "title": "Plain zebra paper",
        "abstract": "We count zebras. They are fast.",
        "authors": [],
        "year": 2021,
    },
]
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1 if i else str()};" * 8}">' for i in range(12))
    + "]><article>&a11;</article>"
)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(list(argv))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def imported(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """What `litterm add` said of a folder with two papers, one broken line, a bomb and a page that is no PDF."""
    folder = tmp_path / "h"
    folder.mkdir()
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, ROWS)) + "\n{broken\n", encoding="utf-8")
    (folder / "bomb.xml").write_text(BOMB, encoding="utf-8")
    (folder / "notpdf.pdf").write_text("<html>404</html>", encoding="utf-8")
    return run(capsys, "add", str(folder))


def test_the_command_says_what_tells_the_meaning_of_which_word(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    titles = ["Bleeding under zorvaqib", "Prophylaxis with zorvaqib", "Parsing", "Mirtolan for parsing"]
    rows = [{"id": f"t{at}", "title": title, "authors": [], "year": 2020} for at, title in enumerate(titles)]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run(capsys, "add", str(tmp_path / "t.jsonl"))
    asked = ("search", "bleeding zorvaqib mirtolan")
    _, out, _ = run(capsys, *asked, "--json")
    assert json.loads(out)["words"] == {"model": ["bleeding"], "library": ["zorvaqib"], "unknown": ["mirtolan"]}
    _, _, err = run(capsys, *asked, "--why")
    assert "Meaning learned from the papers of this library: zorvaqib." in err.splitlines()
    assert "Meaning" not in run(capsys, *asked)[2]
    told = run(capsys, "doctor")[1]
    assert "words learned from this library: 1" in told
    assert "words without a known meaning: 1" in told


def test_bad_input_is_a_line_each_and_the_rest_is_imported(
    imported: tuple[int, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = imported
    assert status == 1
    assert "2 added" in out
    for name in ("a.jsonl", "bomb.xml", "notpdf.pdf"):
        assert sum(name in line for line in err.splitlines()) == 1, err
    _, listed, _ = run(capsys, "failures", "--json")
    assert json.loads(listed)["count"] == 3


@pytest.mark.usefixtures("imported")
def test_what_was_imported_is_found_and_harms_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "search", "zebra", "--json")
    found = json.loads(out)
    own = [row for row in found["results"] if not row["starter"]]
    assert (status, len(own)) == (0, 2)
    _, lines, said = run(capsys, "search", "zebra")
    assert "\x1b" not in out + lines + said
    assert "\u202e" not in out + lines


@pytest.mark.usefixtures("imported")
def test_evidence_cite_show_and_export_work_on_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "search", "plain", "zebra", "paper", "-k", "1", "--json")
    paper_id = json.loads(out)["results"][0]["id"]
    status, out, _ = run(capsys, "evidence", paper_id, "zebras are fast", "--json")
    sentences = json.loads(out)["sentences"]
    assert status == 0
    assert "They are fast." in [row["text"] for row in sentences]
    status, out, _ = run(capsys, "cite", "Zebras were counted before [CITATION].", "-k", "2", "--json")
    assert (status, json.loads(out)["candidates"][0]["id"]) == (0, paper_id)
    assert json.loads(run(capsys, "show", paper_id, "--json")[1])["title"] == "Plain zebra paper"
    assert run(capsys, "export", paper_id)[1].startswith("@")
    assert "They are fast." in run(capsys, "read", paper_id, "--plain")[1]


@pytest.mark.usefixtures("home")
def test_an_empty_litterm_answers_from_the_starter_library(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "search", "attention", "translation", "-k", "3", "--json")
    results = json.loads(out)["results"]
    assert (status, len(results)) == (0, 3)
    assert all(row["starter"] and row["id"].startswith("starter:") for row in results)
    assert run(capsys, "doctor")[0] == 0


@pytest.mark.usefixtures("imported")
def test_a_lost_index_is_told_by_doctor_and_made_anew_by_the_next_import(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pack,) = home.rglob("part.pack")
    pack.unlink()
    status, out, _ = run(capsys, "doctor")
    assert status == 1
    assert "part.pack is gone" in out and "any `litterm add` rebuilds it" in out
    run(capsys, "add", str(tmp_path / "h" / "a.jsonl"))
    assert run(capsys, "doctor")[0] == 0
    assert json.loads(run(capsys, "search", "zebra", "--json")[1])["found"] == 2
