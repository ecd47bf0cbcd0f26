"""Home, watches, projects and removal, over a real library."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from arxiv_server import collection
from fakes_web_server import page
from http_clients import serving
from libraries import by, record, store
from tui.harness import Bench

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.annotations import Session
from litterm.model.library import Parsed
from litterm.model.paper import PaperId, Provenance
from litterm.model.services import Scope
from litterm.tui.annotations.projects import ProjectList
from litterm.tui.app import LittermApp
from litterm.tui.home.layout import SECTIONS, SectionName
from litterm.tui.home.pane import HomeSection
from litterm.tui.widgets.glyphs import choose_glyphs

A, B = PaperId("acl:A"), PaperId("acl:B")


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    first = [record("A", "Zebras cross roads"), record("B", "Zebras sleep at night", authors=by("Doe, Jane"))]
    store(settings.library, first)
    engine = build_engine(settings)
    run(engine.saved_searches.add("zebras"))
    later = record("C", "Zebras are counted")
    came = Provenance("jsonl", "x", "2099-01-02T03:04:05Z")
    store(settings.library, [replace(later, paper=replace(later.paper, provenance=came))])
    engine.annotations.set_status(A, "reading")
    engine.annotations.save_session(Session(query="zebras"))
    return engine


@asynccontextmanager
async def bench_of(engine: Engine, home: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Bench]:
    app = LittermApp(
        engine, replace(from_home(home), network_notice=False), choose_glyphs(False, {}, None), raise_task_errors=True
    )  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        await bench.press("escape")
        yield bench


def section(bench: Bench, name: SectionName) -> HomeSection:
    return bench.screen.query_one(f"#home-{name}", HomeSection)


def rows(bench: Bench, name: SectionName) -> list[tuple[str, str, str]]:
    return [(row.choice.key, row.choice.label, row.choice.detail) for row in section(bench, name).home_rows]


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
        shape = bench.context.board.shape
        await bench.press("0")
        assert rows(bench, "new") == [("", "zebras", "1 new"), ("", "Zebras are counted", "2099-01-02")]
        assert rows(bench, "reading") == [("", "Zebras cross roads", "being read")]
        assert [label for _, label, _ in rows(bench, "decided")] == [
            "reading “Zebras cross roads”",
            "watched “zebras”",
        ]
        shown = bench.shown()
        for text in (
            "new in your watches",
            "1 new",
            "continue",
            "No jobs",
            "No subscriptions",
            "recent activity",
        ):
            assert text in shown
        assert all(len(line) == size[0] for line in shown.splitlines())
        await bench.press("0")
        assert (bench.context.board.shape, bench.context.focus) == (shape, "query")
        assert bench.screen.query_one("#home").region.height == 0


async def test_enter_opens_the_paper_and_a_watch_entered_is_no_longer_new(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        await go(bench, "new", "Zebras are counted")
        await bench.press("enter")
        assert bench.controllers.reader.paper is not None
        assert bench.controllers.reader.paper.id == "acl:C"
        await bench.press("0")
        await go(bench, "new", "zebras")
        await bench.press("enter")
        assert {row.paper.id for row in bench.context.results.state.rows} >= {A, B, "acl:C"}
        await bench.press("0")
        assert rows(bench, "new") == [("", "zebras", "nothing new")]


async def test_capital_w_watches_the_search(engine: Engine, home: Path) -> None:
    engine.saved_searches.forget("zebras")
    async with bench_of(engine, home) as bench:
        await bench.press("W")
        await bench.settle()
        assert engine.saved_searches.all() == ("zebras",)


async def test_a_project_begins_empty_and_the_first_one_comes_back_as_it_was(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("2", "enter")
        await bench.settle()
        left = bench.controllers.reader.paper
        bench.controllers.projects.switch_to("Review")
        await bench.settle()
        # Without a query the library is listed; nothing of the project one has left stands there.
        assert bench.context.query.field.text == ""
        assert bench.context.results.state.result_count >= bench.engine.status().papers
        assert (bench.controllers.reader.paper, bench.engine.annotations.project) == (None, "Review")
        bench.controllers.search.submit_query("sleep")
        await bench.settle()
        await bench.press("P")
        listed = bench.context.dialogs[-1]
        assert isinstance(listed, ProjectList)
        assert "default project" in bench.shown() and "●  Review" in bench.shown()
        await bench.press("k", "enter")
        assert bench.context.query.field.text == "zebras"
        assert bench.controllers.reader.paper == left
        bench.controllers.projects.switch_to("review")
        await bench.settle()
        assert bench.context.query.field.text == "sleep"


async def test_a_removed_paper_leaves_the_results_and_undo_brings_it_back(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("2")
        gone = bench.context.results.shown[0].paper.id
        bench.controllers.removal.remove()
        await bench.settle()
        assert gone not in {row.paper.id for row in bench.context.results.shown}
        await bench.press("u")
        await bench.settle()
        assert gone in {row.paper.id for row in bench.context.results.shown}


async def test_every_row_of_home_can_be_dropped_and_undo_brings_it_back(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        await go(bench, "new", "zebras")
        await bench.press("x")
        assert (rows(bench, "new"), engine.saved_searches.all()) == ([], ())
        assert "Nothing is watched." in bench.shown()
        await bench.press("u")
        assert [row[1] for row in rows(bench, "new")] == ["zebras", "Zebras are counted"]
        await go(bench, "reading", "Zebras cross roads")
        await bench.press("x")
        assert (rows(bench, "reading"), engine.annotations.notes(A).status) == ([], "")
        await bench.press("u")
        assert rows(bench, "reading") != []


async def test_a_long_title_leaves_room_for_other_rows(engine: Engine, home: Path) -> None:
    told = replace(record("D", f"Zebras in the rain {'of many seasons ' * 20}").paper, abstract="A. B. C. D.")
    store(from_home(home).library, [Parsed(told)])
    engine.annotations.save_session(Session(query="zebras", scroll=((told.id, 3),)))
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        lines = [line for line in bench.shown().splitlines() if "seasons" in line]
        # Under what is new, and under what is half read.
        assert len(lines) == 2 * 2
        assert ["…" in line for line in lines] == [False, True] * 2


async def test_a_paper_left_in_the_middle_stands_with_its_place(engine: Engine, home: Path) -> None:
    told = replace(record("D", "Zebras in the rain").paper, abstract="They wait. They wait long. They cross.")
    store(from_home(home).library, [Parsed(told)])
    engine.annotations.save_session(Session(query="zebras", scroll=((told.id, 3),)))
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        assert rows(bench, "reading")[0] == ("", "Zebras in the rain", "60%, Abstract")
        await go(bench, "reading", "in the rain")
        await bench.press("enter")
        bench.context.reader.jump(0)
        await bench.press("0")
        assert all("rain" not in row[1] for row in rows(bench, "reading")), "left at its beginning"
        await bench.press("0")
        bench.controllers.reader.positions[told.id] = 2, 2
        assert bench.controllers.reader.paper is not None
        assert (bench.controllers.reader.paper.id, bench.context.focus) == (told.id, "reader")


async def test_keys_and_mouse_move_between_the_sections_and_out(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        pane = bench.context.home
        assert pane is not None
        await bench.press("tab")
        assert pane.focus_on == "reading"
        await bench.press("k", "k")
        assert (pane.focus_on, section(bench, "new").cursor) == ("new", 0)
        await bench.press("j", "j")
        assert pane.focus_on == "reading"
        await bench.press("l")
        assert pane.focus_on in ("work", "kept", "decided")
        await bench.pilot.click("#home-decided", offset=(5, 2))
        await bench.settle()
        assert (pane.focus_on, section(bench, "decided").cursor) == ("decided", 1)
        await bench.press("i")
        assert "`:undo` goes back to it" in bench.shown()
        await bench.press("escape", "escape")
        assert bench.context.focus != "home"


async def test_home_at_any_size_draws_every_section_that_fits(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        for width, height in ((80, 24), (40, 12), (20, 5), (1, 1), (200, 60), (100, 30)):
            await bench.resize(width, height)
            for name in SECTIONS:
                region = section(bench, name).region
                assert region.right <= width and region.bottom <= height
        await bench.resize(20, 5)
        await bench.press("tab", "tab", "j")
        assert bench.context.home is not None
        assert section(bench, bench.context.home.focus_on).region.height > 0


async def test_the_sync_begins_from_home_and_what_is_new_stands_there(
    engine: Engine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as server:
        monkeypatch.setenv("LITTERM_SERVICES", server.url)
        server.on("/arxiv/api/query", collection(3))  # type: ignore[arg-type]
        engine = build_engine(from_home(home))
        run(engine.saved_searches.add("subject"))
        run(engine.services.sync("arxiv", Scope("cat:cs.CL")))
        server.on("/arxiv/api/query", collection(5))  # type: ignore[arg-type]
        async with bench_of(engine, home) as bench:
            await bench.press("0")
            assert rows(bench, "kept") == [("", "arxiv cat:cs.CL", "3 papers · just now")]
            await bench.press("+")
            assert rows(bench, "kept") == [("", "arxiv cat:cs.CL", "5 papers · just now")]
            assert ("", "subject", "5 new") in rows(bench, "new")
            assert any("2 added. 6 new in your watches" in said for said in bench.said)
            await go(bench, "kept", "arxiv")
            await bench.press("x")
            assert "Its 5 papers stay" in bench.shown()
            await bench.press("enter")
            assert (rows(bench, "kept"), engine.services.subscriptions()) == ([], ())


async def test_a_sync_that_ended_early_stands_with_its_cause_after_a_restart_and_is_gone_on_with(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as server:
        monkeypatch.setenv("LITTERM_SERVICES", server.url)
        server.on("/arxiv/api/query", page("", 503, retry_after="9999"))
        run(build_engine(from_home(home)).services.sync("arxiv", Scope("cat:cs.CL")))
        engine = build_engine(from_home(home))
        server.on("/arxiv/api/query", collection(3))  # type: ignore[arg-type]
        async with bench_of(engine, home) as bench:
            await bench.press("0")
            assert rows(bench, "reading") == [("unfinished", "arxiv cat:cs.CL", "0 papers · not begun")]
            assert "left alone" in "".join(section(bench, "reading").home_rows[0].choice.below)
            await go(bench, "reading", "arxiv")
            await bench.press(".")
            assert rows(bench, "reading") == []
            assert rows(bench, "kept") == [("", "arxiv cat:cs.CL", "3 papers · just now")]


async def test_projects_are_begun_renamed_and_deleted_from_their_list(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("P", "+")
        bench.field("asked").set_text("Review")
        await bench.press("enter")
        assert engine.annotations.projects.current == "Review"
        assert bench.shown().splitlines()[0].startswith(" litterm  Review · ")
        engine.annotations.star(A, True)
        await bench.press("escape", "P", "m")
        bench.field("asked").set_text("Thesis")
        await bench.press("enter")
        assert bench.shown().splitlines()[0].startswith(" litterm  Thesis · ")
        await bench.press("P")
        assert "1 starred" in bench.shown() and "1 watch" in bench.shown()
        await bench.press("x")
        assert "Delete the project “Thesis” (1 starred)?" in bench.shown()
        await bench.press("enter")
        assert (engine.annotations.projects.all(), engine.annotations.project) == (("",), "")
        await bench.press("escape", "u")
        assert engine.annotations.projects.all() == ("", "Thesis")
        await bench.press("P", "g", "x")
        assert any("cannot be deleted" in said for said in bench.said)


async def test_the_last_project_is_the_one_to_begin_in(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        bench.controllers.projects.switch_to("Review")
        bench.controllers.search.submit_query("sleep")
        await bench.settle()
        bench.controllers.session.save()
    async with bench_of(build_engine(from_home(home)), home) as bench:
        assert bench.engine.annotations.project == "Review"
        assert bench.context.query.field.text == "sleep"
        assert "Review" in bench.shown().splitlines()[0]
    chosen = build_engine(from_home(home))
    chosen.annotations.projects.use("Other")
    async with bench_of(chosen, home) as bench:
        assert bench.engine.annotations.project == "Other"


async def test_a_click_on_a_line_without_keys_leaves_them_to_the_pane(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.search("zebras")
        await bench.pilot.click("#status")
        await bench.settle()
        assert bench.screen.focused is bench.context.results
        await bench.press("j")
        assert bench.context.results.cursor == 1


async def test_only_the_section_with_the_focus_shows_its_cursor(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        await go(bench, "new", "Zebras")
        shown = {each.has_focus: each.background_role(each.cursor, True) for each in bench.screen.query(HomeSection)}
        assert shown == {True: "cursor", False: ""}


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_home_counts_the_users_lists_and_enter_shows_one(
    engine: Engine, home: Path, size: tuple[int, int]
) -> None:
    annotations = engine.annotations
    annotations.set_status(B, "to read")
    annotations.star(A, True)
    annotations.tag(A, ("to read", "Deep Parsing"))
    annotations.tag(B, ("deep parsing",))
    annotations.note(B, "asleep")
    async with bench_of(engine, home, size) as bench:
        await bench.press("0")
        assert rows(bench, "lists") == [
            ("", "to read", "1 paper"),
            ("", "reading", "1 paper"),
            ("", "starred", "1 paper"),
            ("", "with a note", "1 paper"),
            ("", "#deep parsing", "2 papers"),
            ("", "#to read", "1 paper"),
        ]
        for label, papers in (("to read", {B}), ("#to read", {A}), ("#deep parsing", {A, B}), ("with a note", {B})):
            await go(bench, "lists", label)
            assert rows(bench, "lists")[section(bench, "lists").cursor][1] == label
            await bench.press("enter")
            await bench.until(lambda papers=papers: {row.paper.id for row in bench.context.results.shown} == papers)
            await bench.press("0")


async def test_a_list_at_home_is_not_dropped(engine: Engine, home: Path) -> None:
    async with bench_of(engine, home) as bench:
        await bench.press("0")
        await go(bench, "lists", "reading")
        await bench.press("x")
        assert engine.annotations.notes(A).status == "reading"
        assert "as long as it has papers" in bench.said[-1]
