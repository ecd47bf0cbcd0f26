"""Records that may be one paper, and where a topic comes from: asked for by name, over a real library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from graphs import TITLES, citing, written
from libraries import by, record, store
from tui.harness import Bench

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.engine import Engine
from litterm.model.paper import PaperId
from litterm.tui.app import LittermApp
from litterm.tui.dialogs.choose import ChoiceDialog
from litterm.tui.library.duplicates import DuplicatesDialog
from litterm.tui.widgets.glyphs import choose_glyphs

TITLE = "Deep nets are nice to have"


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    papers = [
        record("acl:full", TITLE, abstract="Nets with many layers.", year=2019, authors=by("Bee")),
        record("arxiv:1901.00001", TITLE, year=2015, authors=by("Dee")),
        record("acl:old", "On the alignment of teeth", year=1950, authors=by("Eff")),
        written("A"),
        citing("C", ["Sentence alignment was first proposed in [1]."], "A"),
    ]
    store(settings.library, papers)
    return build_engine(settings)


@asynccontextmanager
async def bench_of(engine: Engine, home: Path) -> AsyncIterator[Bench]:
    app = LittermApp(engine, from_home(home), choose_glyphs(False, {}, None), raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=(120, 40)) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        await bench.press("escape")
        yield bench


async def command(bench: Bench, text: str) -> None:
    await bench.press(":")
    bench.field("lookup").set_text(text)
    await bench.press("enter")


async def test_a_pair_is_merged_kept_apart_and_taken_back(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.search("nets")
        await bench.press("escape")
        await command(bench, "duplicates")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, DuplicatesDialog)
        assert "acl:full" in bench.shown() and "arxiv:1901.00001" in bench.shown()
        await bench.press("a")
        assert engine.paper("arxiv:1901.00001").id == "acl:full"
        assert "No possible duplicates." in bench.shown()
        assert [row.paper.title for row in bench.context.results.state.rows].count(TITLE) == 1
        await bench.press("u")
        assert len(dialog.doubts) == 1
        await bench.press("x")
        assert (engine.record_curation.doubts(), engine.paper("arxiv:1901.00001").id) == ((), "arxiv:1901.00001")
        await bench.press("u")
        await bench.press("enter")
        assert bench.context.reader.state.paper is not None


async def test_first_lists_who_is_named_the_origin_and_opens_it(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await command(bench, "first alignment")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, ChoiceDialog)
        shown = bench.shown()
        assert "the one named as the origin, then" in shown and "the oldest." in shown
        assert "acl:C, 2010: Sentence alignment was first proposed in [1]." in shown
        assert shown.index(TITLES["A"]) < shown.index("On the alignment of teeth")
        await bench.press("enter")
        assert bench.context.reader.state.paper is not None
        assert bench.context.reader.state.paper.id == PaperId("acl:A")


async def test_first_without_a_topic_needs_a_query(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        bench.context.query.fill("")
        bench.controllers.first_papers.ask("")
        bench.controllers.first_papers.ask("zebra")
        await bench.settle()
        assert any("Give a topic" in said for said in bench.said)
        assert any("No paper here is about “zebra”." in said for said in bench.said)
