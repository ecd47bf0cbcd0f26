"""Drafts of several files: every mark keeps its own file and line, and what is written changes no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.cli.main import main

PAPERS = [
    ("hedges", "Hedgerows Shelter Songbirds in Winter", "Amsel", "We count songbirds in hedgerows in winter."),
    ("ponds", "Village Ponds Cool the Summer Air", "Teich", "We measure how ponds cool the air of villages."),
    ("walls", "Dry Stone Walls Harbour Lizards", "Mauer", "We find lizards in dry stone walls."),
]
MAIN = (
    "\\documentclass{article}\n\\input{setup}\n\\includeonly{parts/two,parts/three}\n\\begin{document}\n"
    "Songbirds find shelter in hedgerows in winter [CITATION].\n"
    "\\input{parts/one}\n\\include{parts/two}\n\\include{parts/left}\n\\import{parts/deep/}{four}\n\\end{document}\n"
)
PARTS = {
    "setup.tex": "\\newcommand{\\open}{[CITATION]}\n\\addbibresource{refs.bib}\n",
    "parts/one.tex": "% [CITATION]\nVillage ponds cool the summer air [CITATION].\n\\input{parts/nested}\n",
    "parts/nested.tex": "Dry stone walls harbour lizards \\cite{}.\n% \\input{parts/left}\n",
    "parts/two.tex": "Dry stone walls harbour lizards \\cite{walls}.\n",
    "parts/left.tex": "Left out [CITATION].\n",
    "parts/deep/four.tex": "\\input{five}\n",
    "parts/deep/five.tex": "Songbirds shelter in hedgerows [?].\n",
}
BIB = "@misc{walls, title = {Dry stone walls harbour lizards}, author = {Mauer, M.}, year = 2015}\n"


@pytest.fixture
def draft(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    rows = [
        {"id": f"x:{key}", "title": title, "abstract": told, "authors": [name], "year": 2015}
        for key, title, name, told in PAPERS
    ]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert main(["add", str(tmp_path / "papers.jsonl")]) == 0
    folder = tmp_path / "thesis"
    (folder / "parts/deep").mkdir(parents=True)
    (folder / "main.tex").write_text(MAIN, "utf-8")
    for name, text in PARTS.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "refs.bib").write_text(BIB, "utf-8")
    capsys.readouterr()
    return folder / "main.tex"


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    status = main([str(word) for word in argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_every_mark_has_its_own_file_and_line(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = run(capsys, "cite", "--file", draft, "--format", "json")
    told = json.loads(out)
    places = [(Path(mark["file"]).relative_to(draft.parent).as_posix(), mark["line"]) for mark in told["marks"]]
    assert places == [("main.tex", 5), ("parts/one.tex", 2), ("parts/nested.tex", 1), ("parts/deep/five.tex", 1)]
    names = [Path(name).relative_to(draft.parent).as_posix() for name in told["files"]]
    parts = ("one", "nested", "two", "deep/four", "deep/five")
    assert names == ["main.tex", "setup.tex", *(f"parts/{name}.tex" for name in parts)]
    assert told["bibliographies"] == [str(draft.with_name("refs.bib"))]
    assert "parts/left is left out" in err and "parts/one.tex" in err
    _, out, _ = run(capsys, "cite", "--file", draft, "--format", "quickfix")
    assert f"{draft.parent / 'parts/one.tex'}:2:35: " in out
    _, out, _ = run(capsys, "cite", "--file", draft)
    assert f"{draft.parent / 'parts/nested.tex'}:1:33" in out
    _, out, _ = run(capsys, "cite", "--file", draft, "--check", "--format", "json")
    assert [(row["file"], row["key"]) for row in json.loads(out)["citations"]] == [
        (str(draft.parent / "parts/two.tex"), "walls")
    ]


def test_in_place_changes_the_files_that_hold_the_marks_and_nothing_else(
    draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = draft.parent / "parts/one.tex"
    content = PARTS["parts/one.tex"].replace("Village", "Größe: village").replace("\n", "\r\n").encode("latin-1")
    one.write_bytes(content)
    before = {path: path.read_bytes() for path in draft.parent.rglob("*") if path.is_file()}
    run(capsys, "cite", "--file", draft, "--accept", "best", "--in-place")
    after = {path: path.read_bytes() for path in draft.parent.rglob("*") if path.is_file()}
    changed = {path.relative_to(draft.parent).as_posix() for path in after if after[path] != before.get(path)}
    assert changed == {"main.tex", "refs.bib", *(f"parts/{name}.tex" for name in ("one", "nested", "deep/five"))}
    start, end = content.index(b"air [CITATION]") + 4, content.index(b"air [CITATION]") + 14
    assert after[one].startswith(content[:start] + b"\\cite{") and after[one].endswith(content[end:])
    assert after[draft.parent / "parts/nested.tex"] == PARTS["parts/nested.tex"].replace("{}", "{walls}").encode()
    assert run(capsys, "cite", "--file", draft)[0] == 0


def test_copies_take_in_one_another_and_the_originals_stay(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (draft.parent / "parts/two.tex").write_text("Dry stone walls harbour lizards [?].\n", "utf-8")
    before = {path: path.read_bytes() for path in draft.parent.rglob("*") if path.is_file()}
    _, _, err = run(capsys, "cite", "--file", draft, "--accept", "best")
    assert all(path.read_bytes() == content for path, content in before.items())
    copy = (draft.parent / "main.cited.tex").read_text("utf-8")
    assert "\\input{parts/one.cited.tex}\n\\include{parts/two.cited}\n\\include{parts/left}\n" in copy
    assert "\\includeonly{parts/two.cited,parts/three}" in copy
    assert "\\import{parts/deep/}{four.cited.tex}" in copy
    assert "\\input{parts/nested.cited.tex}" in (draft.parent / "parts/one.cited.tex").read_text("utf-8")
    assert "\\cite{walls}" in (draft.parent / "parts/nested.cited.tex").read_text("utf-8")
    assert "\\input{five.cited.tex}" in (draft.parent / "parts/deep/four.cited.tex").read_text("utf-8")
    assert "main.cited.bib" in (draft.parent / "setup.cited.tex").read_text("utf-8")
    assert "\\input{setup.cited.tex}" in copy
    assert f"{draft.parent / 'parts/one.cited.tex'}: written, too" in err
    # Whatever takes in the copies is a whole draft, with nothing left to fill in.
    _, out, _ = run(capsys, "cite", "--file", draft.parent / "main.cited.tex", "--format", "json")
    assert json.loads(out)["marks"] == []


def test_what_lies_outside_or_is_not_there_is_named_and_not_read(
    draft: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.tex"
    secret.write_text("A secret [CITATION].\n", "utf-8")
    (draft.parent / "link.tex").symlink_to(secret)
    (draft.parent / "noise.tex").write_bytes(b"\x00\x01")
    names = ("../secret", str(secret), "link", "missing", "\\jobname-x", "noise", "parts/../parts/nested")
    body = "".join(f"\\input{{{name}}}\n" for name in names) + "\\InputIfFileExists{perhaps}{}{}\n"
    draft.write_text(f"\\begin{{document}}\n{body}\\end{{document}}\n", "utf-8")
    _, out, err = run(capsys, "cite", "--file", draft, "--format", "json")
    told = json.loads(out)
    assert [Path(mark["file"]).name for mark in told["marks"]] == ["nested.tex"]
    for name in names[:-1]:
        assert any(name in notice for notice in told["notices"]) and name in err
    assert "perhaps" not in err and "secret [" not in out


def test_files_that_take_in_one_another_are_read_once(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (draft.parent / "parts/nested.tex").write_text("Lizards [?].\n\\input{parts/one}\\input{main.tex}\n", "utf-8")
    _, out, _ = run(capsys, "cite", "--file", draft, "--format", "json")
    assert [Path(mark["file"]).stem for mark in json.loads(out)["marks"]] == ["main", "one", "nested", "five"]


def test_a_draft_that_only_takes_in_others_has_no_mark_at_its_end(
    draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft.write_text("\\begin{document}\n\\input{parts/two}\n\\subfile{missing}\n\\end{document}\n", "utf-8")
    _, out, err = run(capsys, "cite", "--file", draft, "--format", "json")
    assert json.loads(out)["marks"] == []
    assert "missing, which main.tex takes in, was not found." in err


def test_of_several_bibliographies_a_draft_without_one_has_that_of_its_keys(
    draft: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "\\begin{document}\nDry stone walls harbour lizards [?].\n\\end{document}\n"
    draft.write_text(text, "utf-8")
    draft.with_name("other.bib").write_text("@misc{x, title = {Village Ponds Cool the Summer Air}}\n", "utf-8")
    _, out, err = run(capsys, "cite", "--file", draft, "--format", "json")
    assert json.loads(out)["bibliographies"] == [] and "name yours with --bib FILE" in err
    draft.write_text(text.replace("[?]", "\\cite{walls,?}"), "utf-8")
    _, out, _ = run(capsys, "cite", "--file", draft, "--accept", "best", "--format", "json")
    assert json.loads(out)["bibliographies"] == [str(draft.with_name("refs.bib"))]
    assert "\\bibliography{refs" in draft.with_name("main.cited.tex").read_text("utf-8")
