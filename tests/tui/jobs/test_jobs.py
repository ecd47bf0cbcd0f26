"""Jobs as the screen tells them: the status line, the list that follows them, and what can be done there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import monotonic

import pytest
from arxiv_server import feed
from fakes_web_server import Asked, Page, WebServer, as_json, page
from tui.engines import SmallEngine
from tui.harness import Bench, Start
from zotero_databases import ZoteroDatabase

from litterm.build import build_engine
from litterm.core.errors import DiskFull
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import Task, run
from litterm.model.events import Progress, WaitingForServer
from litterm.model.library import ImportReport
from litterm.model.services import Scope
from litterm.text.terminal_width import width_of
from litterm.tui.home.jobs import JobsDialog
from litterm.tui.jobs import background_tasks
from litterm.tui.jobs.background_tasks import count_only
from litterm.tui.jobs.job_text import status_words
from litterm.tui.jobs.queue import LANES, JobOrder, JobReport
from litterm.tui.messages import download_words
from litterm.tui.state import Job
from litterm.tui.widgets.glyphs import ASCII, UNICODE

STOPS = "ctrl+c stops"
TUI = Path(background_tasks.__file__).parent.parent


@pytest.fixture
def settings(home: Path) -> Settings:
    return replace(from_home(home), starter=False, network_notice=False)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("room", range(28, 120, 7))
def test_the_key_that_stops_a_job_is_never_cut_and_the_rest_goes_by_its_weight(room: int, glyphs: object) -> None:
    job = Job("sync", "sync arxiv " + "long query " * 9, "waiting for arXiv", 400, 3000, 44.0, 25.0, since=monotonic())
    told = status_words(job, 2, room, glyphs)  # type: ignore[arg-type]
    assert told.endswith(STOPS)
    assert width_of(told) <= room
    assert ("400/3,000" in told) == (room >= 28)


def test_what_fits_is_said_in_this_order() -> None:
    job = Job("sync", "sync arxiv", "waiting for arXiv", 400, 3000, 44.0, 25.0, since=monotonic())
    assert [status_words(job, 0, room, UNICODE) for room in (90, 64, 46, 40, 20)] == [
        "sync arxiv: waiting for arXiv 400/3,000, 25/s, 44 s left · ctrl+c stops",
        "sync arxiv 400/3,000, 25/s, 44 s left · ctrl+c stops",
        "sync arxiv 400/3,000, 44 s left · ctrl+c stops",
        "sync arxiv 400/3,000 · ctrl+c stops",
        "sync… · ctrl+c stops",
    ]
    asked = replace(job, step="arXiv asked to wait: too many requests in a short time", wait_s=17.0, left_s=0.0)
    assert status_words(asked, 0, 70, UNICODE) == "sync arxiv: waits 17 s 400/3,000, 25/s · ctrl+c stops"


async def test_the_pace_counts_from_where_this_run_began(start: Start) -> None:
    async with start() as bench:
        work = bench.context.work
        job = Job("sync", "sync", since=monotonic())
        first = work._with_progress(job, Progress("sync arxiv", 5000, 6000))
        assert (first.done, first.rate, first.left_s) == (5000, 0.0, 0.0)
        work._starts["sync"].started_s -= 10
        later = work._with_progress(first, Progress("sync arxiv", 5100, 6000))
        assert later.left_s == pytest.approx(900 / later.rate)
        waiting = work._with_progress(later, WaitingForServer("arXiv asked to wait", 20.0))
        assert (waiting.done, waiting.total, waiting.left_s, waiting.wait_s) == (5100, 6000, 0.0, 20.0)


def test_a_total_that_is_a_guess_is_told_as_a_share_and_the_clock_only_where_no_time_left_is_known() -> None:
    since = monotonic() - 60
    guessed = Job("add", "adding acl", "importing papers", 400, 3000, 44.0, 25.0, since=since, estimated=True)
    assert (
        status_words(guessed, 0, 90, UNICODE)
        == "adding acl: importing papers 400 (13%), 25/s, 44 s left · ctrl+c stops"
    )
    unknown = replace(guessed, left_s=0.0)
    assert status_words(unknown, 0, 90, UNICODE) == "adding acl: importing papers, 60 s 400 (13%), 25/s · ctrl+c stops"


def test_bytes_are_told_where_they_make_a_figure() -> None:
    told = [
        download_words(Progress("from NCBI", *each, "bytes")) for each in ((900, 4000), (0, 25 << 20), (3 << 20, 0))
    ]
    assert told == ["from NCBI", "from NCBI, 0.0/25.0 MB", "from NCBI, 3.0 MB"]


def rows(bench: Bench) -> list[tuple[str, str, str]]:
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, JobsDialog)
    return [(row.choice.key, row.choice.label, row.choice.detail) for row in dialog.job_rows]


def half_silent(asked: Asked) -> Page:
    """The first page at once, the second never."""
    return page(feed(range(100), 300)) if asked.one("start") == "0" else Page(silent=True)


async def test_the_list_follows_a_job_and_stops_it(start: Start, settings: Settings, server: WebServer) -> None:
    server.on("/arxiv/api/query", half_silent)
    async with start(build_engine(settings), settings=settings, size=(80, 24)) as bench:
        await bench.press("escape", "!")
        assert "No jobs running, and nothing failed." in bench.shown()
        bench.controllers.sync.sync_source("arxiv cat:cs.CL")
        await bench.until(lambda: any(job.done == 100 and "waiting" in job.step for job in bench.context.work.jobs))
        assert rows(bench)[0][:2] == ("running", "sync arxiv cat:cs.CL")
        # What a job has come to is drawn with the next frame.
        await bench.until(lambda: rows(bench)[0][2].startswith("100/300"))
        await bench.until(lambda: "waiting for 127.0.0.1" in bench.shown())
        assert "Nothing runs" not in bench.shown()
        assert bench.shown().splitlines()[0].rstrip().endswith(STOPS)
        await bench.press("g", "x")
        assert not bench.context.work.jobs
        assert [row[:2] for row in rows(bench)] == [("unfinished", "arxiv cat:cs.CL")], "it can be gone on with"
        assert "Nothing runs" not in bench.shown()
        assert bench.context.dialogs, "the list stays"


async def test_one_failure_is_retried_or_dismissed_where_it_stands(
    start: Start, settings: Settings, server: WebServer
) -> None:
    for name in ("one", "two"):
        server.on(f"/crossref/works/10.1000%2F{name}", page("", 503, retry_after="9999"))
    server.on("/s2/paper/batch", page("", 503, retry_after="9999"))
    engine = build_engine(settings)
    run(engine.services.obtain(("10.1000/one", "10.1000/two")))
    assert len(engine.failures()) == 2
    async with start(engine, settings=settings, size=(120, 40)) as bench:
        server.on("/s2/paper/batch", as_json([None]))
        told = {"message": {"DOI": "10.1000/two", "title": ["Two is here"]}}
        server.on("/crossref/works/10.1000%2Ftwo", as_json(told))
        await bench.press("escape", "!")
        at = next(at for at, row in enumerate(rows(bench)) if row[1] == "10.1000/two")
        await bench.press("g", *["j"] * at, ".")
        assert [failure.origin for failure in engine.failures()] == ["10.1000/one"]
        assert "Two is here" in bench.shown()
        at = next(at for at, row in enumerate(rows(bench)) if row[1] == "10.1000/one")
        await bench.press("g", *["j"] * at, "x")
        assert engine.failures() == ()


async def test_one_sync_at_a_time_and_the_next_waits_for_it(
    start: Start, settings: Settings, server: WebServer
) -> None:
    server.on("/arxiv/api/query", half_silent)
    engine = build_engine(settings)
    async with start(engine, settings=settings) as bench:
        bench.controllers.sync.sync_source("arxiv cat:cs.CL")
        bench.controllers.sync.sync_source("arxiv cat:cs.AI")
        bench.controllers.sync.sync_source("arxiv cat:cs.AI")
        await bench.tap("escape")
        assert "sync arxiv cat:cs.AI waits for “sync arxiv cat:cs.CL”; ! lists both." in bench.said
        assert "sync arxiv cat:cs.AI is already running; ! lists the jobs." in bench.said
        assert [job.what for job in bench.context.work.jobs if job.lane == "sync"] == ["sync arxiv cat:cs.CL"]
        server.on("/arxiv/api/query", page(feed(range(3), 3)))
        await bench.press("ctrl+c")
    assert {each.scope for each in engine.services.subscriptions()} >= {Scope("cat:cs.AI")}


def nothing_to_do() -> Task[None]:
    yield Progress("nothing", 0, 1)


async def test_a_job_stopped_before_its_thread_begins_keeps_no_other_waiting(start: Start) -> None:
    async with start(SmallEngine()) as bench:
        done: list[str] = []

        def add(what: str) -> None:
            def report(_: object) -> JobReport:
                done.append(what)
                return JobReport(what)

            bench.context.queue.add(JobOrder("fetch", what, nothing_to_do, report))

        add("one")
        # At once: the event loop has not had its turn since, and so no thread runs it.
        bench.context.work.cancel("fetch")
        add("two")
        await bench.settle()
        assert done == ["two"]
        assert [(row.what, row.state) for row in bench.context.queue.rows] == [("one", "unfinished"), ("two", "done")]


class Slow(SmallEngine):
    """Imports that say which paths they were given, and wait at a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.added: list[str] = []
        self.failing: dict[str, DiskFull] = {}

    def add(self, paths: Sequence[Path], *, retry: bool = False) -> Task[ImportReport]:
        self.added.append(paths[0].name)
        if paths[0].name in self.failing:
            raise self.failing[paths[0].name]
        return (yield from super().add(paths, retry=retry))


