"""What is not certain is neither written to a bibliography nor told to a script as done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.cli.main import main

PAPERS = [
    ("owls", "Silent Flight of Owls", ["Uhu, Ute", "Kauz, Karl"], 2017, "We film owls."),
    ("moths", "Moths Hear Bats", ["Falter, Nora"], 2011, "Moths turn away."),
    ("bats", "Bats Find Moths", ["Kauz, Karl"], 2012, "Bats call loudly."),
]


@pytest.fixture
def papers(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "papers.jsonl"
    rows = [
        {"id": f"x:{key}", "title": title, "authors": authors, "year": year, "abstract": told}
        for key, title, authors, year, told in PAPERS
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert main(["add", str(path)]) == 0
    capsys.readouterr()
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    status = main([str(word) for word in argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


UNSURE = "animals turn in the night [CITATION]"


@pytest.mark.parametrize("form", ["--key", "--bibtex", "--append"])
def test_what_is_not_sure_is_status_5_and_gives_nothing(
    papers: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    refs = papers / "refs.bib"
    form_words = [form, refs] if form == "--append" else [form]
    assert json.loads(run(capsys, "cite", UNSURE, "--json")[1])["verdict"] == "unsure"
    status, out, err = run(capsys, "cite", UNSURE, *form_words)
    assert (status, out, refs.exists()) == (5, "", False)
    assert "Moths Hear Bats" in err and "--force" in err
    status, out, _ = run(capsys, "cite", UNSURE, *form_words, "--force")
    assert (status, bool(out)) == (0, True)


@pytest.mark.parametrize(
    ("excerpt", "first"),
    [
        ("Uhu et al. [CITATION]", "x:owls"),
        ("Falter et al. [CITATION]", "x:moths"),
        ("(Uhu and Kauz, 2017)", "x:owls"),
        ("As Uhu and Kauz (2017) [CITATION]", "x:owls"),
        ("Kauz et al. [CITATION]", "x:bats"),
    ],
)
def test_authors_at_the_mark_are_looked_up(
    papers: Path, capsys: pytest.CaptureFixture[str], excerpt: str, first: str
) -> None:
    status, out, _ = run(capsys, "cite", excerpt, "--json")
    told = json.loads(out)
    assert status == 0 and told["verdict"] != "absent"
    assert told["candidates"][0]["id"] == f"local:{first}"


def test_findings_of_a_check_are_status_6(papers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft, refs = papers / "draft.tex", papers / "draft.bib"
    refs.write_text("@misc{owls, title = {Silent Flight of Owls}, author = {Uhu, U.}, year = 2017}\n", "utf-8")
    draft.write_text("Glaciers in Greenland lost much ice since 1990 \\cite{owls}.\n", "utf-8")
    assert run(capsys, "cite", "--file", draft, "--check")[0] == 6
    draft.write_text("We film owls in silent flight \\cite{owls}.\n", "utf-8")
    assert run(capsys, "cite", "--file", draft, "--check")[0] == 0
    draft.write_text("We film owls in silent flight \\cite{owls,typo}.\n", "utf-8")
    assert run(capsys, "cite", "--file", draft, "--check")[0] == 6
