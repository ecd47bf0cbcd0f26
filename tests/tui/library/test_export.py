"""`w`: which papers, in which format, to which file; what will stand there is shown before it is written."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start

from litterm.tui.library.export import ExportDialog


async def opened(bench: Bench) -> ExportDialog:
    await bench.press("w")
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, ExportDialog)
    return dialog


async def write_to(bench: Bench, path: Path) -> None:
    bench.field("asked").set_text(str(path))
    await bench.press("enter")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_every_scope_has_its_count_and_the_first_lines_are_shown(start: Start, size: tuple[int, int]) -> None:
    async with start(size=size) as bench:
        await bench.search("pruning")
        await bench.press("v", "j")
        dialog = await opened(bench)
        shown = bench.shown()
        for told in ("this paper", "selection", "2 papers", "list", "project", "0 papers", "all your papers"):
            assert told in shown
        for told in (
            "[BibTeX]",
            "RIS",
            "CSL-JSON",
            "Markdown",
            "CSV",
            "selected.bib",
            "A new file.",
            "@inproceedings{",
        ):
            assert told in shown
        assert dialog.request.scope == "selection"


async def test_without_a_selection_its_row_says_how_to_select(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        await opened(bench)
        [selection] = [line for line in bench.shown().splitlines() if " selection " in line]
        assert "none: space and v select results" in selection
        assert "0 papers" not in selection


async def test_the_selection_is_written(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("v", "j")
        await opened(bench)
        await write_to(bench, tmp_path / "new" / "some.bib")
        assert (tmp_path / "new" / "some.bib").read_text().count("@") == 2
        assert any("Wrote 2 papers into" in said for said in bench.said)


async def test_the_project_is_what_was_included_or_accepted_with_its_quotes(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("n", "a")
        await bench.search("sheared")
        await bench.press("a", "m")
        bench.field("asked").set_text("read *this* again")
        await bench.press("enter")
        dialog = await opened(bench)
        assert (dialog.request.scope, dialog.count) == ("project", 2)
        await bench.press("l", "l", "l")
        assert "# Papers" in bench.shown()
        await write_to(bench, tmp_path / "out.md")
        text = (tmp_path / "out.md").read_text("utf-8")
        for told in (SHEARED.title, PRUNING.title, "read *this* again", "# Quotes", "## pruned model speed", "¶1 s1"):
            assert told in text


async def test_the_list_is_written_with_tags_and_notes_or_without(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.search("sheared")
        await bench.press("t")
        bench.field("asked").set_text("mine")
        await bench.press("enter")
        dialog = await opened(bench)
        assert dialog.request.scope == "list"
        await bench.press("l", "l")
        await write_to(bench, tmp_path / "a.json")
        assert json.loads((tmp_path / "a.json").read_text())[0]["keyword"] == "mine"
        await opened(bench)
        await bench.press("l", "l", "n")
        assert "without tags and notes" in bench.shown()
        await write_to(bench, tmp_path / "b.json")
        assert "keyword" not in json.loads((tmp_path / "b.json").read_text())[0]


async def test_a_file_that_is_there_is_kept_and_a_place_that_cannot_be_is_refused(start: Start, tmp_path: Path) -> None:
    there = tmp_path / "refs.bib"
    there.write_text("my own words")
    (tmp_path / "folder").mkdir()
    async with start() as bench:
        await bench.search("sheared")
        dialog = await opened(bench)
        await bench.press("tab")
        bench.field("asked").set_text(str(tmp_path / "folder"))
        await bench.press("enter")
        assert dialog.is_attached
        assert "is a folder; name a file in it" in bench.shown()
        bench.field("asked").set_text(str(tmp_path / "refs.bi"))
        await bench.press("b")
        assert "it is kept as refs.bib~" in bench.shown()
        await bench.press("enter")
        assert (tmp_path / "refs.bib~").read_text() == "my own words"
        assert "Sheared" in there.read_text()
        await opened(bench)
        await write_to(bench, there / "below.bib")
        assert any("cannot be written" in said for said in bench.said)


async def test_another_format_changes_the_ending_and_a_name_of_ones_own_stays(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.search("pruning")
        dialog = await opened(bench)
        assert dialog.request.path == Path.cwd() / "results.bib"
        await bench.press("k", "k", "k", "l")
        assert dialog.request.path == Path.cwd() / "paper.ris"
        bench.field("asked").set_text(str(tmp_path / "mine.ris"))
        await bench.press("l", "j")
        assert dialog.request.path == tmp_path / "mine.json"
        assert "whatever its name says" not in bench.shown()
        bench.field("asked").set_text(str(tmp_path / "mine.ri"))
        bench.field("asked").focus()
        await bench.settle()
        await bench.press("s")
        assert "CSL-JSON in it, whatever its name says." in " ".join(bench.shown().split())


async def test_a_scope_without_papers_writes_nothing(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.search("pruning")
        dialog = await opened(bench)
        await bench.press("j")
        assert dialog.request.scope == "project"
        assert "There is no paper in this scope." in bench.shown()
        await write_to(bench, tmp_path / "none.bib")
        assert dialog.is_attached
        assert not (tmp_path / "none.bib").exists()


async def test_citep_copies_the_keys_of_the_bibtex_of_all_selected(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("v", "j", "v", "y")
        entries = bench.app.clipboard
        keys = re.findall(r"^@\w+\{(.+),$", entries, re.MULTILINE)
        assert len(keys) == 2
        await bench.press(":")
        bench.field("lookup").set_text("citep")
        await bench.press("enter")
        assert bench.app.clipboard == f"\\citep{{{','.join(keys)}}}"
        assert any("Copied a citation of 2 papers" in said for said in bench.said)


async def test_references_in_a_style_are_copied_and_written(start: Start, tmp_path: Path) -> None:
    pytest.importorskip("citeproc")
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        await bench.press("v", "j", "v", ":")
        bench.field("lookup").set_text("copy harvard-cite-them-right")
        await bench.press("enter")
        await bench.until(lambda: any("Copied 2 references (harvard-cite-them-right)" in said for said in bench.said))
        lines = bench.app.clipboard.splitlines()
        assert len(lines) == 2
        assert any(SHEARED.title in line for line in lines)
        dialog = await opened(bench)
        await bench.press("h", "h", "h")
        assert "[References]" in bench.shown()
        assert "harvard-cite-them-right" in bench.shown()
        assert dialog.request.path.name == "selected.txt"
        await write_to(bench, tmp_path / "refs.txt")
        await bench.until(lambda: any("Wrote 2 papers into" in said for said in bench.said))
        assert (tmp_path / "refs.txt").read_text("utf-8").splitlines() == lines


async def test_an_unknown_style_and_a_missing_package_are_one_sentence(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        await bench.press(":")
        bench.field("lookup").set_text("copy no-such-style")
        await bench.press("enter")
        await bench.until(lambda: any("no-such-style" in said for said in bench.said))
        monkeypatch.setitem(sys.modules, "citeproc", None)
        dialog = await opened(bench)
        await bench.press("h", "h", "h")
        await bench.until(lambda: "citeproc-py" in bench.shown())
        assert dialog.is_attached


async def test_a_folder_of_markdown_and_a_table_are_written(start: Start, tmp_path: Path) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        await bench.press("v", "j", "v")
        dialog = await opened(bench)
        await bench.press("h", "h")
        assert "[Folder]" in bench.shown()
        assert dialog.request.path.name == "selected"
        assert "A Markdown file for each paper." in bench.shown()
        await write_to(bench, tmp_path / "notes")
        await bench.until(lambda: any("2 new, 0 updated" in said for said in bench.said))
        assert len(list((tmp_path / "notes").glob("*.md"))) == 2
        await opened(bench)
        await bench.press("h")
        await write_to(bench, tmp_path / "papers.parquet")
        await bench.until(lambda: (tmp_path / "papers.parquet").exists())


async def test_a_key_that_had_to_be_changed_is_told(start: Start, tmp_path: Path) -> None:
    engine = SmallEngine((replace(PRUNING, imprint=replace(PRUNING.imprint, bibkey="A B")), SHEARED))
    async with start(engine=engine) as bench:
        await bench.search("pruning")
        await opened(bench)
        await write_to(bench, tmp_path / "all.bib")
        assert any("it is written as AB." in said for said in bench.said)
