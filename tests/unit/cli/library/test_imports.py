"""`litterm imports`, `import:` and `is:mine`: what the user brought stays theirs among an archive's papers."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
from libraries import HereBuilder

from litterm.cli.main import main

ANTHOLOGY = """<?xml version='1.0' encoding='UTF-8'?>
<collection id="2022.acl"><volume id="long" type="proceedings"><meta><booktitle>ACL</booktitle><year>2022</year>
<url hash="1">2022.acl-long</url><venue>acl</venue></meta>
<paper id="1"><title>Snails cross the road</title><author><first>Ada</first><last>Moss</last></author>
<url hash="2">2022.acl-long.1</url><doi>10.5555/snails</doi><bibkey>moss-2022-snails</bibkey></paper>
<paper id="2"><title>Worms below the road</title><author><first>Bo</first><last>Reed</last></author>
<url hash="3">2022.acl-long.2</url><doi>10.5555/worms</doi><bibkey>reed-2022-worms</bibkey></paper>
</volume></collection>
"""
REFS = """
@article{moss:snails, title = {Snails Cross the Road}, author = {Moss, Ada}, year = {2022}, doi = {10.5555/snails}}
@article{fern, title = {Ferns grow in the shade}, author = {Reed, Bo}, year = {2003}}
"""
EMBASE = """TY  - JOUR
T1  - Ivy climbs the wall
A1  - Oak, E.
Y1  - 2020
DB  - Embase
N1  - Export Date: 2 November 2026
ER  -
"""


def said(capsys: pytest.CaptureFixture[str], *argv: str, status: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    result = main(argv)
    streams = capsys.readouterr()
    assert result == status, streams
    return streams.out, streams.err


def imports(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    return {one["name"]: one for one in json.loads(said(capsys, "imports", "--json")[0])["imports"]}


def search(capsys: pytest.CaptureFixture[str], query: str) -> list[str]:
    return sorted(paper["title"] for paper in json.loads(said(capsys, "search", "--json", "--", query)[0])["results"])


@pytest.fixture(autouse=True)
def fast_imports(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments are built in this process; nothing but what is imported is in the library."""
    monkeypatch.setattr("litterm.library.workers.segment_builder.ChildSegmentBuilder", HereBuilder)
    monkeypatch.setenv("LITTERM_STARTER", "false")


@pytest.fixture
def refs(home: Path) -> Path:
    """A library of an archive of the Anthology and a bibliography, of which one entry is in the archive too."""
    archive, refs = home.parent / "anthology.tar.gz", home.parent / "refs.bib"
    with tarfile.open(archive, "w:gz") as tar:
        member = tarfile.TarInfo("anthology/xml/2022.acl.xml")
        member.size = len(ANTHOLOGY.encode())
        tar.addfile(member, io.BytesIO(ANTHOLOGY.encode()))
    refs.write_text(REFS)
    assert main(["add", str(archive), str(refs)]) == 0
    return refs


