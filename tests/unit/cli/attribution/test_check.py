"""`litterm check` over a real library: its forms, its exit statuses, and copies with what is certain mended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from json_answers import answer
from libraries import by, from_format, record, store

from litterm.cli.main import main
from litterm.core.settings import from_home
from litterm.model.paper import PublicationDetails

EXTRAS = Path(__file__).resolve().parents[4] / "extras"
BOOK = "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing"
SOUND = """@inproceedings{owls,
  title = {Owls in the Night Sky of Large Corpora},
  author = {Ann Bee and Carl Dee and Eve Eff},
  booktitle = {EMNLP},
  year = 2019,
}
"""
WRONG = SOUND.replace("2019", "{2017}").replace("Carl Dee", "Karla Zebra").replace("{owls,", "{wrong,")
PREPRINT = """@misc{pre, title = {Owls in the night sky of large corpora}, author = {Ann Bee and others},
  eprint = {1901.00001}, year = 2018}
"""
INVENTED = SOUND.replace("Owls in the Night Sky of Large Corpora", "Gradient Soup of Imaginary Treebanks").replace(
    "{owls", "{made"
)


@pytest.fixture
def folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, and a library with the volume of a conference."""
    records = [
        record(
            f"D19-10{number:02}",
            f"Filler {number} of the Volume" if number else "Owls in the Night Sky of Large Corpora",
            authors=by("Bee, Ann", "Dee, Carl", "Eff, Eve"),
            year=2019,
            venue="EMNLP",
            venue_keys=("emnlp",),
            type="inproceedings",
            imprint=PublicationDetails(booktitle=BOOK, pages=f"{number}01–{number}09"),
            provenance=from_format("anthology"),
        )
        for number in range(8)
    ]
    store(from_home(home).library, records)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(["check", *argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_what_the_library_lacks_is_held_against_the_starter_library(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = """@inproceedings{bleu, title = {BLEU: a method for automatic evaluation of machine translation},
      author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing}, booktitle = {ACL}, year = %s}
    """
    (folder / "refs.bib").write_text(SOUND + stated % 2002, "utf-8")
    assert check(capsys, "refs.bib")[0] == 0
    (folder / "refs.bib").write_text(stated % 1999, "utf-8")
    status, out, _ = check(capsys, "refs.bib", "--json")
    (entry,) = answer(out)["entries"]
    assert (status, entry["status"], entry["id"]) == (6, "wrong field", "starter:papineni2002")
    monkeypatch.setenv("LITTERM_STARTER", "false")
    status, out, _ = check(capsys, "refs.bib", "--json")
    assert (status, answer(out)["entries"][0]["status"]) == (0, "outside coverage")


def test_the_status_tells_sound_from_findings_missing_and_broken_files(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "refs.bib"
    for text, expected in (
        (SOUND, 0),
        (SOUND + PREPRINT, 0),
        (SOUND + WRONG, 6),
        (INVENTED, 6),
        ("@misc{a, title={b", 1),
    ):
        path.write_text(text, "utf-8")
        status, _, said = check(capsys, "refs.bib")
        assert status == expected, said
    assert "refs.bib:1: " in said
    assert check(capsys, "nothing.bib")[0] == 3
    assert check(capsys, "refs.bib", "--yes")[0] == 2


def test_the_list_has_place_outcome_and_both_values_of_what_differs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "refs.bib").write_text(SOUND + WRONG, "utf-8")
    _, out, said = check(capsys, "refs.bib")
    assert "owls" not in out.split()
    for part in (
        "refs.bib:7",
        "wrong field",
        "Karla Zebra; known: Carl Dee",
        "year: 2017; known: 2019",
        "acl:D19-1000",
    ):
        assert part in out
    assert "2 entries: 1 sound, 1 wrong field." in said
    assert "refs.bib:1" in check(capsys, "refs.bib", "--all")[1]


def test_json_names_each_field_with_its_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "refs.bib").write_text(SOUND + WRONG + INVENTED, "utf-8")
    body = answer(check(capsys, "refs.bib", "--json")[1])
    assert body["counts"] == {"sound": 1, "wrong field": 1, "not found": 1} and body["findings"]
    _, wrong, made = body["entries"]
    assert [(one["field"], one["line"], one["certain"]) for one in wrong["differences"]] == [
        ("authors", 9, True),
        ("year", 11, True),
    ]
    assert made["record"] is None and made["coverage"] > 0.9


def test_vim_and_hosts_of_code_get_a_place_for_each_fault(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "refs.bib").write_text(SOUND + WRONG + PREPRINT, "utf-8")
    lines = check(capsys, "refs.bib", "--format", "quickfix")[1].splitlines()
    assert [line.split(" ")[0] for line in lines] == ["refs.bib:9:1:", "refs.bib:11:1:", "refs.bib:13:1:"]
    sarif = json.loads(check(capsys, "refs.bib", "--format", "sarif")[1])
    assert sarif["version"] == "2.1.0"
    (run,) = sarif["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    levels = [(item["ruleId"], item["level"]) for item in run["results"]]
    assert levels == [("wrong-field", "error"), ("wrong-field", "error"), ("published-since", "note")]
    assert {rule for rule, _ in levels} <= rules
    place = run["results"][1]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("refs.bib", 11)


def test_pages_for_people_hold_nothing_that_a_stranger_wrote_as_markup(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = INVENTED.replace("Gradient", "<script>alert(1)</script> | Gradient")
    (folder / "refs.bib").write_text(hostile, "utf-8")
    page = check(capsys, "refs.bib", "--format", "html")[1]
    assert "<script" not in page and "not found where it should be" in page
    table = check(capsys, "refs.bib", "--format", "markdown")[1]
    (row,) = [line for line in table.splitlines() if "refs" in line and line.startswith("| ")]
    assert row.replace("\\|", "").count("|") == 6


def test_a_copy_has_what_is_certain_mended_and_nothing_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = WRONG.replace("booktitle", "note = {keep Karla Zebra}, booktitle")
    text = f"% mine, to the letter\n{SOUND}\n{wrong}{INVENTED}"
    (folder / "refs.bib").write_bytes(text.encode())
    status, out, said = check(capsys, "refs.bib", "--fix")
    assert status == 6 and "refs.fixed.bib" in said
    assert (folder / "refs.bib").read_bytes() == text.encode()
    mended = (folder / "refs.fixed.bib").read_text("utf-8")
    changed = [(one, other) for one, other in zip(text.splitlines(), mended.splitlines(), strict=True) if one != other]
    assert changed == [
        ("  author = {Ann Bee and Karla Zebra and Eve Eff},", "  author = {Bee, Ann and Dee, Carl and Eff, Eve},"),
        ("  year = {2017},", "  year = {2019},"),
    ]
    assert "-  year = {2017}," in out and "+  year = {2019}," in out
    assert check(capsys, "refs.fixed.bib", "--fix")[0] == 6
    assert not (folder / "refs.fixed.fixed.bib").exists()


def test_a_report_is_written_to_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "refs.bib").write_text(WRONG, "utf-8")
    status, out, said = check(capsys, "refs.bib", "--format", "sarif", "-o", "report.sarif")
    assert (status, out) == (6, "") and "report.sarif: written." in said
    assert json.loads((folder / "report.sarif").read_text("utf-8"))["runs"]


def test_without_consent_or_network_nothing_is_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "refs.bib").write_text(INVENTED, "utf-8")
    status, _, said = check(capsys, "refs.bib", "--online")
    assert status == 2 and "--yes gives it" in said
    assert main(["--offline", "check", "refs.bib", "--online", "--yes"]) == 4
    (folder / "refs.bib").write_text(SOUND, "utf-8")
    # What the library has is not asked for.
    assert check(capsys, "refs.bib", "--online")[0] == 0


def _script(folder: Path, script: str, *argv: str) -> subprocess.CompletedProcess[str]:
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "litterm").write_text(f'#!/bin/sh\nexec {sys.executable} -m litterm "$@"\n', "utf-8")
    (tools / "litterm").chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(EXTRAS / script), *argv], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )


