"""`L`: a reading list is made, changed, walked and found again, over a real library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from libraries import store
from reading_lists import TOPIC, library

from litterm.assemble import build_engine
from litterm.engine import Engine
from litterm.settings import from_home
from litterm.tui.app import LittermApp
from litterm.tui.dialogs.pick import Pick
from litterm.tui.dialogs.tell import Tell
from litterm.tui.glyphs import UNICODE
from litterm.tui.reading_list.dialog import ReadingListDialog
from tui.harness import Bench


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    store(settings.library, library())
    return build_engine(settings)


@asynccontextmanager
async def listed(engine: Engine, home: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Bench]:
    """A workbench that shows a new list on `TOPIC`."""
    app = LittermApp(engine, from_home(home), UNICODE, loud=True)  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        await bench.press("escape", "L")
        bench.field("asked").put(TOPIC)
        await bench.press("enter")
        yield bench


def shown(bench: Bench) -> ReadingListDialog:
    dialog = bench.stage.dialogs[-1]
    assert isinstance(dialog, ReadingListDialog)
    return dialog


def ids(bench: Bench) -> list[str]:
    return [row.entry.paper.id for row in shown(bench).rows if row.entry is not None]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_list_stands_below_its_headings(engine: Engine, home: Path, size: tuple[int, int]) -> None:
    async with listed(engine, home, size) as bench:
        assert ids(bench)[0] == "acl:S1"
        assert "A Survey of Neural Parsing" in bench.shown()
        assert "Overviews" in bench.shown()
        current = shown(bench).current
        assert current is not None
        assert current.entry is not None


async def test_pinned_stays_and_dropped_stays_away_when_it_is_made_again(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        await bench.press("a")
        await bench.press("j", "j")
        gone = shown(bench).current
        assert gone is not None
        assert gone.entry is not None
        await bench.press("x")
        assert gone.entry.paper.id not in ids(bench)
        await bench.press(".")
        assert gone.entry.paper.id not in ids(bench)
        kept = engine.reading_lists.open("last")
        assert [entry.paper.id for entry in kept.entries if entry.pinned] == ["acl:S1"]


async def test_undo_takes_a_drop_back(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        before = ids(bench)
        await bench.press("x")
        assert ids(bench) != before
        await bench.press("u")
        assert ids(bench) == before


async def test_papers_move_and_get_notes_and_read_marks(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        await bench.press("G", "K")
        moved = engine.reading_lists.open("last")
        assert [entry.paper.id for entry in moved.entries] == ids(bench)
        await bench.press("m")
        bench.field("asked").put("the proof is in section 4")
        await bench.press("enter", "d", "d")
        await bench.until(lambda: "note: the proof is in section 4" in bench.shown())
        assert engine.reading_lists.all()[0].read == 1
        assert "1 read" in bench.shown()


async def test_a_heading_is_renamed(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        await bench.press("R")
        bench.field("asked").put("Begin here")
        await bench.press("enter")
        assert engine.reading_lists.open("last").sections[0].name == "Begin here"
        assert shown(bench).rows[0].section == "Begin here"


async def test_the_time_line_is_told(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        await bench.press("i")
        assert isinstance(bench.stage.dialogs[-1], Tell)
        assert "2012" in bench.shown()
        await bench.press("escape", "j")
        assert shown(bench).choices.has_focus


async def test_the_list_is_walked_from_the_paper_opened(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        order = ids(bench)
        await bench.press("enter")
        assert bench.stage.reader.state.paper is not None
        assert bench.stage.reader.state.paper.id == order[0]
        await bench.press(">")
        assert bench.stage.reader.state.paper.id == order[1]


async def test_a_list_is_found_again(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        before = ids(bench)
        await bench.press("escape", "L")
        assert isinstance(bench.stage.dialogs[-1], Pick)
        await bench.press("enter")
        assert ids(bench) == before