def states(bench: Bench) -> list[tuple[str, str]]:
    """Job rows of the list: state and name."""
    return [(key, label) for key, label, _ in rows(bench) if label.startswith("adding ")]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    places = tmp_path / "one", tmp_path / "two", tmp_path / "three"
    for place in places:
        place.mkdir()
    return places


async def test_a_second_import_waits_for_the_first_and_both_arrive(
    start: Start, settings: Settings, folders: tuple[Path, ...]
) -> None:
    engine = build_engine(settings)
    for place, title in zip(folders, ("Zebras of the north", "Lions of the south", "Foxes"), strict=True):
        (place / "a.bib").write_text(f"@article{{a, title={{{title}}}, year=2020}}")
    async with start(engine, settings=settings) as bench:
        for place in folders:
            bench.controllers.imports.add(str(place))
        assert len([job for job in bench.context.work.jobs if job.lane == "add"]) == 1
        await bench.press("escape", "!")
        assert states(bench) == [("done", f"adding {name}") for name in ("three", "two", "one")]
        assert "1 added" in bench.shown()
    assert engine.status().papers == 3


async def test_the_word_zotero_adds_the_users_library_or_says_where_it_was_looked_for(
    start: Start, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    engine = build_engine(settings)
    async with start(engine, settings=settings) as bench:
        bench.controllers.imports.add("zotero")
        await bench.settle()
        assert f"no database of Zotero in {tmp_path}" in bench.said[-1]
        database = ZoteroDatabase(tmp_path / "Zotero" / "zotero.sqlite")
        database.add_item(title="Zebras of the north")
        bench.controllers.imports.add("zotero")
        await bench.press("escape", "!")
        assert states(bench) == [("done", "adding zotero.sqlite")]
    assert engine.status().papers == 1


async def test_jobs_wait_are_stopped_and_gone_on_with(start: Start, folders: tuple[Path, ...]) -> None:
    engine = Slow()
    gate = engine.gate("add")
    async with start(engine) as bench:
        for place in folders:
            bench.controllers.imports.add(str(place))
        await bench.tap("escape")
        await bench.tap("!")
        assert states(bench) == [("running", "adding one"), ("waiting", "adding two"), ("waiting", "adding three")]
        # On a busy machine its thread may not have begun yet, and would be stopped before it did.
        await bench.until(lambda: engine.added == ["one"])
        await bench.tap("g")
        await bench.tap("x")
        # The thread of the first has still to end; nothing else writes before.
        assert ("unfinished", "adding one") in states(bench)
        gate.set()
        await bench.settle()
        assert engine.added == ["one", "two", "three"]
        assert ("unfinished", "adding one") in states(bench)
        assert ("done", "adding two") in states(bench) and ("done", "adding three") in states(bench)
        await bench.press("g", ".")
        assert engine.added == ["one", "two", "three", "one"]
        assert ("done", "adding one") in states(bench) and len(states(bench)) == 3


async def test_what_waits_is_taken_out_and_dropped(start: Start, folders: tuple[Path, ...]) -> None:
    engine = Slow()
    gate = engine.gate("add")
    async with start(engine) as bench:
        for place in folders[:2]:
            bench.controllers.imports.add(str(place))
        for key in ("escape", "!", "j", "x"):
            await bench.tap(key)
        assert states(bench) == [("running", "adding one"), ("unfinished", "adding two")]
        await bench.tap("x")
        assert states(bench) == [("running", "adding one")]
        gate.set()
        await bench.settle()
        assert engine.added == ["one"]


async def test_an_import_that_failed_is_a_row_and_is_tried_again(start: Start, folders: tuple[Path, ...]) -> None:
    engine = Slow()
    async with start(engine) as bench:
        engine.failing["one"] = DiskFull("No room here.")
        bench.controllers.imports.add(str(folders[0]))
        bench.controllers.imports.add(str(folders[1]))
        await bench.press("escape", "!")
        assert states(bench) == [("failed", "adding one"), ("done", "adding two")]
        assert "No room here." in bench.shown()
        engine.failing.clear()
        await bench.press("g", ".")
        assert engine.added == ["one", "two", "one"]
        assert sorted(states(bench)) == [("done", "adding one"), ("done", "adding two")]


async def test_what_is_left_in_the_middle_is_unfinished_at_the_next_start(
    start: Start, folders: tuple[Path, ...]
) -> None:
    engine = Slow()
    gate = engine.gate("add")
    async with start(engine) as bench:
        for place in folders[:2]:
            bench.controllers.imports.add(str(place))
        await bench.tap("escape")
    gate.set()
    engine.added.clear()
    async with start(engine) as bench:
        await bench.press("escape", "!")
        assert states(bench) == [("unfinished", "adding one"), ("unfinished", "adding two")]
        await bench.press("g", ".")
        assert engine.added == ["one"]
        assert states(bench) == [("unfinished", "adding two"), ("done", "adding one")]
    async with start(engine) as bench:
        await bench.press("escape", "!")
        assert states(bench) == [("unfinished", "adding two")]


def groups_in(file: Path) -> tuple[set[str], set[str]]:
    """The groups and the lanes in which the module starts tasks."""
    tree = ast.parse(file.read_text("utf-8"))
    module = import_module(".".join(("litterm.tui", *file.relative_to(TUI).with_suffix("").parts)))
    started, queued = set[str](), set[str]()

    def text(node: ast.expr) -> str:
        return str(node.value) if isinstance(node, ast.Constant) else str(getattr(module, ast.unparse(node)))

    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="start", value=of), args=[group, _, _, *_]):
                started |= {text(group)} if "work" in ast.unparse(of) else set()
            case ast.Call(func=ast.Name(id="JobOrder"), args=[lane, *_]):
                queued.add(text(lane))
    return started, queued


