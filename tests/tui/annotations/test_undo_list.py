"""The list of changes (`:undo`): what it shows, and undoing or redoing up to a change, over a real library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from libraries import by, record, store
from tui.harness import Bench

from litterm.build import build_engine
from litterm.core.errors import LibraryError
from litterm.core.settings import from_home
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.annotations import PaperNotes
from litterm.model.overview import UndoStep
from litterm.model.paper import PaperId
from litterm.tui.annotations.undo_list import UndoListDialog
from litterm.tui.app import LittermApp
from litterm.tui.widgets.glyphs import choose_glyphs

NETS, TEETH = PaperId("acl:nets"), PaperId("acl:teeth")


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    papers = [
        record("acl:nets", "Deep nets are nice to have", abstract="Nets with layers.", year=2019, authors=by("Bee")),
        record("acl:teeth", "On the alignment of teeth", year=1950, authors=by("Eff")),
    ]
    store(settings.library, papers)
    engine = build_engine(settings)
    engine.annotations.star(NETS, True)
    engine.annotations.tag(TEETH, ("old",))
    engine.annotations.screen(NETS, "included")
    return engine


@asynccontextmanager
async def bench_of(engine: Engine, home: Path) -> AsyncIterator[Bench]:
    app = LittermApp(engine, from_home(home), choose_glyphs(False, {}, None), raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=(100, 30)) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        await bench.press("escape")
        yield bench


async def open_list(bench: Bench) -> UndoListDialog:
    await bench.press(":")
    bench.field("lookup").set_text("undo")
    await bench.press("enter")
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, UndoListDialog)
    return dialog


async def test_changes_are_listed_with_titles_and_times_and_undone_up_to_the_one_entered(
    engine: Engine, home: Path
) -> None:
    async with bench_of(engine, home) as bench:
        dialog = await open_list(bench)
        assert [step.sentence for step in dialog.steps] == [
            "included “Deep nets are nice to have”",
            "tagged “On the alignment of teeth”: old",
            "starred “Deep nets are nice to have”",
        ]
        assert "just now" in bench.shown()
        await bench.press("j", "enter")
        assert bench.said[-1] == "Undone: 2 changes."
        assert engine.annotations.notes(TEETH).tags == ()
        assert engine.annotations.notes(NETS) == PaperNotes(starred=True)


async def test_an_undone_change_is_marked_and_brought_back_with_those_before_it(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("u", "u")
        dialog = await open_list(bench)
        # The cursor is on what `u` would undo next.
        assert [step.undone for step in dialog.steps] == [True, True, False]
        assert dialog.choices.cursor == 2
        await bench.until(lambda: bench.shown().count("undone ") >= 2)
        await bench.press("k", "enter")
        assert engine.annotations.notes(TEETH).tags == ("old",)
        assert engine.annotations.notes(NETS).screening is None


async def test_leaving_the_list_changes_nothing(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await open_list(bench)
        await bench.press("escape")
        assert not bench.context.dialogs
        assert engine.annotations.notes(NETS) == PaperNotes("included", True)
        assert bench.said == []


async def test_with_no_change_the_list_says_so(home: Path) -> None:
    async with bench_of(build_engine(from_home(home)), home) as bench:
        await open_list(bench)
        assert "Nothing to undo." in bench.shown()
        await bench.press("enter")
        assert isinstance(bench.context.dialogs[-1], UndoListDialog)


async def test_an_error_is_shown_without_what_a_terminal_acts_on(
    engine: Engine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_engine: Engine) -> Task[tuple[UndoStep, ...]]:
        raise LibraryError("The journal \x1b]0;owned\x07 cannot be read.")
        yield

    monkeypatch.setattr(Engine, "undo_steps", fail)
    async with bench_of(engine, home) as bench:
        await open_list(bench)
        await bench.settle()
        assert "cannot be read." in bench.shown()
        assert "\x1b" not in bench.shown() and "\x07" not in bench.shown()
