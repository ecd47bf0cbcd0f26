"""`:check`: a bibliography held against the library, its findings in a list that opens their records."""

from __future__ import annotations

from pathlib import Path

import pytest
from tui.engines import PRUNING
from tui.harness import Bench, Start

from litterm.tui.attribution.bibliography import CheckedBibliography

WRONG = f"""@inproceedings{{pruned, title = {{{PRUNING.title}}}, year = {{{PRUNING.year}}},
  author = {{Mengzhou Xia and Ned Nemo and Danqi Chen}}}}
"""
ABSENT = "@misc{absent, title = {Gradient Soup of Imaginary Treebanks}, author = {Jane Doe}, year = 2020}\n"
SOUND = WRONG.replace("Ned Nemo", "Zexuan Zhong").replace("{pruned", "{sound")


@pytest.fixture
def bibliography(tmp_path: Path) -> Path:
    path = tmp_path / "refs.bib"
    path.write_text(SOUND + ABSENT + WRONG, "utf-8")
    return path


async def command(bench: Bench, text: str) -> CheckedBibliography:
    await bench.press("escape", ":")
    bench.field("lookup").set_text(text)
    await bench.press("enter")
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, CheckedBibliography)
    return dialog


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_findings_come_first_and_enter_opens_the_record(
    start: Start, bibliography: Path, size: tuple[int, int]
) -> None:
    async with start(size=size) as bench:
        dialog = await command(bench, f"check {bibliography}")
        assert [item.entry.key for item in dialog.entries] == ["pruned", "absent"]
        shown = bench.shown()
        for said in ("check", "refs.bib", "1 sound", "wrong field", "Ned Nemo"):
            assert said in shown
        await bench.press("enter")
        assert not bench.context.dialogs
        assert bench.context.reader.state.paper is not None
        assert bench.context.reader.state.paper.id == PRUNING.id
        again = await command(bench, f"check {bibliography}")
        assert [item.entry.key for item in again.entries] == ["pruned", "absent"]
        # An entry without a record has nothing to open.
        await bench.press("j", "enter")
        assert bench.context.dialogs == [again] or bench.context.dialogs[-1] is again


async def test_a_file_that_is_not_there_or_broken_is_named(start: Start, bibliography: Path) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.press("escape", ":")
        bench.field("lookup").set_text("check nowhere.bib")
        await bench.press("enter")
        # Asked again, with what was typed.
        assert bench.field("lookup").text == "check nowhere.bib"
        await bench.press("escape")
        assert any("nowhere.bib: no such file." in said for said in bench.said)
        bibliography.write_text("@misc{open, title = {never closed", "utf-8")
        await command(bench, f"check {bibliography}")
        assert "refs.bib:1" in bench.shown()


async def test_a_draft_shows_the_citations_that_their_papers_do_not_bear_out(start: Start, bibliography: Path) -> None:
    draft = bibliography.with_name("draft.tex")
    draft.write_text("Zebras eat yellow bananas in the rain \\cite{sound}.\n\\bibliography{refs}\n", "utf-8")
    async with start(size=(120, 40)) as bench:
        dialog = await command(bench, f"check {draft}")
        assert "no support found" in bench.shown() and "Zebras eat yellow bananas" in bench.shown()
        await bench.press(*("j" * len(dialog.entries)), "enter")
        assert bench.context.reader.state.paper is not None
        assert bench.context.reader.state.paper.id == PRUNING.id
