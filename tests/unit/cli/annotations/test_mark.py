"""`litterm mark` and `litterm undo` as typed, over a real library."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from json_answers import answer

from litterm import build_engine, load_settings
from litterm.cli.main import main
from litterm.engine import Engine
from litterm.model.annotations import PaperChanges, PaperNotes
from litterm.model.paper import PaperId

ROWS = [
    {"id": "acl:P1", "title": "Ferns grow in the shade", "authors": ["Moss, Ada"], "year": 2011},
    {"id": "acl:P2", "title": "Ferns and their spores", "authors": ["Reed, Bo"], "year": 2012},
    {"id": "acl:P3", "title": "Snails cross the road", "authors": ["Clay, Di"], "year": 2013},
    {"id": "iclr:P3", "title": "Worms dig deep", "authors": ["Loam, Ed"], "year": 2014},
]
P1, P2, P3 = (PaperId(f"acl:P{number}") for number in (1, 2, 3))


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose library holds `ROWS`."""
    root = tmp_path_factory.mktemp("mark")
    rows = root / "papers.jsonl"
    rows.write_text("\n".join(map(json.dumps, ROWS)))
    assert main(["--home", str(root / "home"), "add", str(rows)]) == 0
    return root / "home"


@pytest.fixture(autouse=True)
def library(imported: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of `imported` that a test may change."""
    monkeypatch.setenv("LITTERM_STARTER", "false")
    shutil.copytree(imported, home, dirs_exist_ok=True)


def printed(capsys: pytest.CaptureFixture[str], *argv: str, status: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    actual = main(list(argv))
    streams = capsys.readouterr()
    assert actual == status, streams
    return streams.out, streams.err


def as_json(capsys: pytest.CaptureFixture[str], *argv: str, status: int = 0) -> Any:
    return answer(printed(capsys, *argv, "--json", status=status)[0])


def opened() -> Engine:
    """Another process, as far as the journal is concerned."""
    return build_engine(load_settings())


def test_everything_that_keys_do_is_done_and_undone_in_one_step(capsys: pytest.CaptureFixture[str]) -> None:
    before = opened().annotations.notes(P1)
    out, err = printed(
        capsys, "mark", "P1", "acl:P2", "P1", "--star", "--decide", "include", "--read-status", "reading",
        "--tag", "#Shade,plants", "--tag", "wet", "--note", " look again ", "--collection", "Thesis/Ferns",
    )  # fmt: skip
    assert out == "2 papers: included, starred, reading, tagged shade, plants, wet, filed under Thesis/Ferns, noted.\n"
    assert "litterm undo" in err
    wanted = PaperNotes("included", True, ("shade", "plants", "wet"), "look again", "reading", ("Thesis/Ferns",))
    assert [opened().annotations.notes(paper_id) for paper_id in (P1, P2)] == [wanted, wanted]
    undone, _ = printed(capsys, "undo")
    assert (
        undone
        == "Undone: included, starred, reading, tagged shade, plants, wet, filed under Thesis/Ferns, noted: 2 papers.\n"
    )
    assert opened().annotations.notes(P1) == opened().annotations.notes(P2) == before
    assert as_json(capsys, "undo", "--redo")["redone"].startswith("Redone: included, starred")
    assert opened().annotations.notes(P2) == wanted


def test_only_what_differs_is_changed_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "mark", "P1", "--tag", "shade,wet")
    answer = as_json(capsys, "mark", "P1", "P2", "--tag", "SHADE", "--untag", "Wet,none")
    assert (answer["count"], answer["changed"], answer["unknown"]) == (2, 2, [])
    assert answer["papers"][0] == {
        "id": "acl:P1", "changed": True, "screening": None, "starred": False, "tags": ["shade"], "note": "",
        "status": "", "collections": [],
    }  # fmt: skip
    out, err = printed(capsys, "mark", "P1", "P2", "--tag", "shade")
    assert out == "0 papers: tagged shade; 2 were so already.\n"
    assert err == ""
    # Nothing was written, so undo takes back the change before.
    assert "no longer tagged wet" in printed(capsys, "undo")[0]


def test_marks_are_taken_off(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "mark", "P1", "--star", "--decide", "exclude", "--read-status", "to-read", "--note", "old")
    printed(capsys, "mark", "P1", "--no-star", "--decide", "undecided", "--read-status", "unread", "--note", "")
    assert opened().annotations.notes(P1) == PaperNotes()
    assert [note for _, note in opened().annotations.earlier_notes(P1)] == ["old"]


def test_a_tag_has_blanks_where_commas_part_tags(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "mark", "P1", "--tag", "related work,parsing", "--tag", "two words")
    assert opened().annotations.notes(P1).tags == ("related work", "parsing", "two", "words")
    printed(capsys, "mark", "P1", "--untag", "Related work,", "--untag", "two")
    assert opened().annotations.notes(P1).tags == ("parsing", "words")


def test_papers_of_a_query_and_of_stdin(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = printed(capsys, "mark", "--query", "ferns", "-k", "1", "--star")
    assert out == "1 paper: starred.\n"
    assert "1 of 2 found; -k marks more." in err
    assert as_json(capsys, "mark", "--query", "ferns", "--star")["changed"] == 1
    monkeypatch.setattr("sys.stdin", io.StringIO("acl:P3\n\nacl:P1\n"))
    answer = as_json(capsys, "mark", "-", "--tag", "x")
    assert [paper["id"] for paper in answer["papers"]] == [P3, P1]
    assert "Nothing found" in printed(capsys, "mark", "--query", "zebra", "--star", status=3)[1]


def test_unknown_papers_are_named_and_the_others_done(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = printed(capsys, "mark", "P1", "nowhere", "--star", status=3)
    assert out == "1 paper: starred.\n"
    assert "nowhere is not in the library" in err
    assert as_json(capsys, "mark", "nowhere", "--star", status=3) == {
        "count": 0, "changed": 0, "papers": [], "unknown": ["nowhere"],
    }  # fmt: skip


def test_a_key_of_two_papers_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert "may be any of" in printed(capsys, "mark", "P1", "P3", "--star", status=2)[1]
    assert not opened().annotations.notes(P1).starred


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["P1"], "say what to mark"),
        (["--star"], "name the PAPERs"),
        (["P1", "--query", "ferns", "--star"], "name the PAPERs"),
        (["P1", "-k", "3", "--star"], "-k belongs to --query"),
        (["P1", "--tag", "a", "--untag", "a"], "at once"),
        (["P1", "--decide", "maybe"], "there is no 'maybe'"),
    ],
)
def test_contradictions_are_refused(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in printed(capsys, "mark", *options, status=2)[1]


def test_stars_and_decisions_are_those_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "--project", "thesis", "mark", "P1", "--star", "--tag", "both")
    assert opened().annotations.notes(P1) == PaperNotes(tags=("both",))
    engine = opened()
    engine.annotations.projects.use("thesis")
    assert engine.annotations.notes(P1) == PaperNotes(starred=True, tags=("both",))


def test_undo_takes_back_what_a_workbench_did_and_a_workbench_what_a_command_did(
    capsys: pytest.CaptureFixture[str],
) -> None:
    window = opened()
    window.annotations.star(P1, True)
    printed(capsys, "mark", "P2", "--star")
    # The command has no window of its own, so the change is listed in every one.
    assert window.annotations.undo() == "Undone: starred: acl:P2."
    assert printed(capsys, "undo")[0] == "Undone: starred acl:P1.\n"
    assert [window.annotations.notes(paper_id).starred for paper_id in (P1, P2)] == [False, False]


def test_the_list_of_changes_names_papers_by_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "undo")[0] == "There is nothing to undo.\n"
    assert as_json(capsys, "undo") == {"undone": None}
    assert as_json(capsys, "undo", "--list") == {"count": 0, "changes": []}
    printed(capsys, "mark", "P1", "--star")
    printed(capsys, "mark", "P2", "--tag", "x")
    printed(capsys, "undo")
    changes = as_json(capsys, "undo", "--list")["changes"]
    assert [(change["sentence"], change["undone"]) for change in changes] == [
        ("tagged x: “Ferns and their spores”", True),
        ("starred: “Ferns grow in the shade”", False),
    ]
    assert "(undone) tagged x: “Ferns and" in printed(capsys, "undo", "--list")[0]


def test_the_engine_marks_papers_too() -> None:
    engine = opened()
    marked = engine.marking.mark(["P2", "nowhere", "acl:P2"], PaperChanges(starred=True))
    assert (marked.papers, marked.changed, marked.unknown) == ((P2,), {P2}, ("nowhere",))
    assert engine.annotations.undo() is not None
    assert not engine.annotations.notes(P2).starred


def test_collections_are_listed_found_renamed_and_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    assert "No collections" in printed(capsys, "collections")[1]
    printed(capsys, "mark", "P1", "P2", "--collection", "Thesis/My ferns", "--collection", "Teaching")
    printed(capsys, "mark", "P2", "--remove-collection", "teaching")
    assert printed(capsys, "collections")[0].splitlines() == [
        "     1  Teaching",
        "     2  Thesis",
        "     2    My ferns",
    ]
    assert as_json(capsys, "collections")["collections"][1:] == [
        {"name": "Thesis", "papers": 2, "own_papers": 0, "depth": 0},
        {"name": "Thesis/My ferns", "papers": 2, "own_papers": 2, "depth": 1},
    ]
    assert "collections: Teaching, Thesis/My ferns" in printed(capsys, "show", "P1")[0]
    found = as_json(capsys, "search", "--collection", "Thesis/My ferns", "--collection", "none")
    assert sorted(item["id"] for item in found["results"]) == [P1, P2]
    found = as_json(capsys, "search", "collection:The* -collection:Teaching OR worms")
    assert sorted(item["id"] for item in found["results"]) == [P2, "iclr:P3"]
    assert as_json(capsys, "collections", "--rename", "Thesis", "PhD") == {"renamed": "PhD"}
    assert "1 collection deleted; the papers stay" in printed(capsys, "collections", "--delete", "phd")[0]
    printed(capsys, "undo")
    printed(capsys, "undo")
    assert as_json(capsys, "collections", "--delete", "Thesis") == {"deleted": 1}


def test_an_unknown_collection_is_named_with_those_that_are_like_it(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "mark", "P1", "--collection", "Thesis/Methods")
    notice = "There is no collection Methods. Did you mean Thesis/Methods?"
    assert notice in printed(capsys, "search", "ferns collection:Methods")[1]
    assert notice in as_json(capsys, "search", "ferns (snails OR collection:Methods)")["notices"]
    assert notice in printed(capsys, "mark", "P1", "--remove-collection", "Methods", "--star", status=2)[1]
    assert not opened().annotations.notes(P1).starred
