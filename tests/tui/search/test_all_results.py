"""What acts on "the results" takes every paper that the query finds, not the rows fetched so far, and says how many."""

from __future__ import annotations

from pathlib import Path

import pytest
from tui.engines import PAPERS, SmallEngine
from tui.harness import Bench, Start

from litterm.model.paper import Author, Paper, PaperId
from litterm.tui.library.export import ExportDialog
from litterm.tui.search.controller import FIRST_PAGE_SIZE

COUNT = 150
assert COUNT > 2 * FIRST_PAGE_SIZE


def many() -> SmallEngine:
    """An engine whose query `beaver` finds more papers than a search fetches at first."""
    kinds = ("odd", "even")
    found = [
        Paper(PaperId(f"acl:B{n:03}"), f"The {kinds[n % 2]} beaver, part {n}", "", (Author("Lee", "A"),), 2020)
        for n in range(COUNT)
    ]
    return SmallEngine(papers=(*PAPERS, *found))


async def open_export(bench: Bench, scope: str) -> ExportDialog:
    await bench.press("w")
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, ExportDialog)
    for _ in range(5):
        if dialog.request.scope == scope:
            return dialog
        await bench.press("j")
    raise AssertionError(f"no scope {scope}")


async def write_to(bench: Bench, path: Path) -> int:
    bench.field("asked").set_text(str(path))
    await bench.press("enter")
    return path.read_text("utf-8").count("@")


async def test_the_list_is_all_results_and_not_the_rows_fetched(start: Start, tmp_path: Path) -> None:
    async with start(many(), size=(120, 40)) as bench:
        await bench.search("beaver")
        assert len(bench.context.results.state.rows) == FIRST_PAGE_SIZE
        dialog = await open_export(bench, "list")
        assert dialog.count == COUNT
        [row] = [line for line in bench.shown().splitlines() if "list: all results" in line]
        assert f"{COUNT} papers" in row
        assert await write_to(bench, tmp_path / "all.bib") == COUNT
        assert any(f"Wrote {COUNT} papers" in said for said in bench.said)


async def test_a_filtered_list_is_looked_for_in_all_results(start: Start, tmp_path: Path) -> None:
    async with start(many(), size=(120, 40)) as bench:
        await bench.search("beaver")
        await bench.press("/", *"even", "enter")
        shown = bench.context.results.shown
        assert all("even" in row.paper.title for row in shown)
        assert 0 < len(shown) < COUNT // 2
        dialog = await open_export(bench, "list")
        assert dialog.count == COUNT // 2
        assert await write_to(bench, tmp_path / "even.bib") == COUNT // 2


async def test_the_star_selects_all_results_and_what_follows_takes_them_all(start: Start, tmp_path: Path) -> None:
    async with start(many(), size=(120, 40)) as bench:
        await bench.search("beaver")
        await bench.press("*")
        assert f"{COUNT} selected" in bench.shown()
        await bench.press("s")
        assert any(f"{COUNT} selected papers" in said for said in bench.said)
        dialog = await open_export(bench, "selection")
        assert dialog.count == COUNT
        assert await write_to(bench, tmp_path / "selected.bib") == COUNT
        await bench.press("*")
        assert "selected" not in bench.shown()
        assert bench.context.results.state.selected_papers() == ()


async def test_a_selection_is_kept_when_fewer_rows_of_the_same_query_are_fetched(start: Start) -> None:
    async with start(many(), size=(120, 40)) as bench:
        await bench.search("beaver")
        await bench.press("*")
        bench.controllers.search.repeat_search("beaver")
        await bench.settle()
        assert len(bench.context.results.state.selected_papers()) == COUNT
        await bench.search("pruning")
        assert "selected" not in bench.shown()


@pytest.mark.parametrize("selected", [False, True])
async def test_a_matrix_over_the_results_has_a_row_for_each(start: Start, selected: bool) -> None:
    async with start(many(), size=(120, 40)) as bench:
        await bench.search("beaver")
        if selected:
            # All results are selected once they have been fetched.
            await bench.press("*")
            await bench.press("E")
        else:
            await bench.press("E")
            assert f"new, over the {COUNT} papers of the results" in bench.shown()
            await bench.press("enter")
        assert f"Over {COUNT} papers." in bench.shown()
        bench.field("asked").set_text("beavers build dams")
        await bench.tap("enter")
        # The cells, which fill up afterwards, are not waited for.
        await bench.until(lambda: bench.context.matrix.state.matrix)
        matrix = bench.context.matrix.state.matrix
        assert matrix is not None
        assert len(matrix.rows) == COUNT


async def test_another_query_stops_the_search_for_all_results(start: Start) -> None:
    engine = many()
    async with start(engine, size=(120, 40)) as bench:
        await bench.search("beaver")
        gate = engine.gate("beaver")
        bench.context.results.action_everything()
        await bench.until(lambda: any(job.group == "results" for job in bench.context.work.jobs))
        bench.controllers.search.repeat_search("pruning")
        gate.set()
        await bench.settle()
        assert bench.context.results.state.chosen == frozenset()
