"""`litterm agree` over a real library, with a model on a real socket: draw, grade, merge, report, freeze, test."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, Received, Script, says_json
from json_answers import answer

from litterm.cli.main import main

TOPICS = ("parsing", "speech", "trees")
ROWS = [
    {
        "id": f"acl:P{number:02}-0001",
        "title": f"Study {number} on {TOPICS[number % 3]}",
        "authors": ["Ada Fern"],
        "year": 2000 + number % 20,
        "abstract": f"We study {TOPICS[number % 3]} with {TOPICS[(number + number // 3) % 3]}. It works well here.",
    }
    for number in range(60)
]
QUERY = "parsing || speech || trees"


@pytest.fixture(autouse=True)
def _library(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    assert main(["add", str(tmp_path / "rows.jsonl")]) == 0
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()


@pytest.fixture
def agree(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`agree(ACTION, FILE, ...)`: status, stdout and stderr."""

    def run(*argv: str, plain: bool = False) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main([*(["--plain"] if plain else []), "agree", *argv])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


Agree = Callable[..., tuple[int, str, str]]


def right_label(text: str, title_and_abstract: str) -> str:
    return str(min(2, title_and_abstract.lower().count(text)))


def fill(path: Path, name: str, wrong_every: int = 0) -> str:
    """A filled-in copy of the sheet `path`, called by `name`; every `wrong_every`th grade is another."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    for number, row in enumerate(rows, 1):
        label = right_label(row["text"], row["title"] + row["abstract"])
        row["grade"] = str((int(label) + 1) % 3) if wrong_every and number % wrong_every == 0 else label
    target = path.with_name(f"{name}.csv")
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return str(target)


def grading(asked: Received) -> Script:
    """Grades as `right_label` does."""
    requirements, paper = asked.last.split("<<<paper")
    grades = [
        {"number": number, "reason": "So it is.", "sentence": 1, "grade": ("UNRELATED", "PARTLY", "FULLY")[int(label)]}
        for number, label in enumerate(
            (right_label(text, paper) for text in re.findall(r"^\[\d+\] (.*)$", requirements, re.MULTILINE)), 1
        )
    ]
    return says_json({"grades": grades})


@pytest.fixture
def with_model(monkeypatch: pytest.MonkeyPatch, model_server: ModelServer) -> ModelServer:
    monkeypatch.setenv("LITTERM_MODEL_BASE_URL", model_server.url)
    monkeypatch.setenv("LITTERM_MODEL_MODEL", "tiny-1")
    model_server.brain = grading
    return model_server


def draw_and_merge(agree: Agree, wrong_every: int = 4) -> None:
    """A set that Bo and Cy have graded."""
    assert agree("draw", "set.json", QUERY, "--dev", "10", "-n", "40")[0] == 0
    assert agree("sheet", "set.json", "-o", "sheet.csv", "--blind")[0] == 0
    sheets = (fill(Path("sheet.csv"), "Bo", wrong_every), fill(Path("sheet.csv"), "Cy", wrong_every + 1))
    assert agree("merge", "set.json", *sheets)[0] == 0


def test_a_person_grades_cell_after_cell_and_the_next_run_goes_on(
    agree: Agree, monkeypatch: pytest.MonkeyPatch
) -> None:
    agree("draw", "set.json", QUERY, "--dev", "2", "-n", "4")
    # A digit with a note, one taken back, another in its place, a word that is no key, a skip, the end.
    monkeypatch.setattr("sys.stdin", io.StringIO("2 clearly\n0\nu\n1\nperhaps\ns\nq\n"))
    status, out, err = agree("grade", "set.json", plain=True)
    assert status == 0
    assert [line.split(":")[0] for line in out.splitlines() if " of 6: " in line] == [
        f"{place} of 6" for place in (1, 2, 3, 2, 3, 4)
    ]
    assert "Type one of 0, 1, 2; s skips, u takes the last one back, q stops." in err
    assert "2 of 6 are graded." in err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert "4 cells to grade" in agree("grade", "set.json", plain=True)[2]
    _, out, _ = agree("sheet", "set.json", "-o", "-")
    given = [(row["grade"], row["note"]) for row in csv.DictReader(io.StringIO(out))]
    assert given == [("2", "clearly"), ("1", ""), *[("", "")] * 4]


def test_a_second_person_at_the_same_keyboard_sees_no_grade_of_the_first(
    agree: Agree, monkeypatch: pytest.MonkeyPatch
) -> None:
    agree("draw", "set.json", QUERY, "--dev", "1", "-n", "2")
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n2\n2\n"))
    agree("grade", "set.json", plain=True)
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n1\n2\n"))
    assert "3 cells to grade" in agree("grade", "set.json", "--as", "Bo", plain=True)[2]
    report = answer(agree("report", "set.json", "--json")[1])
    assert report["test"]["graders"] == {"you": 2, "Bo": 2}
    assert report["test"]["rows"][0]["metrics"]["accuracy"]["value"] == 0.5
    (split,) = report["test"]["disagreements"]
    assert split["grades"] == {"you": "2", "Bo": "1"}


def test_people_are_compared_without_a_model(agree: Agree) -> None:
    draw_and_merge(agree)
    status, out, err = agree("report", "set.json")
    assert status == 0
    assert "Bo and Cy" in out
    assert "test: 40 cells\ngraded by: Bo 40, Cy 40" in out
    assert "stay unseen until `litterm agree freeze`" in err


def test_without_a_model_nothing_is_frozen_or_tested(agree: Agree) -> None:
    draw_and_merge(agree)
    for action in ("freeze", "test"):
        status, out, err = agree(action, "set.json")
        assert (status, out) == (2, "")
        assert "No language model is set" in err


def test_the_test_waits_for_the_freeze_and_the_mark_for_the_test(
    agree: Agree, with_model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    draw_and_merge(agree)
    status, _, err = agree("test", "set.json", "--yes")
    assert status == 1
    assert "The set is not frozen" in err
    assert not with_model.asked, "refused before the model is asked"
    search = ["search", QUERY, "-k", "1", "--grade", "--yes"]
    main(search)
    assert "Grades by tiny-1: untested." in capsys.readouterr().err
    assert answer(agree("freeze", "set.json", "--json")[1])["frozen"]
    status, out, err = agree("test", "set.json", "--yes")
    assert status == 0
    assert "people with tiny-1" in out
    assert "tiny-1 agrees like a person on 40 cells of" in err
    main(search)
    assert "Grades by tiny-1: agrees like a person on 40 of yours." in capsys.readouterr().err
    main([*search, "--json"])
    assert answer(capsys.readouterr().out)["agreement"] == {"like_a_person": True, "cells": 40}


def test_only_development_cells_are_asked_about_before_the_test(agree: Agree, with_model: ModelServer) -> None:
    draw_and_merge(agree)
    sheet = list(csv.DictReader(io.StringIO(Path("sheet.csv").read_text("utf-8-sig"))))
    titles = {row["title"] for row in sheet[:10]}
    status, out, _ = agree("report", "set.json", "--model", "--yes", "--json")
    assert status == 0
    report = answer(out)
    assert report["development"]["model"] == "tiny-1"
    assert report["test"]["model"] == ""
    assert len(with_model.asked) == len(titles)
    assert all(any(title in asked.last for title in titles) for asked in with_model.asked)
    # They are cached: the next report has them without asking.
    assert answer(agree("report", "set.json", "--json")[1])["development"]["rows"] == report["development"]["rows"]
    assert len(with_model.asked) == len(titles)


def test_another_model_or_prompt_than_the_frozen_one_is_refused(
    agree: Agree, with_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_and_merge(agree)
    agree("freeze", "set.json")
    body = json.loads(Path("set.json").read_text("utf-8"))
    changed = {**body, "freeze": {**body["freeze"], "prompt_hash": "of another prompt"}}
    Path("set.json").write_text(json.dumps(changed), encoding="utf-8")
    status, out, err = agree("test", "set.json", "--yes")
    assert (status, out) == (1, "")
    assert "The prompt has changed since the set was frozen" in err
    Path("set.json").write_text(json.dumps(body), encoding="utf-8")
    monkeypatch.setenv("LITTERM_MODEL_MODEL", "large-9")
    status, _, err = agree("test", "set.json", "--yes")
    assert status == 1
    assert "with tiny-1; now the settings have large-9" in err
    assert not with_model.asked


def test_a_test_set_serves_once(agree: Agree, with_model: ModelServer) -> None:
    draw_and_merge(agree)
    agree("freeze", "set.json")
    agree("test", "set.json", "--yes")
    assert "have been measured before" in agree("test", "set.json", "--yes")[2]
    status, _, err = agree("freeze", "set.json")
    assert status == 1
    assert "draw others with --again" in err
    assert agree("draw", "set.json", "--again", "-n", "12", "--seed", "1")[0] == 0
    body = json.loads(Path("set.json").read_text("utf-8"))
    assert (len(body["development"]), len(body["test"]), body["freeze"], body["measured"]) == (50, 12, None, [])


def test_a_model_that_guesses_agrees_less_than_a_person(
    agree: Agree, with_model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    with_model.brain = lambda asked: says_json(
        {"grades": [{"number": 1, "reason": "No.", "grade": "UNRELATED" if len(asked.last) % 2 else "FULLY"}]}
    )
    draw_and_merge(agree, wrong_every=9)
    agree("freeze", "set.json")
    status, out, err = agree("test", "set.json", "--yes", "--json")
    assert status == 0
    assert answer(out)["like_a_person"] is False
    assert "tiny-1 agrees less than a person on" in err


def test_too_few_grades_are_refused_before_the_model_is_asked(agree: Agree, with_model: ModelServer) -> None:
    agree("draw", "set.json", QUERY, "--dev", "2", "-n", "4")
    agree("freeze", "set.json")
    status, _, err = agree("test", "set.json", "--yes")
    assert status == 1
    assert "0 test cells graded by two people, and 30 are needed" in err
    assert not with_model.asked


def test_asking_needs_consent(agree: Agree, with_model: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litterm.model.llm.MAX_TOKENS_WITHOUT_CONSENT", 300)
    draw_and_merge(agree)
    agree("freeze", "set.json")
    status, _, err = agree("test", "set.json")
    assert status == 2
    assert "need your consent" in err
    assert not with_model.asked
    assert json.loads(Path("set.json").read_text("utf-8"))["measured"] == []


def test_sentences_are_judged_for_a_claim_and_compared_with_the_stances_of_the_model(
    agree: Agree, with_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stances(asked: Received) -> Script:
        rows = re.findall(r"^\[(\d+)\] (.*)$", asked.last, re.MULTILINE)
        picks = [
            {"number": int(number), "stance": "supports", "reason": "So."} for number, text in rows if "well" in text
        ]
        return says_json({"thoughts": "", "picks": picks})

    with_model.brain = stances
    assert agree("draw", "set.json", "--hypothesis", "parsing works well", "--dev", "4", "-n", "8")[0] == 0
    cells = json.loads(Path("set.json").read_text("utf-8"))["development"]
    keys = ["y because" if "well" in cell["sentence"] else "0" for cell in cells]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*keys, "q\n"])))
    _, out, _ = agree("grade", "set.json", plain=True)
    assert "> " in out
    report = answer(agree("report", "set.json", "--model", "--yes", "--json")[1])["development"]
    (row,) = report["rows"]
    assert (row["name"], row["cells"], row["metrics"]["accuracy"]["value"]) == ("you and tiny-1", 4, 1.0)


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("report", "none.json"), "cannot be read"),
        (("report", "rows.jsonl"), "is no set|cannot be read as a set"),
        (("draw", "rows.jsonl", QUERY), "is there already"),
        (("draw", "new.json"), "name the aspects"),
        (("draw", "new.json", QUERY, "-n", "5000"), "ask for fewer with -n"),
        (("grade", "none.json", "-o", "x.csv"), "-o: for `litterm agree sheet`"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(agree: Agree, argv: tuple[str, ...], reason: str) -> None:
    status, out, err = agree(*argv)
    assert (status in (1, 2), out) == (True, "")
    assert re.search(reason, err)
    assert not Path("new.json").exists()
