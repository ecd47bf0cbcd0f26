"""`L`: a reading list is made, changed, walked and found again, over a real library."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, local_ports, says
from libraries import store
from reading_lists import TOPIC, library
from tui.harness import Bench

from litterm import build_engine, load_settings
from litterm.core.settings import Settings, from_home
from litterm.core.settings.config_file import write_settings
from litterm.engine import Engine
from litterm.model.citations.citation_counts import CountAnswer
from litterm.model.paper import PaperId
from litterm.tui.app import LittermApp
from litterm.tui.dialogs.choose import ChoiceDialog
from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.home.pane import HomeSection
from litterm.tui.reading_lists.controller import ReadingListDialog
from litterm.tui.tour.controller import TOUR_PROJECT
from litterm.tui.widgets.glyphs import UNICODE


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    store(settings.library, library())
    return build_engine(settings)


@asynccontextmanager
async def listed(
    engine: Engine, home: Path, size: tuple[int, int] = (80, 24), *, settings: Settings | None = None
) -> AsyncIterator[Bench]:
    """A workbench that shows a new list on `TOPIC`."""
    app = LittermApp(engine, settings or from_home(home), UNICODE, raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        await bench.press("escape", "L")
        bench.field("asked").set_text(TOPIC)
        await bench.press("enter")
        yield bench


async def test_in_the_tour_it_is_made_of_the_starter_library(engine: Engine, home: Path) -> None:
    own = {parsed.paper.id for parsed in library()}
    engine.annotations.projects.use(TOUR_PROJECT)
    async with listed(engine, home) as bench:
        assert ids(bench)
        assert not own & set(ids(bench))
        await bench.press(".")
        assert not own & set(ids(bench))


def shown(bench: Bench) -> ReadingListDialog:
    dialog = bench.context.dialogs[-1]
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
        bench.field("asked").set_text("the proof is in section 4")
        await bench.press("enter", "d", "d", "d")
        await bench.until(lambda: "note: the proof is in section 4" in bench.shown())
        assert engine.reading_lists.all()[0].read == 1
        assert "1 read" in bench.shown()


async def test_a_heading_is_renamed(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        await bench.press("R")
        bench.field("asked").set_text("Begin here")
        await bench.press("enter")
        assert engine.reading_lists.open("last").sections[0].name == "Begin here"
        assert shown(bench).rows[0].section == "Begin here"


async def test_the_time_line_has_titles_and_bars_and_leads_back_to_the_list(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        await bench.press("i")
        opened = bench.context.dialogs[-1]
        assert isinstance(opened, ChoiceDialog)
        years = [int(choice.key[:4]) for choice in opened.choices._choices if choice.key[:4].strip()]
        assert len(years) > 2 and years == sorted(set(years)), "each year once"
        assert UNICODE.levels[-1] in bench.shown() and opened.chart
        title = opened.choices._choices[-1].label
        await bench.press("G", "enter")
        current = bench.context.dialogs[-1]
        assert isinstance(current, ReadingListDialog)
        assert current.current is not None and current.current.entry is not None
        assert current.current.entry.paper.title == title


async def test_the_list_is_walked_from_the_paper_opened(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        order = ids(bench)
        await bench.press("enter")
        assert bench.context.reader.state.paper is not None
        assert bench.context.reader.state.paper.id == order[0]
        await bench.press(">")
        assert bench.context.reader.state.paper.id == order[1]


async def test_the_papers_of_an_opened_list_come_with_their_citation_counts(engine: Engine, home: Path) -> None:
    engine.counts.store.put([CountAnswer(PaperId("acl:S1"), "s2", "2026-11-01", 321)])
    async with listed(engine, home) as bench:
        await bench.press("enter")
        row = next(row for row in bench.context.results.state.rows if row.paper.id == "acl:S1")
        assert row.cited is not None
        assert [each.count for each in row.cited.services] == [321]


async def test_the_topic_offered_is_the_words_of_the_query(engine: Engine, home: Path) -> None:
    app = LittermApp(engine, from_home(home), UNICODE, raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.search(f"{TOPIC} year:2001.. -venue:acl")
        await bench.press("escape", "L")
        assert bench.field("asked").text == TOPIC


async def test_a_list_is_found_again(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        before = ids(bench)
        await bench.press("escape", "L")
        assert isinstance(bench.context.dialogs[-1], ChoiceDialog)
        await bench.press("enter")
        assert ids(bench) == before


@asynccontextmanager
async def with_model(home: Path, server: ModelServer) -> AsyncIterator[Bench]:
    """A workbench that shows a list made without a model, where one is set up."""
    write_settings(home / "config.toml", {"model.base_url": server.url, "model.model": "tiny-1"})
    settings = load_settings({}, os.environ)
    store(settings.library, library())
    engine = build_engine(settings)
    async with listed(engine, home, settings=settings) as bench:
        yield bench


async def test_a_model_makes_the_list_once_the_user_agrees(home: Path, model_server: ModelServer) -> None:
    model_server.script(
        says(json.dumps({"thoughts": "", "papers": [{"number": 5, "heading": "", "why": "it says so"}]}))
    )
    async with with_model(home, model_server) as bench:
        assert not model_server.asked
        await bench.press("M")
        assert isinstance(bench.context.dialogs[-1], LlmConsentDialog)
        assert not model_server.asked
        await bench.press("enter")
        await bench.until(lambda: "it says so" in bench.shown())
        assert model_server.asked
        assert bench.engine.reading_lists.open("last").by == "tiny-1"


async def test_staying_local_leaves_the_list_as_it_was(home: Path, model_server: ModelServer) -> None:
    async with with_model(home, model_server) as bench:
        before = ids(bench)
        await bench.press("M")
        await bench.press("escape")
        assert ids(bench) == before
        await bench.press("M")
        await bench.press("d")
        await bench.until(lambda: "nothing was sent" in bench.shown())
        assert not model_server.asked


async def test_without_a_model_it_is_said(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        await bench.press("M")
        assert isinstance(bench.context.dialogs[-1], ReadingListDialog)
        assert any("model" in said for said in bench.said)


async def test_a_model_that_runs_here_is_offered_where_none_is_set(
    engine: Engine, home: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_ports(monkeypatch, model_server.port)
    model_server.brain = lambda asked: says(
        json.dumps({"sum": 5} if "sum" in str(asked.body["response_format"]) else {"thoughts": "", "papers": []})
    )
    async with listed(engine, home) as bench:
        await bench.press("M")
        offer = bench.context.dialogs[-1]
        assert isinstance(offer, ChoiceDialog)
        assert "tiny-1" in bench.shown()
        assert not model_server.chats
        await bench.press("escape")
        assert isinstance(bench.context.dialogs[-1], ReadingListDialog)
        assert not (home / "config.toml").exists()
        await bench.press("M")
        await bench.press("enter")
        consent = bench.context.dialogs[-1]
        assert isinstance(consent, LlmConsentDialog)
        assert "127.0.0.1" in consent.paragraphs[0]
        assert bench.context.settings.model.model == "tiny-1"
        assert load_settings({}, os.environ).model.model == "tiny-1"
        # Only the test of the model: the list waits for consent.
        assert len(model_server.chats) == 1
        await bench.press("escape", "M")
        assert isinstance(bench.context.dialogs[-1], LlmConsentDialog)


async def test_a_half_read_list_waits_at_home(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        await bench.press("d", "d", "d", "escape", "0")
        reading = bench.screen.query_one("#home-reading", HomeSection)
        first = reading.home_rows[0].choice
        assert (first.label, first.detail) == (f"reading list: {TOPIC}", "1 of 11 papers read")
        reading.focus()
        reading.go(0)
        await bench.press("enter")
        assert shown(bench).rows


async def test_on_a_heading_keys_of_papers_say_so(engine: Engine, home: Path) -> None:
    async with listed(engine, home) as bench:
        headings = [at for at, row in enumerate(shown(bench).rows) if row.entry is None]
        shown(bench).choices.go(headings[0])
        await bench.press("d")
        assert bench.said[-1] == "This is a heading: j goes on to its papers."
