"""The table of columns in the workbench: begun over a selection, read in the background, written into, opened."""

from __future__ import annotations

from tui.harness import Bench, Start

from litterm.tui.columns.controller import read_edit
from litterm.tui.columns.view import ColumnsView
from litterm.tui.dialogs.base import Dialog


def view_of(bench: Bench) -> ColumnsView:
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, ColumnsView)
    return dialog


async def begun(bench: Bench, columns: str) -> ColumnsView:
    """A table over the first three results."""
    await bench.search("pruning")
    await bench.press("v", "j", "j", "v")
    await bench.press(":", *"columns", "enter")
    bench.field("asked").set_text(columns)
    await bench.press("enter")
    return view_of(bench)


async def test_a_table_over_a_selection_shows_a_line_for_every_paper(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        view = await begun(bench, "year; outcome")
        table = view.rows.table
        assert (len(table.rows), table.computed_count) == (3, 6)
        assert "all 6 cells read" in bench.shown()
        assert "needs a model" in bench.shown()


async def test_what_is_written_into_a_cell_stays_and_x_takes_it_back(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        view = await begun(bench, "outcome")
        await bench.press("e")
        bench.field("asked").set_text("147 patients")
        await bench.press("enter")
        assert "147 patients" in bench.shown()
        assert "by hand" in bench.shown()
        await bench.press("x")
        assert view.rows.table.rows[0].edits == (None,)


async def test_plus_adds_a_column_that_is_read_at_once(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        view = await begun(bench, "outcome")
        await bench.press("+")
        bench.field("asked").set_text("year")
        await bench.press("enter")
        assert view.rows.table.request.columns == ("outcome", "year")
        assert view.rows.table.computed_count == 6
        assert view.rows.column == 1


async def test_enter_opens_the_paper_and_leaves_the_table(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        view = await begun(bench, "year")
        paper = view.rows.table.rows[0].paper
        await bench.press("enter")
        assert not any(isinstance(dialog, Dialog) for dialog in bench.context.dialogs)
        opened = bench.context.reader.state.paper
        assert paper is not None and opened is not None
        assert opened.id == paper.id


def test_a_typed_quantity_is_divided_into_value_and_unit() -> None:
    assert (read_edit("147 patients").value, read_edit("147 patients").unit) == ("147", "patients")
    assert (read_edit("5 mg/kg").value, read_edit("5 mg/kg").unit) == ("5", "mg/kg")
    assert (read_edit("fasting glucose after 3 h").value, read_edit("").value) == ("fasting glucose after 3 h", "")
