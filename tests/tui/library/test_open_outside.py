"""`V`: the PDF that was imported, at the page of the sentence; nothing online without asking; what did not open."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tui.engines import PAPERS, PRUNING, SmallEngine
from tui.harness import Start

from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.model.paper import Paper, PaperId, Provenance, PublicationDetails
from litterm.tui.platform.open_external import ExternalPlace, find_external_place, open_task

OPENER = "open" if sys.platform == "darwin" else "xdg-open"


def opens_with(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A program that opens things, by `script`; returns the file of what it was given."""
    program, given = folder / OPENER, folder / "given"
    program.write_text(f'#!/bin/sh\necho "$1" >> {given}\n{script}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr(shutil, "which", lambda name, *_more: str(program) if name == OPENER else None)
    return given


def records(pdf: Path) -> tuple[Paper, Paper]:
    """Two records of a paper that are merged: that of an archive, and that of a file of the user, with its text."""
    archived = replace(PRUNING, provenance=Provenance("anthology", "/data/2022.acl.xml"), full_text=False)
    return archived, replace(PRUNING, provenance=Provenance("pdf", str(pdf)), urls=())


def engine_with_own_file(pdf: Path) -> SmallEngine:
    return SmallEngine([*records(pdf), *(paper for paper in PAPERS if paper.id != PRUNING.id)])


async def test_the_imported_pdf_opens_at_the_page_also_of_a_merged_record(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, pdf = opens_with(tmp_path, monkeypatch, "exit 0"), tmp_path / "my copy.pdf"
    pdf.write_bytes(b"%PDF")
    async with start(engine_with_own_file(pdf)) as bench:
        await bench.evidence()
        document = bench.context.reader.state.document
        assert document is not None
        index, page = next((each.index, each.page) for each in document.sentences if each.page)
        bench.context.reader.go(index)
        await bench.press("V")
        assert given.read_text().split() == [f"{pdf.as_uri()}#page={page}"]
        assert "first use of the network" not in bench.shown()


async def test_the_web_is_asked_for_only_after_consent(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = opens_with(tmp_path, monkeypatch, "exit 0")
    async with start(settings=from_home(tmp_path)) as bench:
        await bench.read()
        await bench.press("V")
        assert "first use of the network" in bench.shown()
        assert "aclanthology.org" in bench.shown()
        await bench.press("escape")
        assert not given.exists()
        await bench.press("V", "enter")
        assert given.read_text().split() == [PRUNING.urls[0]]


async def test_offline_no_browser_is_started(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = opens_with(tmp_path, monkeypatch, "exit 0")
    async with start(settings=replace(from_home(tmp_path), offline=True)) as bench:
        await bench.read()
        await bench.press("V")
        assert not given.exists()
        assert any("Offline by choice" in said and PRUNING.urls[0] in said for said in bench.said)


async def test_a_pdf_that_has_moved_is_named(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opens_with(tmp_path, monkeypatch, "exit 0")
    async with start(engine_with_own_file(tmp_path / "gone.pdf"), settings=from_home(tmp_path)) as bench:
        await bench.read()
        await bench.press("V")
        assert any("gone.pdf" in said and "no longer" in said for said in bench.said)
        assert "first use of the network" in bench.shown()


async def test_a_launcher_that_finds_no_program_is_no_success(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens_with(tmp_path, monkeypatch, "exit 3")
    async with start() as bench:
        await bench.read()
        await bench.press("V")
        assert any("No program opened it" in said and "status 3" in said for said in bench.said)
        assert not any(said.startswith("Opened") for said in bench.said)


def test_no_ended_launcher_stays_as_a_zombie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opens_with(tmp_path, monkeypatch, "exit 0")
    started = list[subprocess.Popen[bytes]]()
    popen = subprocess.Popen

    def watched(*args: object, **options: object) -> subprocess.Popen[bytes]:
        process: subprocess.Popen[bytes] = popen(*args, **options)  # type: ignore[call-overload]
        started.append(process)
        return process

    monkeypatch.setattr(subprocess, "Popen", watched)
    assert run(open_task(ExternalPlace("https://x.example/a", "x.example"))) == "Opened https://x.example/a"
    # Waited for already: its status is known without asking the system now.
    assert [process.returncode for process in started] == [0]


def test_a_missing_opener_is_named() -> None:
    said = run(open_task(ExternalPlace("https://x.example/a", "x.example")))
    assert f"{OPENER} is not installed" in said


def test_the_file_that_a_bibliography_names_is_found_beside_it_and_no_file_of_another_machine(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    pdf = tmp_path / "files" / "a.pdf"
    pdf.write_bytes(b"%PDF")
    paper = Paper(
        PaperId("local:a"),
        "A",
        provenance=Provenance("bibtex", str(tmp_path / "my.bib")),
        imprint=PublicationDetails(files=("files/a.pdf",)),
    )
    assert find_external_place(paper, 3).address == f"{pdf.as_uri()}#page=3"
    # Of a group's server a client knows the names of files only.
    remote = Paper(PaperId("local:b"), "B", provenance=Provenance("pdf", "a.pdf"))
    assert find_external_place(remote, None) == ExternalPlace()


def test_a_pdf_in_an_archive_is_said_to_be_there(tmp_path: Path) -> None:
    archive = tmp_path / "all.zip"
    archive.write_bytes(b"PK")
    place = find_external_place(Paper(PaperId("local:c"), "C", provenance=Provenance("pdf", f"{archive}!c.pdf")), None)
    assert "c.pdf inside" in place.notice and not place.address
