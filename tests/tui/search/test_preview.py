"""`o`: the reader follows the cursor of the results; their layout stays a line a paper where there is room."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tui.harness import Bench, Start

from litterm.core.settings import from_home
from litterm.core.settings.load import load


def titles(bench: Bench) -> int:
    """Papers on the screen of the results."""
    return len(bench.context.results.rows_on_screen)


def reading(bench: Bench) -> str:
    paper = bench.context.reader.state.paper
    return paper.title if paper else ""


async def test_at_full_width_the_list_is_a_table_again_after_a_paper_was_open(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning")
        # The line of years and venues comes a moment after the rows, and takes one of their lines.
        await bench.until(lambda: bench.context.results.facets is not None)
        before = titles(bench)
        await bench.press("enter")
        assert titles(bench) < before
        await bench.press("q")
        assert bench.context.focus == "results"
        assert titles(bench) == before


async def test_in_one_column_it_always_is_a_table(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        # The line of years and venues comes a moment after the rows, and takes one of their lines.
        await bench.until(lambda: bench.context.results.facets is not None)
        before = titles(bench)
        await bench.press("enter", "2")
        assert titles(bench) == before


async def test_hiding_the_reader_hides_its_evidence_and_both_come_back(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.evidence()
        assert "4 evidence" in bench.shown()
        await bench.press("q")
        assert "4 evidence" not in bench.shown()
        await bench.press("3")
        assert "4 evidence" in bench.shown()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_the_reader_follows_the_cursor_and_the_focus_stays(start: Start, size: tuple[int, int]) -> None:
    async with start(size=size) as bench:
        await bench.search("pruning study")
        await bench.press("o")
        rows = bench.context.results.shown
        await bench.until(lambda: reading(bench) == rows[0].paper.title)
        await bench.press("j", "j")
        await bench.until(lambda: reading(bench) == rows[2].paper.title)
        assert bench.context.focus == "results"
        shown = bench.shown()
        assert "2 results" in shown
        assert "3 reader" in shown
        await bench.press("o")
        assert "3 reader" not in bench.shown()
        await bench.press("j")
        assert not bench.context.board.shape.reading


async def test_layout_and_preview_are_there_at_the_next_start(start: Start, tmp_path: Path) -> None:
    settings = from_home(tmp_path)
    async with start(size=(120, 40), settings=settings) as bench:
        await bench.search("pruning")
        # The line of years and venues comes a moment after the rows, and takes one of their lines.
        await bench.until(lambda: bench.context.results.facets is not None)
        before = titles(bench)
        await bench.press("o", ",")
        bench.app.screen.query_one("#choices").go(0)  # type: ignore[attr-defined]
        await bench.press("enter", "enter", "escape")
        assert bench.context.results.layout_wanted == "cards"
        # At once: the task that writes the last choice may not have begun.
        bench.context.work.cancel("settings")
        bench.app.save_and_exit()
    kept = tomllib.loads(settings.config.read_text("utf-8"))
    assert (kept["results_layout"], kept["preview"]) == ("cards", True)
    again = load({}, {"LITTERM_HOME": str(tmp_path), "HOME": str(tmp_path)})
    async with start(size=(120, 40), settings=again) as bench:
        await bench.search("pruning")
        assert titles(bench) < before
        await bench.until(lambda: reading(bench))


async def test_enter_shows_the_paper_that_the_preview_showed_last(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning")
        await bench.press("o")
        await bench.until(lambda: reading(bench))
        await bench.press("o")
        assert "3 reader" not in bench.shown()
        await bench.press("enter")
        assert "3 reader" in bench.shown()
        assert bench.context.focus == "reader"