def test_the_hook_refuses_a_commit_with_findings(folder: Path) -> None:
    (folder / "refs.bib").write_text(SOUND, "utf-8")
    (folder / "wrong refs.bib").write_text(WRONG, "utf-8")
    assert _script(folder, "pre-commit/litterm-check", "refs.bib").returncode == 0
    refused = _script(folder, "pre-commit/litterm-check", "refs.bib", "wrong refs.bib")
    assert refused.returncode == 1 and "wrong refs.bib:5:1:" in refused.stdout
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    subprocess.run(["git", "add", "refs.bib"], cwd=folder, check=True)
    assert _script(folder, "pre-commit/litterm-check").returncode == 0
    subprocess.run(["git", "add", "wrong refs.bib"], cwd=folder, check=True)
    assert _script(folder, "pre-commit/litterm-check").returncode == 1


def test_the_step_of_a_hosted_check_writes_reports_and_fails_for_findings(folder: Path) -> None:
    (folder / "refs.bib").write_text(SOUND, "utf-8")
    (folder / "more.bib").write_text(WRONG, "utf-8")
    assert _script(folder, "ci/check-bibliography.sh", "reports", "refs.bib").returncode == 0
    done = _script(folder, "ci/check-bibliography.sh", "reports", "refs.bib", "more.bib")
    assert done.returncode == 6 and "more.bib:5:1:" in done.stdout
    results = [
        json.loads((folder / "reports" / f"{number}.sarif").read_text())["runs"][0]["results"] for number in (1, 2)
    ]
    assert [len(found) for found in results] == [0, 2]
    assert _script(folder, "ci/check-bibliography.sh").returncode == 2


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", "\r\n"), ("latin-1", "\n"), ("utf-16", "\n")])
def test_a_copy_keeps_encoding_and_line_ends(
    folder: Path, capsys: pytest.CaptureFixture[str], encoding: str, end: str
) -> None:
    text = f"% Bücher\n{WRONG}".replace("\n", end)
    (folder / "refs.bib").write_bytes(text.encode(encoding))
    assert check(capsys, "refs.bib", "--fix")[0] == 6
    mended = text.replace("{2017}", "{2019}").replace(
        "{Ann Bee and Karla Zebra and Eve Eff}", "{Bee, Ann and Dee, Carl and Eff, Eve}"
    )
    assert (folder / "refs.fixed.bib").read_bytes() == mended.encode(encoding)
