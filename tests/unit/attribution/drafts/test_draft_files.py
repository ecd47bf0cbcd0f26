"""Which files belong to a draft: its parts as LaTeX finds them, its bibliographies, and the encoding of each."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from litterm.attribution.drafts import files
from litterm.attribution.drafts.files import read_project, read_text
from litterm.core.errors import BadInput
from litterm.model.attribution.draft import DraftProject

ENTRY = "@misc{{{}, title = {{A work}}, year = 2001}}\n"


def folder_of(root: Path, **texts: str) -> Path:
    """Files by name, with `__` for a slash and `_` for the dot before the suffix; the folder."""
    for name, text in texts.items():
        stem, _, suffix = name.replace("__", "/").rpartition("_")
        path = root / f"{stem}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def names(project: DraftProject) -> list[str]:
    """The files of the project, relative to its folder."""
    return [file.path.relative_to(project.path.parent).as_posix() for file in project.files]


# -- encodings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text", "encoding"),
    [
        ("Größe\r\n".encode(), "Größe\r\n", "utf-8"),
        ("Größe".encode("latin-1"), "Größe", "latin-1"),
        (codecs.BOM_UTF8 + b"a", "\ufeffa", "utf-8"),
        (codecs.BOM_UTF16_LE + "ab".encode("utf-16-le"), "\ufeffab", "utf-16-le"),
        (codecs.BOM_UTF16_BE + "ab".encode("utf-16-be"), "\ufeffab", "utf-16-be"),
        (b"", "", "utf-8"),
    ],
)
def test_every_byte_comes_back_in_the_encoding_that_is_named(
    tmp_path: Path, content: bytes, text: str, encoding: str
) -> None:
    path = tmp_path / "a.tex"
    path.write_bytes(content)
    assert read_text(path) == (text, encoding)
    assert text.encode(encoding) == content


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a\0b", "not a text."),
        (codecs.BOM_UTF16_LE + b"abc", "not a text in utf-16-le, although it says so."),
        (codecs.BOM_UTF8 + b"\xff", "not a text in utf-8, although it says so."),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "a.tex"
    path.write_bytes(content)
    with pytest.raises(BadInput) as error:
        read_text(path)
    assert str(error.value) == f"{path}: {why}"


def test_a_file_larger_than_a_draft_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MAX_DRAFT_BYTES", 10)
    path = tmp_path / "a.tex"
    path.write_bytes(b"a" * 10)
    assert read_text(path) == ("a" * 10, "utf-8")
    path.write_bytes(b"a" * 11)
    with pytest.raises(BadInput, match="larger than 10 bytes"):
        read_text(path)


# -- parts -------------------------------------------------------------------------------------------------------------


def test_names_are_those_of_the_draft_or_of_the_importing_folder(tmp_path: Path) -> None:
    folder_of(
        tmp_path,
        main_tex="\\begin{document}\\import{deep/}{one}\\input{two}\\end{document}",
        deep__one_tex="\\subimport{sub/}{three}\\import{deep/}{four}\\input{five}",
        deep__sub__three_tex="Three.",
        deep__four_tex="Four.",
        deep__five_tex="Five.",
        two_tex="Two.",
        five_tex="Not this one.",
    )
    project = read_project(tmp_path / "main.tex")
    assert names(project) == [
        *("main.tex", "deep/one.tex", "deep/sub/three.tex", "deep/four.tex", "deep/five.tex", "two.tex")
    ]
    assert project.notices == ()


def test_an_ending_is_added_in_latex_only(tmp_path: Path) -> None:
    folder_of(tmp_path, a_tex="\\input{b}\\input{c.txt}", b_tex="B.", c_txt="C.", d_md="{{< include b >}}")
    assert names(read_project(tmp_path / "a.tex")) == ["a.tex", "b.tex", "c.txt"]
    project = read_project(tmp_path / "d.md")
    assert names(project) == ["d.md"]
    assert project.notices == ("b, which d.md takes in, was not found.",)


def test_a_part_is_read_once_and_knows_every_place_that_names_it(tmp_path: Path) -> None:
    folder_of(tmp_path, a_tex="\\input{b}\\input{c}\\input{b}", b_tex="B [?].", c_tex="\\input{b}")
    project = read_project(tmp_path / "a.tex")
    assert names(project) == ["a.tex", "b.tex", "c.tex"]
    assert [path.name for path, _ in project.included[0].taken_in_at] == ["a.tex", "c.tex", "a.tex"]
    assert [mark.index for mark in project.marks] == [0]


def test_marks_are_numbered_through_all_files_and_none_is_in_a_preamble(tmp_path: Path) -> None:
    folder_of(
        tmp_path,
        a_tex="\\input{p}\\begin{document}One [?]. Two [?].\\input{b}\\end{document}",
        p_tex="\\newcommand{\\x}{[?]} \\cite{k}\\input{q}",
        q_tex="[?]",
        b_tex="Three [?].",
        a_bib=ENTRY.format("k"),
    )
    project = read_project(tmp_path / "a.tex")
    assert names(project) == ["a.tex", "p.tex", "q.tex", "b.tex"]
    assert [[mark.index for mark in file.draft.marks] for file in project.files] == [[0, 1], [], [], [2]]
    assert project.citations == ()


def test_no_more_files_are_read_than_a_draft_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 3)
    folder_of(tmp_path, a_tex="\\input{b}\\input{c}\\input{b}", b_tex="B.", c_tex="C.", d_tex="\\input{a}\\input{a}")
    assert read_project(tmp_path / "a.tex").notices == ()
    project = read_project(tmp_path / "d.tex")
    assert names(project) == ["d.tex", "a.tex", "b.tex"]
    assert project.notices == ("c is not read: the draft takes in more than 3 files.",)


@pytest.mark.parametrize("only", ["parts/one", "./parts/one", "parts/one.tex"])
def test_include_takes_in_what_includeonly_names_and_input_everything(tmp_path: Path, only: str) -> None:
    body = "\\include{parts/one}\\include{two}\\input{three}"
    text = f"\\includeonly{{{only}}}\\begin{{document}}{body}\\end{{document}}"
    folder_of(tmp_path, a_tex=text, parts__one_tex="One.", two_tex="Two.", three_tex="Three.")
    project = read_project(tmp_path / "a.tex")
    assert names(project) == ["a.tex", "parts/one.tex", "three.tex"]
    assert project.notices == ("two is left out, as \\includeonly does not name it.",)


def test_a_missing_part_of_a_preamble_or_an_optional_one_is_not_named(tmp_path: Path) -> None:
    text = "\\input{style}\\begin{document}\\InputIfFileExists{maybe}{}{}\\input{gone}\\end{document}"
    folder_of(tmp_path, a_tex=text)
    assert read_project(tmp_path / "a.tex").notices == ("gone, which a.tex takes in, was not found.",)


# -- bibliographies ----------------------------------------------------------------------------------------------------


def bibs(project: DraftProject) -> list[str]:
    return [bib.name for bib in project.bibs]


def test_named_bibliographies_are_read_in_order_with_or_without_ending(tmp_path: Path) -> None:
    folder_of(
        tmp_path,
        paper__a_tex="\\begin{document}\\cite{k}\\bibliography{one,two.bib,gone}\\end{document}",
        paper__one_bib=ENTRY.format("k"),
        two_bib=ENTRY.format("m"),
        paper__other_bib="",
    )
    project = read_project(tmp_path / "paper/a.tex")
    assert bibs(project) == ["one.bib", "two.bib"]
    assert [entry.imprint.bibkey for entry in project.entries] == ["k", "m"]
    assert project.notices == ("gone.bib, which the draft names, was not found: its keys are not known.",)


@pytest.mark.parametrize(
    ("texts", "chosen"),
    [
        ({"paper__refs_bib": "", "above_bib": ""}, ["refs.bib"]),
        ({"above_bib": ""}, ["above.bib"]),
        ({"paper__refs_bib": "", "paper__old.cited_bib": ""}, ["refs.bib"]),
        ({"paper__a_bib": "", "paper__refs_bib": ENTRY.format("k")}, ["a.bib"]),
        (
            {"paper__x_bib": ENTRY.format("k"), "paper__y_bib": ENTRY.format("m"), "paper__z_bib": ENTRY.format("k")},
            ["x.bib", "z.bib"],
        ),
        ({}, []),
    ],
)
def test_without_a_name_it_is_the_one_beside_the_draft_or_the_one_it_cites(
    tmp_path: Path, texts: dict[str, str], chosen: list[str]
) -> None:
    folder_of(tmp_path, paper__a_tex="Zebras run \\cite{k}.", **texts)
    project = read_project(tmp_path / "paper/a.tex")
    assert (bibs(project), project.notices) == (chosen, ())


def test_a_bibliography_beside_a_part_counts_only_where_it_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    folder_of(folder, a_tex="\\cite{k}\\input{parts/b}", parts__b_tex="More.", parts__b_bib=ENTRY.format("k"))
    assert bibs(read_project(folder / "a.tex")) == []
    folder_of(folder, parts__b_tex="More.\\bibliography{b}")
    assert read_project(folder / "a.tex").bibs == (folder / "parts/b.bib",)


def test_of_several_none_is_guessed(tmp_path: Path) -> None:
    folder_of(tmp_path, a_tex="Zebras run \\cite{k}.", x_bib=ENTRY.format("m"), y_bib=ENTRY.format("n"))
    project = read_project(tmp_path / "a.tex")
    assert bibs(project) == []
    assert project.notices == (
        f"The draft names no bibliography, and 2 .bib files are in {tmp_path}: "
        "name yours with --bib FILE, or in the draft.",
    )


def test_given_bibliographies_take_the_place_of_those_named(tmp_path: Path) -> None:
    folder_of(tmp_path, a_tex="\\cite{k}\\bibliography{gone}", x_bib=ENTRY.format("k"), a_bib=ENTRY.format("m"))
    new = tmp_path / "new.bib"
    project = read_project(tmp_path / "a.tex", [tmp_path / "x.bib", new])
    assert (bibs(project), [entry.imprint.bibkey for entry in project.entries]) == (["x.bib", "new.bib"], ["k"])
    assert project.notices == (f"{new} does not exist yet: no keys are known from it.",)


def test_a_bibliography_too_large_is_named_and_refused_only_where_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_MAX_BIB_BYTES", 100)
    folder_of(tmp_path, a_tex="Zebras run \\cite{k}.", a_bib=ENTRY.format("k").ljust(101))
    bib = tmp_path / "a.bib"
    project = read_project(tmp_path / "a.tex")
    assert (project.bibs, project.entries) == ((), ())
    assert project.notices == (f"{bib}: too large to look through; its keys are not known here.",)
    with pytest.raises(BadInput, match="too large to look through"):
        read_project(tmp_path / "a.tex", [bib])
    bib.write_text(ENTRY.format("k").ljust(100))
    assert bibs(read_project(tmp_path / "a.tex")) == ["a.bib"]


def test_commands_of_unknown_names_cite_where_their_keys_are_in_the_bibliography(tmp_path: Path) -> None:
    folder_of(
        tmp_path, a_tex="Zebras run \\mycite{k}, see \\citebox{m}.\\input{b}", b_tex="So \\mycite{k} \\citebox{n}."
    )
    project = read_project(tmp_path / "a.tex")
    assert [citation.keys for citation in project.citations] == [("k",), ("m",), ("k",), ("n",)]
    folder_of(tmp_path, a_bib=ENTRY.format("k"))
    project = read_project(tmp_path / "a.tex")
    assert [citation.keys for citation in project.citations] == [("k",), ("k",)]
