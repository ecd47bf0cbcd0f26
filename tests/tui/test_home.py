"""Home, watches, projects and removal, over a real library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import by, record, store

from litterm.assemble import build_engine
from litterm.engine import Engine
from litterm.model.desk import Session
from litterm.model.paper import PaperId, Provenance
from litterm.settings import from_home
from litterm.tasks import run
from litterm.tui.app import LittermApp
from litterm.tui.dialogs.projects import ProjectList
from litterm.tui.glyphs import choose
from litterm.tui.home.pane import Section
from litterm.tui.home.places import SectionName
from tui.harness import Bench

A, B = PaperId("acl:A"), PaperId("acl:B")


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    first = [record("A", "Zebras cross roads"), record("B", "Zebras sleep at night", authors=by("Doe, Jane"))]
    store(settings.library, first)
    engine = build_engine(settings)
    run(engine.watching.add("zebras"))
    later = record("C", "Zebras are counted")
    came = Provenance("jsonl", "x", "2099-01-02T03:04:05Z")
    store(settings.library, [replace(later, paper=replace(later.paper, provenance=came))])
    engine.desk.set_status(A, "reading")
    engine.desk.save_session(Session(query="zebras"))
    return engine


@asynccontextmanager
async def bench_of(engine: Engine, home: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Bench]:
    app = LittermApp(engine, from_home(home), choose(False, {}, None), loud=True)  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        await bench.press("escape")
        yield bench


def section(bench: Bench, name: SectionName) -> Section:
    return bench.screen.query_one(f"#home-{name}", Section)


def rows(bench: Bench, name: SectionName) -> list[tuple[str, str, str]]:
    return [(row.choice.key, row.choice.label, row.choice.detail) for row in section(bench, name).things]


async def go(bench: Bench, name: SectionName, label: str) -> None:
    """The cursor of home on a row."""
    at = next(at for at, row in enumerate(rows(bench, name)) if label in row[1])
    section(bench, name).focus()
    section(bench, name).go(at)
    await bench.settle()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_home_shows_what_is_new_half_read_and_decided_and_goes_away_again(
    engine: Engine, home: Path, size: tuple[int, int]
) -> None:
    async with bench_of(engine, home, size) as bench:
        shape = bench.stage.board.shape
        await bench.press("0")
        assert rows(bench, "new") == [("", "zebras", "1 new"), ("", "Zebras are counted", "2099-01-02")]
        assert rows(bench, "reading") == [("", "Zebras cross roads", "being read")]
        assert [label for _, label, _ in rows(bench, "decided")] == [
            "reading “Zebras cross roads”",
            "watched “zebras”",
        ]
        shown = bench.shown()
        for text in ("new in your watches", "1 new", "half read", "Nothing runs", "Nothing is kept in step", "decided"):
            assert text in shown
        assert all(len(line) == size[0] for line in shown.splitlines())
        await bench.press("0")
        assert (bench.stage.board.shape, bench.stage.focus) == (shape, "query")
        assert bench.screen.query_one("#home").region.height == 0


async def test_enter_opens_the_paper_and_a_watch_entered_is_no_longer_new(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        await go(bench, "new", "Zebras are counted")
        await bench.press("enter")
        assert bench.crew.reading.paper is not None
        assert bench.crew.reading.paper.id == "acl:C"
        await bench.press("0")
        await go(bench, "new", "zebras")
        await bench.press("enter")
        assert {row.paper.id for row in bench.stage.results.state.rows} >= {A, B, "acl:C"}
        await bench.press("0")
        assert rows(bench, "new") == [("", "zebras", "nothing new")]


async def test_capital_w_watches_the_search(engine: Engine, home: Path) -> None:
    engine.watching.forget("zebras")
    async with bench_of(engine, home) as bench:
        await bench.press("W")
        await bench.settle()
        assert engine.watching.all() == ("zebras",)


async def test_a_project_begins_empty_and_the_first_one_comes_back_as_it_was(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("2", "enter")
        await bench.settle()
        left = bench.crew.reading.paper
        bench.crew.switching.use("Review")
        await bench.settle()
        assert (bench.stage.query.field.text, bench.stage.results.state.rows) == ("", ())
        assert bench.stage.results.state.hint == ()
        assert (bench.crew.reading.paper, bench.engine.desk.project) == (None, "Review")
        bench.crew.searching.asked("sleep")
        await bench.settle()
        await bench.press("P")
        listed = bench.stage.dialogs[-1]
        assert isinstance(listed, ProjectList)
        assert "the first project" in bench.shown() and "here  Review" in bench.shown()
        await bench.press("k", "enter")
        assert bench.stage.query.field.text == "zebras"
        assert bench.crew.reading.paper == left
        bench.crew.switching.use("review")
        await bench.settle()
        assert bench.stage.query.field.text == "sleep"


async def test_a_removed_paper_leaves_the_results_and_undo_brings_it_back(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("2")
        gone = bench.stage.results.shown[0].paper.id
        bench.crew.removing.remove()
        await bench.settle()
        assert gone not in {row.paper.id for row in bench.stage.results.shown}
        await bench.press("u")
        await bench.settle()
        assert gone in {row.paper.id for row in bench.stage.results.shown}
