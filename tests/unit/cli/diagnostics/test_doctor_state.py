"""What `doctor` says of `state.db`: damage with its cost, files not moved, a synchronised folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from litterm.cli.main import main
from litterm.library.journal import FileJournal
from litterm.library.state.connection import STATE_FILE, StateDatabase
from litterm.library.state.earlier_files import EARLIER_FOLDER


def diagnose(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """Exit status, and the findings on the library by name."""
    status = main(["doctor", "--json"])
    findings = json.loads(capsys.readouterr().out)
    return status, {finding["name"]: finding for finding in findings["library"]}


@pytest.fixture
def library(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a library that holds a session and no paper."""
    monkeypatch.setenv("LITTERM_STARTER", "false")
    state = StateDatabase(home / "library")
    with state.write() as connection:
        connection.execute("INSERT INTO session VALUES ('session', '{}')")
        connection.execute("INSERT INTO citation_state VALUES ('unread', '1234')")
    state.close()
    return state.root


def test_the_whole_file_is_named_with_version_size_and_unread_lists(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, findings = diagnose(capsys)
    assert status == 0
    assert findings[STATE_FILE]["value"] == "version 1, 0.1 MB, no damage"
    assert findings["unread reference lists"]["value"] == "1,234"
    assert not {"files of an earlier version", "synchronised folder", f"damaged {STATE_FILE}"} & set(findings)


def test_damage_is_told_with_its_cost_and_the_next_step_and_the_rest_is_reported(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = b"no database at all" * 300
    (library / STATE_FILE).write_bytes(content)
    status, findings = diagnose(capsys)
    damage = findings[f"damaged {STATE_FILE}"]
    assert status == 1 and damage["state"] == "bad" and str(library / STATE_FILE) in damage["value"]
    made_again, lost = damage["hint"].split("again;")
    assert "put a backup of state.db back, or move" in made_again and "who cites whom" in made_again
    assert "cells" in lost and "agent runs" in lost and "sessions" in lost
    # The papers are in other files.
    assert findings["papers"]["value"] == "0"
    assert (library / STATE_FILE).read_bytes() == content


def test_files_that_only_a_command_about_citations_moves_are_named(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("citations/lists.jsonl", "counts/counts.jsonl", "drafts.json"):
        (library / name).parent.mkdir(exist_ok=True)
        (library / name).write_text("{}\n")
    finding = diagnose(capsys)[1]["files of an earlier version"]
    # `drafts.json` moves when anything of the database is read.
    assert finding["value"] == "citations/lists.jsonl, counts/counts.jsonl" and finding["state"] == "note"
    assert (library / EARLIER_FOLDER / "drafts.json").exists()


def test_a_synchronised_folder_is_warned_of(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (library.parent / ".stfolder").mkdir()
    status, findings = diagnose(capsys)
    assert status == 0 and findings["synchronised folder"]["state"] == "missing"
    assert findings["synchronised folder"]["value"] == f"{library} lies in a folder of Syncthing"
    assert "the setting `library`" in findings["synchronised folder"]["hint"]


def test_lines_of_what_has_moved_are_no_fault_of_the_journal(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (library / EARLIER_FOLDER / "failures", library / "journal"):
        FileJournal(folder).append("note", {})
        with (folder / "journal.jsonl").open("ab") as file:
            file.write(b"half a li\n")
    main(["doctor", "--json"])
    faults = [each for each in json.loads(capsys.readouterr().out)["missing"] if each["what"] == "damaged journal"]
    assert [str(library / "journal") in fault["why"] for fault in faults] == [True]
