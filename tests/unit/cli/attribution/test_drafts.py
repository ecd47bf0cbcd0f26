"""Drafts over the real engine: found, answered from the project's bibliography, checked, written, never over."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from litterm.cli.main import main

PAPERS = [
    ("moses", "Moses: Open Source Toolkit for Statistical Machine Translation", "Koehn", 2007, "A decoder toolkit."),
    ("phrase", "Statistical Phrase-Based Translation", "Koehn", 2003, "We learn phrase translations. Short ones do."),
    ("dropout", "Dropout for Small Corpora", "Okada", 2015, "Dropout lowers error on small corpora in our tests."),
    ("bare", "A Title Without Anything", "Nemo", 2011, ""),
]
TEX = r"""\documentclass{article}
\begin{document}
% an open source toolkit [CITATION]
Dropout lowers the error on small corpora \cite{dropout}.

We use statistical phrase-based translation~\citep[see]{?} and learn phrase translations.

An open source toolkit for statistical machine translation exists [CITATION] \cite{nowhere,bare}.
\bibliography{refs}
\end{document}
"""
BIB = """@misc{myphrase, title = {Statistical phrase-based translation}, author = {P. Koehn}, year = 2003}
@misc{dropout, title = {Dropout for small corpora}, author = {Okada, R.}, year = 2015}
@misc{bare, title = {A Title without Anything}, author = {Nemo, N.}, year = 2011}
@misc{nowhere, title = {Zebras of the Serengeti in Colour}, author = {Who, W.}, year = 1999}
"""


@pytest.fixture
def draft(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A draft with its bibliography in a folder of its own, over a library of four papers."""
    rows = [
        {"id": f"x:{key}", "title": title, "abstract": told, "authors": [name], "year": year}
        for key, title, name, year, told in PAPERS
    ]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert main(["add", str(tmp_path / "papers.jsonl")]) == 0
    capsys.readouterr()
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "draft.tex").write_bytes(TEX.encode())
    (folder / "refs.bib").write_text(BIB, "utf-8")
    return folder / "draft.tex"


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    status = main([str(word) for word in argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_patched_copy_keeps_what_stood_in_its_place(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy, away = draft.with_name("draft.cited.tex"), draft.parent.parent / "thesis.tex"
    copy.write_text("mine", "utf-8")
    _, _, err = run(capsys, "cite", "--file", draft, "--accept", "best")
    kept = draft.with_name("draft.cited.tex~")
    assert f"Previous version saved as {kept}." in err
    assert kept.read_text("utf-8") == "mine" and "myphrase" in copy.read_text("utf-8")
    _, _, err = run(capsys, "cite", "--file", draft, "--accept", "best", "--force")
    assert "Previous version" not in err
    away.write_text("thesis", "utf-8")
    link = draft.with_name("link.tex")
    link.symlink_to(away)
    status, _, err = run(capsys, "cite", "--file", draft, "--accept", "best", "-o", link)
    assert status == 1 and "is a link to" in err
    status, _, err = run(capsys, "cite", "a phrase-based model [CITATION]", "--append", link)
    assert away.read_text("utf-8") == "thesis"


def test_each_open_mark_gets_candidates_with_the_keys_of_the_project(
    draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, "cite", "--file", draft, "--json")
    told = json.loads(out)
    assert told["bibliographies"] == [str(draft.with_name("refs.bib"))]
    first, second = told["marks"]
    assert (first["line"], second["line"]) == (6, 8)
    assert TEX[first["start"] : first["end"]] == r"\citep[see]{?}"
    assert TEX[slice(*first["replace"])] == "?"
    assert (second["before"], second["after"]) == (r"\cite{", "}")
    assert (first["candidates"][0]["key"], first["candidates"][0]["held"]) == ("myphrase", True)
    assert (second["candidates"][0]["id"], second["candidates"][0]["held"]) == ("local:x:moses", False)
    assert status in (0, 1, 3)


def test_quickfix_names_file_line_and_column_in_bytes(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft.write_text("Größe: an open source toolkit for statistical machine translation [?]\n", "utf-8")
    _, out, _ = run(capsys, "cite", "--file", draft, "--format", "quickfix")
    found = re.fullmatch(rf"{re.escape(str(draft))}:1:(\d+): (\S+) (.+)\n", out)
    assert found
    assert int(found[1]) == draft.read_bytes().index(b"[?]") + 1


def test_accepting_writes_a_copy_and_new_entries_and_leaves_the_project_alone(
    draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in draft.parent.iterdir()}
    draft.chmod(0o640)
    for _ in range(2):
        _, _, err = run(capsys, "cite", "--file", draft, "--accept", "above", "0")
        assert "filled in" in err
        copy = draft.with_name("draft.cited.tex").read_text("utf-8")
        left = [line for line, was in zip(copy.split("\n"), TEX.split("\n"), strict=True) if line != was]
        assert {path.name for path in draft.parent.iterdir()} - set(before) <= {"draft.cited.tex", "draft.cited.bib"}
        assert all(path.read_bytes() == before[path.name] for path in draft.parent.iterdir() if path.name in before)
        named = r"\bibliography{refs,draft.cited}"
        assert f"{len([line for line in left if line != named])} of 2 marks" in err
        assert (named in left) == draft.with_name("draft.cited.bib").exists()


def test_in_place_fills_the_draft_appends_the_entries_once_and_keeps_encoding_line_ends_and_rights(
    draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = TEX.replace("Dropout", "Größe", 1).replace("\n", "\r\n").encode("latin-1")
    draft.write_bytes(content)
    draft.chmod(0o640)
    refs = draft.with_name("refs.bib")
    assert accept_everything(draft, capsys, "--in-place") == 2
    done = draft.read_bytes()
    key = re.search(rb"exists \\cite\{([^{}]+)\}", done)[1]  # type: ignore[index]
    assert done == content.replace(b"\\citep[see]{?}", b"\\citep[see]{myphrase}").replace(
        b"exists [CITATION]", b"exists \\cite{" + key + b"}"
    )
    assert draft.stat().st_mode & 0o777 == 0o640
    text = refs.read_text("utf-8")
    assert text.startswith(BIB)
    assert text.count(f"{{{key.decode()},") == 1
    assert accept_everything(draft, capsys, "--in-place") == 0
    assert (draft.read_bytes(), refs.read_text("utf-8")) == (done, text)


def accept_everything(draft: Path, capsys: pytest.CaptureFixture[str], *more: str) -> int:
    """Accepts every first candidate as the workbench does; how many marks were filled in."""
    import os

    from litterm.build import build_engine
    from litterm.core.settings import load
    from litterm.core.tasks import run as drive

    drafts = build_engine(load({}, os.environ)).drafts
    project = drafts.read(draft)
    review = drive(drafts.review(project))
    for at, answer in enumerate(review.answers):
        if answer.attribution and answer.attribution.candidates:
            drafts.decisions.set(project.path, project.marks, at, answer.attribution.candidates[0].paper.id)
    _, _, err = run(capsys, "cite", "--file", draft, "--accept", "reviewed", *more)
    return int((re.search(r"(\d) of \d", err) or [0, 0])[1])


def test_what_was_decided_in_the_workbench_is_kept_while_lines_move(
    draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = draft.with_name("other.tex")
    assert accept_everything(draft, capsys, "-o", str(out)) == 2
    assert r"\citep[see]{myphrase}" in out.read_text("utf-8")
    draft.write_text(TEX.replace("% an open", "\n\n% an open"), "utf-8")
    status, _, err = run(capsys, "cite", "--file", draft, "--accept", "reviewed", "-o", out)
    assert "2 of 2 marks filled in" in err
    assert status in (0, 1, 3)


def test_the_original_is_never_written_over_unless_told(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for out in (draft, draft.with_name("refs.bib")):
        status, _, err = run(capsys, "cite", "--file", draft, "--accept", "best", "-o", out)
        assert (status, "would overwrite the draft" in err) == (2, True)
    assert draft.read_text("utf-8") == TEX
    assert draft.with_name("refs.bib").read_text("utf-8") == BIB


def test_check_tells_what_the_cited_papers_say(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "cite", "--file", draft, "--check", "--format", "json")
    told = {each["key"]: each for each in json.loads(out)["citations"]}
    assert status == 0
    assert told["dropout"]["support"] in ("supported", "weak")
    assert told["dropout"]["claim"].startswith("Dropout lowers the error on small corpora")
    assert "Dropout lowers error on small corpora in our tests." in [s["text"] for s in told["dropout"]["sentences"]]
    assert (told["nowhere"]["support"], told["bare"]["support"]) == ("absent", "title only")
    assert (told["dropout"]["line"], told["nowhere"]["line"]) == (4, 8)
    assert "3 cited" in err
    _, out, _ = run(capsys, "cite", "--file", draft, "--check", "--format", "quickfix")
    assert f"{draft}:8:" in out
    assert "nowhere not in your library" in out


def test_a_citation_nothing_speaks_for_is_told(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft.write_text(r"Zebras migrate across the Serengeti in every wet season \cite{dropout}." + "\n", "utf-8")
    _, out, err = run(capsys, "cite", "--file", draft, "--check")
    assert "no support found" in out
    assert "1 no support found" in err


def test_nothing_cited_is_in_the_library_is_status_3(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft.write_text(r"Zebras migrate \cite{nowhere}." + "\n", "utf-8")
    assert run(capsys, "cite", "--file", draft, "--check")[0] == 3


def test_a_draft_without_open_marks_is_done(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft.write_text(r"Dropout works \cite{dropout}." + "\n", "utf-8")
    status, out, err = run(capsys, "cite", "--file", draft)
    assert (status, out) == (0, "")
    assert "No open mark" in err


def test_a_mark_without_words_does_not_cost_the_others(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft.write_text("[?]\n\nAn open source toolkit for statistical machine translation [?].\n", "utf-8")
    _, out, _ = run(capsys, "cite", "--file", draft, "--json")
    first, second = json.loads(out)["marks"]
    assert first["trouble"]
    assert second["candidates"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--check"], "belong to --file"),
        (["--accept", "best"], "belong to --file"),
        (["--file", "D", "words"], "leave out the excerpt"),
        (["--file", "D", "--in-place"], "say what to --accept"),
        (["--file", "D", "--accept", "all"], "`above N`"),
        (["--file", "D", "--accept", "above", "lots"], "`above N`"),
        (["--file", "D", "--accept", "best", "--check"], "writes nothing"),
        (["--file", "D", "--accept", "best", "--in-place", "-o", "X"], "one of them"),
    ],
)
def test_options_that_make_no_sense_are_usage_errors(
    home: Path, capsys: pytest.CaptureFixture[str], argv: list[str], said: str
) -> None:
    status, _, err = run(capsys, "cite", *argv)
    assert (status, said in err) == (2, True)


def test_what_is_no_draft_is_said_in_one_line(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.tex").write_bytes(b"\x00\x01")
    for path in (tmp_path / "b.tex", tmp_path / "none.tex", tmp_path):
        status, _, err = run(capsys, "cite", "--file", path)
        assert (status, err.count("\n")) == (1, 1)


def test_a_patched_copy_brings_new_entries_in_a_file_beside_it(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (draft.parent / "refs.bib").write_text("", "utf-8")
    _, _, err = run(capsys, "cite", "--file", draft, "--accept", "best")
    beside = draft.with_name("draft.cited.bib")
    assert "Moses: Open Source Toolkit" in beside.read_text("utf-8").replace("{", "").replace("}", "")
    assert f"{beside.name}: 2 new entries" in err
