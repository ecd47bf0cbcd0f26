"""`litterm edit`, `duplicates --split` and `remove --import` as typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from json_answers import answer

from litterm.cli.main import main

ARCHIVE = (
    '{"id": "acl:X1", "title": "Snails cross the road", "authors": ["Moss, Ada"], "year": 2011, '
    '"doi": "10.5555/snails", "abstract": "They take an hour."}\n'
)
OWN = """
@article{moss:snails, title = {Snails Cross the Road}, author = {Moss, Ada}, year = {2011}, doi = {10.5555/snails},
 note = {A word only here: limax.}}
@article{fern, title = {Ferns grow in the shade}, author = {Reed, Bo}, year = {2003}}
"""


@pytest.fixture
def files(home: Path) -> tuple[Path, Path]:
    archive, own = home.parent / "archive.jsonl", home.parent / "own list.bib"
    archive.write_text(ARCHIVE)
    own.write_text(OWN)
    assert main(["add", str(archive)]) == 0
    assert main(["add", str(own)]) == 0
    return archive, own


def said(capsys: pytest.CaptureFixture[str], *argv: str, status: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    found = main(argv)
    streams = capsys.readouterr()
    assert found == status, streams
    return streams.out, streams.err


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, object]:
    found: dict[str, object] = answer(said(capsys, *argv, "--json")[0])
    return found


def library(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    """What the library says of every paper of these tests."""
    shown = [told(capsys, "show", key) for key in ("X1", "fern")]
    for each in shown:
        del each["imported"]
        for source in each["sources"]:  # type: ignore[attr-defined]
            del source["at"]
    return shown


@pytest.mark.usefixtures("files")
def test_a_record_is_corrected_and_the_correction_undone(capsys: pytest.CaptureFixture[str]) -> None:
    before = told(capsys, "show", "X1")
    edited = told(
        capsys, "edit", "X1", "--title", "Slugs cross the road", "--author", "Moss, Ada", "--author", "Bo van Reed",
        "--year", "2012", "--key", "slugs:1",
    )  # fmt: skip
    assert edited["id"] == "acl:X1"
    assert (edited["title"], edited["authors"]) == ("Slugs cross the road", ["Ada Moss", "Bo van Reed"])
    assert (edited["year"], edited["bibkey"]) == (2012, "slugs:1")
    assert "acl:X1" in said(capsys, "search", "slugs")[0]
    assert "@article{slugs:1," in said(capsys, "export", "X1", "--bibtex")[0].replace("@inproceedings", "@article")
    assert "corrected by you" in said(capsys, "show", "X1")[0]
    assert told(capsys, "edit", "X1", "--undo")["title"] == before["title"]
    after = told(capsys, "show", "X1")
    assert (after["year"], after["bibkey"], after["authors"]) == (before["year"], before["bibkey"], before["authors"])
    assert "was not corrected" in said(capsys, "edit", "X1", "--undo", status=2)[1]


@pytest.mark.usefixtures("files")
def test_without_an_option_the_values_and_the_way_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, "edit", "fern", status=2)
    assert "title: Ferns grow in the shade" in out
    assert "key: fern" in out
    assert "--title" in err
    assert told(capsys, "show", "fern")["sources"] == []


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--year", "20200"], "is no year"),
        (["--title", " "], "title is empty"),
        (["--author", ","], "name is empty"),
        (["--key", "two words"], "one word"),
        (["--key", ""], "one word"),
        (["--undo", "--year", "2001"], "--undo"),
    ],
)
def test_what_cannot_be_a_value_is_refused(options: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert says in said(capsys, "edit", "fern", *options, status=2)[1]
    assert told(capsys, "show", "fern")["year"] == 2003


def test_a_paper_of_the_starter_library_is_not_corrected(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (first, *_) = told(capsys, "search", "attention", "-k", "1")["results"]  # type: ignore[misc]
    assert "starter library" in said(capsys, "edit", first["id"], "--year", "2001", status=2)[1]
    assert "starter library" in said(capsys, "duplicates", "--split", first["id"], "1", status=2)[1]


@pytest.mark.usefixtures("home")
def test_a_server_corrects_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    _, err = said(capsys, "--server", "http://127.0.0.1:1", "edit", "X1", "--year", "2001", status=2)
    assert "works on a library of this machine only" in err


@pytest.mark.usefixtures("files")
def test_a_correction_outlives_a_merge_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "edit", "fern", "--title", "Ferns like it dark")
    merged = told(capsys, "duplicates", "--merge", "fern", "X1")["shown"]
    assert told(capsys, "show", str(merged))["title"] == "Ferns like it dark"


@pytest.mark.usefixtures("files")
def test_a_merged_record_is_taken_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert "  2  bibtex" in said(capsys, "show", "X1")[0]
    out, err = said(capsys, "duplicates", "--split", "X1")
    assert "acl:X1" in out and "local:" in out
    assert "litterm duplicates --merge acl:X1 local:" in err
    apart = told(capsys, "show", "moss:snails")
    assert (apart["title"], apart["unverified_ids"]) == ("Snails Cross the Road", ["doi:10.5555/snails"])
    assert told(capsys, "show", "X1")["bibkey"] == ""
    assert "single source" in said(capsys, "duplicates", "--split", "X1", status=2)[1]
    assert "--split takes" in said(capsys, "duplicates", "--split", "X1", "two", status=2)[1]
    merged = told(capsys, "duplicates", "--merge", "X1", str(apart["id"]))
    assert merged["shown"] == "acl:X1"


def test_the_list_says_what_a_pair_shares(
    home: Path, files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    other = home.parent / "other.bib"
    other.write_text("@article{w, title={Worms dig}, author={Clay, Di}, year={1999}, doi={10.5555/snails}}\n")
    said(capsys, "add", str(other))
    assert "both state doi:10.5555/snails" in said(capsys, "duplicates")[0]
    assert told(capsys, "duplicates")["shared"] == ["both state doi:10.5555/snails"]


def test_an_import_is_taken_back_and_brought_back(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = files[1]
    before = library(capsys)
    monkeypatch.chdir(own.parent)
    # Named as a user names it, from its own folder.
    out, err = said(capsys, "remove", "--import", own.name)
    assert "1 paper of that import alone removed, 1 record" in out
    assert f"litterm add '{own.name}' --retry" in err
    said(capsys, "show", "fern", status=3)
    alone = told(capsys, "show", "X1")
    assert (alone["bibkey"], alone["sources"]) == ("", [])
    said(capsys, "add", str(own), "--retry")
    said(capsys, "remove", "--undo")
    assert library(capsys) == before
    assert "No paper came from" in said(capsys, "remove", "--import", "missing.bib", status=3)[1]
    said(capsys, "remove", "fern", "--import", own.name, status=2)


def test_taking_an_import_back_hides_no_paper_that_was_merged_with_another(
    home: Path, files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "duplicates", "--merge", "X1", "fern")
    assert told(capsys, "remove", "--import", str(files[1])) == {"removed": 1, "changed": 1}
    assert told(capsys, "show", "X1")["title"] == "Snails cross the road"
    said(capsys, "show", "fern", status=3)


def test_a_folder_is_taken_back_as_a_whole(
    home: Path, files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home.parent / "list"
    folder.mkdir()
    (folder / "a.bib").write_text("@article{ash, title={Ash trees}, author={Oak, Eve}, year={1990}}\n")
    (folder / "b.bib").write_text("@article{elm, title={Elms bend}, author={Oak, Eve}, year={1991}}\n")
    said(capsys, "add", str(folder))
    assert told(capsys, "remove", "--import", str(folder)) == {"removed": 2, "changed": 0}


def test_a_corrected_paper_goes_with_its_only_import(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "edit", "fern", "--year", "2004")
    assert told(capsys, "remove", "--import", str(files[1]))["removed"] == 1
    said(capsys, "add", str(files[1]), "--retry")
    said(capsys, "remove", "--undo")
    assert told(capsys, "show", "fern")["year"] == 2004
