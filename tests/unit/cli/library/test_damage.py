"""A library with any file truncated, changed or gone: commands end with a sentence, and `add` mends it."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from litterm.cli.main import main
from litterm.library.journal import FileJournal

BODY = "Zebras are fast. Horses are slower. We counted both for three years in two places."
ROWS = [
    {
        "id": f"h{at}",
        "title": f"Counting zebras in place {at}",
        "abstract": "We count zebras. They are fast.",
        "year": 2020,
        "sections": [{"title": "Intro", "text": BODY}],
    }
    for at in range(6)
]
INDEX = [
    ("part.pack", "flipped"),
    ("facts.pack", "flipped"),
    ("bodies.pack", "cut"),
    ("vectors.pack", "gone"),
    ("indices.csc.index.npy", "flipped"),
]
OTHERS = [("papers.duckdb", "flipped"), ("CURRENT", "flipped"), ("manifest-1.json", "cut"), ("segment.json", "gone")]
COMMANDS = [
    ("search", "zebras", "--json"),
    ("search", "zebras", "--in-full-text", "--json"),
    ("cite", "Zebras were counted before [CITATION].", "--json"),
]


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(list(argv))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def harm(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "gone":
        path.unlink()
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    else:
        dice = random.Random(path.name)
        for at in dice.sample(range(len(content)), min(len(content), 40)):
            content[at] ^= 0xFF
        path.write_bytes(content)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Where the library of this module is kept once it has been made."""
    return {"folder": tmp_path_factory.mktemp("kept")}


@pytest.fixture
def library(
    home: Path,
    kept: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Path:
    """The folder of a library of six papers with full texts; without the starter library, which takes its time."""
    monkeypatch.setenv("LITTERM_STARTER", "false")
    found, made = home / "library", kept["folder"] / "library"
    if not made.exists():
        (tmp_path / "six.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
        assert run(capsys, "add", str(tmp_path / "six.jsonl"))[0] == 0
        shutil.copytree(found, made)
    shutil.rmtree(found, ignore_errors=True)
    shutil.copytree(made, found)
    return found


@pytest.mark.parametrize(("name", "how"), INDEX)
def test_a_damaged_index_ends_no_command_and_is_made_anew(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, how: str
) -> None:
    (path,) = library.rglob(name)
    harm(path, how)
    for command in COMMANDS:
        status, _, said = run(capsys, *command)
        assert status == 0 or "any `litterm add` rebuilds it" in said
    status, out, _ = run(capsys, "doctor")
    assert status == 1
    assert name in out
    (tmp_path / "more.jsonl").write_text(json.dumps({"id": "new", "title": "Another one"}), "utf-8")
    run(capsys, "add", str(tmp_path / "more.jsonl"))
    assert run(capsys, "doctor")[0] == 0


@pytest.mark.parametrize(("name", "how"), OTHERS)
def test_damage_of_any_other_file_ends_no_command_either(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, how: str
) -> None:
    (path,) = library.rglob(name)
    harm(path, how)
    if name != "segment.json":
        assert run(capsys, "doctor")[0] == 1
    for command in COMMANDS:
        assert run(capsys, *command)[0] in (0, 3)
    (tmp_path / "six.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    assert run(capsys, "add", str(tmp_path / "six.jsonl"))[0] == 0
    assert json.loads(run(capsys, "search", "zebras", "--json")[1])["found"] == 6
    assert run(capsys, "doctor")[0] == 0


def test_a_damaged_line_of_the_journal_is_told(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = FileJournal(library / "journal")
    journal.append("desk", {"say": "excluded local:h1"})
    path = library / "journal" / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b"excluded", b"included"))
    out = run(capsys, "doctor")[1]
    assert "included local:h1" in out and "damaged.txt" in out


@pytest.mark.parametrize("how", ["cut", "gone"])
def test_a_search_says_that_a_part_of_the_library_is_left_out(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    (first,) = library.rglob("papers.duckdb")
    (tmp_path / "more.jsonl").write_text(json.dumps({"id": "new", "title": "Zebras of another place"}), "utf-8")
    run(capsys, "add", str(tmp_path / "more.jsonl"))
    assert json.loads(run(capsys, "search", "zebras", "--json")[1])["notices"] == []
    harm(first, how)
    status, out, _ = run(capsys, "search", "zebras", "--json")
    told = json.loads(out)
    assert (status, [each["id"] for each in told["results"]]) == (0, ["local:new"])
    assert any("damaged and left out" in each and "litterm doctor" in each for each in told["notices"])
    assert "damaged and left out" in run(capsys, "search", "zebras")[2]


@pytest.mark.parametrize(
    "command",
    [
        ("cite", "Zebras of another place cross [CITATION]."),
        ("evidence", "local:new", "Zebras live in another place"),
        ("first", "zebras"),
    ],
)
def test_so_does_every_other_command_that_chooses(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    (first,) = library.rglob("papers.duckdb")
    row = {"id": "new", "title": "Zebras of another place", "abstract": "Zebras live in another place.", "year": 2001}
    (tmp_path / "more.jsonl").write_text(json.dumps(row), "utf-8")
    run(capsys, "add", str(tmp_path / "more.jsonl"))
    assert "damaged and left out" not in run(capsys, *command)[2]
    harm(first, "cut")
    assert "damaged and left out" in run(capsys, *command)[2]


def test_an_export_says_that_a_part_of_the_library_is_left_out(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (first,) = library.rglob("papers.duckdb")
    (tmp_path / "more.jsonl").write_text(json.dumps({"id": "new", "title": "Zebras of another place"}), "utf-8")
    run(capsys, "add", str(tmp_path / "more.jsonl"))
    _, whole, said = run(capsys, "export", "--all", "--jsonl")
    assert (len(whole.splitlines()), said) == (7, "")
    harm(first, "cut")
    _, rest, said = run(capsys, "export", "--all", "--jsonl")
    assert [json.loads(line)["id"] for line in rest.splitlines()] == ["local:new"]
    assert "damaged and left out" in said and "litterm doctor" in said