def test_a_bibliography_is_found_among_the_papers_of_an_archive(refs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = imports(capsys)
    assert (listed["refs.bib"]["papers"], listed["refs.bib"]["merged"], listed["refs.bib"]["mine"]) == (2, 1, True)
    assert listed["refs.bib"]["origin"] == str(refs)
    archive = listed["anthology.tar.gz"]
    assert (archive["papers"], archive["merged"], archive["mine"]) == (2, 1, False)
    mine = ["Ferns grow in the shade", "Snails cross the road"]
    assert search(capsys, 'import:"refs.bib"') == search(capsys, "is:mine") == search(capsys, "import:REF*") == mine
    assert search(capsys, "-is:mine") == search(capsys, "NOT import:refs.bib") == ["Worms below the road"]
    assert search(capsys, "import:anthology.tar.gz") == ["Snails cross the road", "Worms below the road"]
    assert "Snails" in said(capsys, "export", "--query", "is:mine snails", "--bibtex")[0]
    assert "imports: anthology.tar.gz, refs.bib" in said(capsys, "show", "moss:snails")[0]
    assert json.loads(said(capsys, "show", "fern", "--json")[0])["imports"] == ["refs.bib"]


def test_what_is_exported_as_mine_is_mine_in_another_library(refs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, other = refs.with_name("all.jsonl"), ("--home", str(refs.with_name("other")))
    said(capsys, "export", "--all", "--jsonl", "-o", str(rows))
    said(capsys, *other, "add", str(rows))
    results = json.loads(said(capsys, *other, "search", "--json", "is:mine")[0])["results"]
    assert sorted(paper["title"] for paper in results) == ["Ferns grow in the shade", "Snails cross the road"]
    assert "{moss:snails," in said(capsys, *other, "export", "--query", "snails")[0]
    again = refs.with_name("again.jsonl")
    said(capsys, *other, "export", "--all", "--jsonl", "-o", str(again))
    assert [json.loads(line).get("mine") for line in again.read_text("utf-8").splitlines()].count(True) == 2


@pytest.mark.usefixtures("refs")
def test_an_unknown_name_is_answered_with_those_near_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean “refs.bib”" in said(capsys, "search", "snails import:ref.bib", status=2)[1]
    assert "`litterm imports` lists all" in said(capsys, "imports", "--remove", "xyzzy", status=2)[1]


def test_two_files_of_one_name_are_told_apart_by_their_folders(refs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = refs.parent / "thesis" / "refs.bib"
    other.parent.mkdir()
    other.write_text("@article{elm, title={Elms bend}, author={Oak, Eve}, year={1991}}\n")
    said(capsys, "add", str(other))
    assert {"refs.bib (thesis)", f"refs.bib ({refs.parent.name})"} <= imports(capsys).keys()
    assert search(capsys, 'import:"refs.bib (thesis)"') == ["Elms bend"]
    assert len(search(capsys, "import:refs.bib")) == 3
    assert "name one of them" in said(capsys, "imports", "--remove", "refs.bib", status=2)[1]


def test_an_import_is_taken_back_by_its_name(refs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, "imports", "--remove", "refs.bib")
    assert "1 paper of that import alone removed, 1 record" in out
    assert f"litterm add {refs} --retry" in err
    assert list(imports(capsys)) == ["anthology.tar.gz"]
    assert search(capsys, "is:mine") == []
    said(capsys, "add", str(refs), "--retry")
    said(capsys, "remove", "--undo")
    assert imports(capsys)["refs.bib"]["papers"] == 2


def test_splitting_and_merging_by_hand_keep_what_is_mine(refs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "duplicates", "--split", "moss:snails")
    assert len(search(capsys, "import:refs.bib")) == 2
    assert len(search(capsys, "-is:mine")) == 2
    said(capsys, "duplicates", "--merge", "10.5555/worms", "fern")
    assert "Worms below the road" in search(capsys, "is:mine")


def test_a_search_in_a_database_is_named_by_it_and_by_its_day(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home.parent / "records.ris").write_text(EMBASE)
    said(capsys, "add", str(home.parent / "records.ris"))
    assert list(imports(capsys)) == ["Embase 2026-11-02"]
    assert search(capsys, 'import:"Embase 2026-11-02"') == ["Ivy climbs the wall"]
    assert search(capsys, "import:records.ris") == ["Ivy climbs the wall"]


@pytest.mark.usefixtures("refs")
def test_the_users_citation_key_is_the_key_of_a_merged_record(capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("bibtex", "ris", "csl"):
        written = said(capsys, "export", "--query", "import:refs.bib", f"--{form}")[0]
        assert "moss:snails" in written and "moss-2022-snails" not in written
    assert "citation key: moss:snails" in said(capsys, "show", "acl:2022.acl-long.1")[0]
    # The key of the archive leads to it, too.
    assert "Snails cross the road" in said(capsys, "show", "moss-2022-snails")[0]
    assert (
        json.loads(said(capsys, "evidence", "moss:snails", "snails cross roads", "--json")[0])["paper"]
        == "acl:2022.acl-long.1"
    )
    text = "Snails cross the road [CITATION]."
    assert "moss:snails" in said(capsys, "cite", text, "--bibtex")[0]


def test_files_of_one_record_each_are_one_import_of_their_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "ovid"
    folder.mkdir()
    plants = ("Alder", "Birch", "Cedar", "Dogwood", "Elder")
    for plant in plants:
        (folder / f"{plant}.ris").write_text(f"TY  - JOUR\nT1  - {plant} in wet soil\nA1  - {plant}, E.\nER  -\n")
    said(capsys, "add", str(folder))
    assert imports(capsys)["ovid"]["papers"] == len(plants)
    assert len(imports(capsys)) == 1
    assert search(capsys, "import:ovid") == [f"{plant} in wet soil" for plant in plants]
    # A file's own name still finds its record, and takes it back alone.
    assert search(capsys, "import:Cedar.ris") == ["Cedar in wet soil"]
    said(capsys, "imports", "--remove", "Cedar.ris")
    assert search(capsys, "is:mine") == [f"{plant} in wet soil" for plant in plants if plant != "Cedar"]


def test_a_path_that_never_was_there_is_told_and_not_kept(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged, mistyped = tmp_path / "refs.jsonl", tmp_path / "refz.jsonl"
    damaged.write_text("{bad\n")
    _, told = said(capsys, "add", str(mistyped), status=1)
    assert "There is no such file or folder." in told and "litterm failures" not in told
    assert said(capsys, "failures", "--json")[0].count("origin") == 0
    _, told = said(capsys, "add", str(damaged), status=1)
    assert "`litterm failures` lists them" in told
    # One that was there when it failed stays listed when it is gone.
    damaged.unlink()
    said(capsys, "add", str(damaged), str(mistyped), status=1)
    listed = said(capsys, "failures", "--json")[0]
    assert "refs.jsonl" in listed and "refz.jsonl" not in listed


def test_a_home_that_cannot_be_made_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permissions do not bind the root of a container.
    monkeypatch.setattr("litterm.cli.context.os.access", lambda folder, _mode: folder != tmp_path)
    _, told = said(capsys, "--home", str(tmp_path / "new"), "search", "attention", "-k", "1")
    assert f"{tmp_path} cannot be written: nothing is kept in {tmp_path / 'new'}." in told
