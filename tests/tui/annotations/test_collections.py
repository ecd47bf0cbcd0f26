"""`:collect` and `:uncollect`: file papers by the command line, see and find the collection, over a real library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import by, record, store
from tui.harness import Bench

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.engine import Engine
from litterm.model.paper import PaperId
from litterm.tui.app import LittermApp
from litterm.tui.home.pane import HomeSection
from litterm.tui.input.command_line import CommandDialog
from litterm.tui.widgets.glyphs import choose_glyphs

NETS, TEETH = PaperId("acl:nets"), PaperId("acl:teeth")


@pytest.fixture
def engine(home: Path) -> Engine:
    # Without the starter library, so that all results are these.
    settings = replace(from_home(home), starter=False)
    papers = [
        record("acl:nets", "Deep nets are nice to have", abstract="Nets with layers.", year=2019, authors=by("Bee")),
        record("acl:teeth", "On the nets of teeth", year=1950, authors=by("Eff")),
    ]
    store(settings.library, papers)
    return build_engine(settings)


@asynccontextmanager
async def bench_of(engine: Engine, home: Path) -> AsyncIterator[Bench]:
    app = LittermApp(engine, from_home(home), choose_glyphs(False, {}, None), raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=(100, 30)) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        await bench.press("escape")
        yield bench


async def command(bench: Bench, typed: str, *keys: str) -> None:
    await bench.press(":")
    bench.field("lookup").set_text(typed)
    await bench.press(*keys, "enter")


async def test_selected_papers_are_filed_shown_found_taken_out_and_undone(engine: Engine, home: Path) -> None:
    collections = engine.annotations.collections
    async with bench_of(engine, home) as bench:
        await bench.search("zebras")
        await bench.press("escape")
        await command(bench, "collect Thesis")
        assert bench.said[-1] == "No paper here."
        await bench.press("escape")
        await bench.search("nets")
        await bench.press("*")
        await command(bench, "collect Thesis/Methods")
        assert bench.said[-1] == "Filed under Thesis/Methods: 2 papers; u undoes it."
        await bench.press("escape", "0")
        home_lists = bench.screen.query_one("#home-lists", HomeSection)
        labels = [row.choice.label for row in home_lists.home_rows]
        assert home_lists.home_rows[labels.index("collection Thesis")].choice.detail == "2 papers"
        home_lists.focus()
        home_lists.go(labels.index("collection Thesis"))
        await bench.settle()
        await bench.press("enter")
        assert bench.context.query.field.text == "collection:Thesis"
        assert [row.paper.id for row in bench.context.results.state.rows] == [NETS, TEETH]
        await bench.press("enter")
        assert "in Thesis/Methods" in bench.shown()
        # The names that the paper is filed under are completed.
        await command(bench, "uncollect Th", "tab")
        assert bench.said[-1] == "Taken out of Thesis/Methods; u undoes it."
        assert set(collections.papers("Thesis")) == {NETS, TEETH} - {bench.context.reader.state.paper.id}  # type: ignore[union-attr]
        await bench.press("u", "u")
        assert collections.all() == ()


async def test_names_complete_and_unknown_ones_are_said(engine: Engine, home: Path) -> None:
    engine.annotations.collections.file([NETS], "Thesis/Methods")
    async with bench_of(engine, home) as bench:
        await bench.search("deep")
        assert "collection:Thesis/Methods" in [known.text for known in bench.context.query.completions]
        await bench.press(":")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, CommandDialog)
        assert dialog.complete("collect The") == "collect Thesis"
        assert [choice.label for choice in dialog.values("collect The")] == ["Thesis", "Thesis/Methods"]
        await bench.press("escape")
        await command(bench, "uncollect Nowhere")
        assert "There is no collection Nowhere." in bench.said[-1]