def test_every_group_says_why_its_tasks_may_take_the_place_of_each_other() -> None:
    found = [groups_in(file) for file in sorted(TUI.rglob("*.py")) if file.stem not in ("queue", "background_tasks")]
    started, queued = set[str]().union(*(each[0] for each in found)), set[str]().union(*(each[1] for each in found))
    assert started == set(background_tasks.REPLACEABLE_GROUPS)
    assert queued == set(LANES)
    assert not started & queued


async def test_trouble_met_again_and_again_is_told_once(start: Start) -> None:
    async with start() as bench:
        for tokens in ("6,914", "7,198", "12"):
            bench.context.notify_once(f"127.0.0.1 counted only 20 of about {tokens} tokens.")
        bench.context.notify_once("Something else.")
        await bench.settle()
        assert bench.said == ["127.0.0.1 counted only 20 of about 6,914 tokens.", "Something else."]


def told(*steps: tuple[str, int, int]) -> list[tuple[str, int, int]]:
    """What is left of these steps of a synchronisation."""
    shown = count_only((Progress(*step) for step in steps), "sync ")  # type: ignore[arg-type]
    return [(each.what, each.done, each.total) for each in shown if isinstance(each, Progress)]


def test_steps_keep_their_count_where_the_whole_has_none() -> None:
    archive = (("sync acl", 0, 0), ("importing papers", 400, 1000))
    assert told(*archive) == list(archive), "all comes as one archive: reading it is what takes long"
    pages = (("sync s2", 100, 500), ("importing papers", 40, 100))
    assert told(*pages) == [("sync s2", 100, 500), ("importing papers", 0, 0)]
