"""Jobs as the screen tells them: the status line, the list that follows them, and what can be done there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
from fakes_web_server import Asked, Page, WebServer, as_json, page
from feeds import feed

from litterm.assemble import build_engine
from litterm.model.events import Progress, Waiting
from litterm.model.sources import Scope
from litterm.settings import Settings, from_home
from litterm.tasks import run
from litterm.text.cells import width_of
from litterm.tui.dialogs.jobs import Jobs
from litterm.tui.glyphs import ASCII, UNICODE
from litterm.tui.job_words import status
from litterm.tui.state import Job
from litterm.tui.steps import counting
from litterm.tui.words import arriving
from tui.harness import Bench, Start

STOPS = "ctrl+c stops"


@pytest.fixture
def settings(home: Path) -> Settings:
    return replace(from_home(home), starter=False)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("room", range(28, 120, 7))
def test_the_key_that_stops_a_job_is_never_cut_and_the_rest_goes_by_its_weight(room: int, glyphs: object) -> None:
    job = Job("sync", "sync arxiv " + "long query " * 9, "waiting for arXiv", 400, 3000, 44.0, 25.0, since=monotonic())
    told = status(job, 2, room, glyphs)  # type: ignore[arg-type]
    assert told.endswith(STOPS)
    assert width_of(told) <= room
    assert ("400/3,000" in told) == (room >= 28)


def test_what_fits_is_said_in_this_order() -> None:
    job = Job("sync", "sync arxiv", "waiting for arXiv", 400, 3000, 44.0, 25.0, since=monotonic())
    assert [status(job, 0, room, UNICODE) for room in (90, 64, 46, 40, 20)] == [
        "sync arxiv: waiting for arXiv 400/3,000, 25/s, 44 s left · ctrl+c stops",
        "sync arxiv 400/3,000, 25/s, 44 s left · ctrl+c stops",
        "sync arxiv 400/3,000, 44 s left · ctrl+c stops",
        "sync arxiv 400/3,000 · ctrl+c stops",
        "sync… · ctrl+c stops",
    ]
    asked = replace(job, step="arXiv asked for patience: too many requests in a short time", wait_s=17.0, left_s=0.0)
    assert status(asked, 0, 70, UNICODE) == "sync arxiv: waits 17 s 400/3,000, 25/s · ctrl+c stops"


async def test_the_pace_counts_from_where_this_run_began(start: Start) -> None:
    async with start() as bench:
        work = bench.stage.work
        job = Job("sync", "sync", since=monotonic())
        first = work._moved(job, Progress("sync arxiv", 5000, 6000))
        assert (first.done, first.rate, first.left_s) == (5000, 0.0, 0.0)
        later = work._moved(first, Progress("sync arxiv", 5100, 6000))
        assert later.left_s == pytest.approx(900 / later.rate)
        waiting = work._moved(later, Waiting("arXiv asked for patience", 20.0))
        assert (waiting.done, waiting.total, waiting.left_s, waiting.wait_s) == (5100, 6000, 0.0, 20.0)


def test_bytes_are_told_where_they_make_a_figure() -> None:
    told = [arriving(Progress("from NCBI", *each, "bytes")) for each in ((900, 4000), (0, 25 << 20), (3 << 20, 0))]
    assert told == ["from NCBI", "from NCBI, 0.0/25.0 MB", "from NCBI, 3.0 MB"]


def rows(bench: Bench) -> list[tuple[str, str, str]]:
    dialog = bench.stage.dialogs[-1]
    assert isinstance(dialog, Jobs)
    return [(row.choice.key, row.choice.label, row.choice.detail) for row in dialog.things]


def half_silent(asked: Asked) -> Page:
    """The first page at once, the second never."""
    return page(feed(range(100), 300)) if asked.one("start") == "0" else Page(silent=True)


async def test_the_list_follows_a_job_and_stops_it(start: Start, settings: Settings, server: WebServer) -> None:
    server.on("/arxiv/api/query", half_silent)
    async with start(build_engine(settings), settings=settings, size=(80, 24)) as bench:
        await bench.press("escape", "!")
        assert "Nothing runs and nothing failed." in bench.shown()
        bench.crew.syncing.named("arxiv cat:cs.CL")
        while not any(job.done == 100 and "waiting" in job.step for job in bench.stage.work.jobs):
            await bench.tap("j")
        assert rows(bench)[0][:2] == ("running", "sync arxiv cat:cs.CL")
        assert rows(bench)[0][2].startswith("100/300")
        assert "waiting for 127.0.0.1" in bench.shown() and "Nothing runs" not in bench.shown()
        assert bench.shown().splitlines()[0].rstrip().endswith(STOPS)
        await bench.press("g", "x")
        assert not bench.stage.work.jobs
        assert [row[:2] for row in rows(bench)] == [("unfinished", "arxiv cat:cs.CL")], "it can be gone on with"
        assert "Nothing runs" not in bench.shown()
        assert bench.stage.dialogs, "the list stays"


async def test_one_failure_is_retried_or_dismissed_where_it_stands(
    start: Start, settings: Settings, server: WebServer
) -> None:
    for name in ("one", "two"):
        server.on(f"/crossref/works/10.1000%2F{name}", page("", 503, retry_after="9999"))
    server.on("/s2/paper/batch", page("", 503, retry_after="9999"))
    engine = build_engine(settings)
    run(engine.sources.obtain(("10.1000/one", "10.1000/two")))
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


async def test_one_sync_at_a_time(start: Start, settings: Settings, server: WebServer) -> None:
    server.on("/arxiv/api/query", half_silent)
    engine = build_engine(settings)
    async with start(engine, settings=settings) as bench:
        bench.crew.syncing.named("arxiv cat:cs.CL")
        bench.crew.syncing.named("arxiv cat:cs.AI")
        await bench.tap("escape")
        assert any("One at a time: sync arxiv cat:cs.CL is under way" in said for said in bench.said)
        await bench.press("ctrl+c")
    assert {each.scope for each in engine.sources.subscriptions()} <= {Scope("cat:cs.CL")}


async def test_trouble_met_again_and_again_is_told_once(start: Start) -> None:
    async with start() as bench:
        for tokens in ("6,914", "7,198", "12"):
            bench.stage.notice(f"127.0.0.1 counted only 20 of about {tokens} tokens.")
        bench.stage.notice("Something else.")
        await bench.settle()
        assert bench.said == ["127.0.0.1 counted only 20 of about 6,914 tokens.", "Something else."]


def told(*steps: tuple[str, int, int]) -> list[tuple[str, int, int]]:
    """What is left of these steps of a synchronisation."""
    shown = counting((Progress(*step) for step in steps), "sync ")  # type: ignore[arg-type]
    return [(each.what, each.done, each.total) for each in shown if isinstance(each, Progress)]


def test_steps_keep_their_count_where_the_whole_has_none() -> None:
    archive = (("sync acl", 0, 0), ("importing papers", 400, 1000))
    assert told(*archive) == list(archive), "all comes as one archive: reading it is what takes long"
    pages = (("sync s2", 100, 500), ("importing papers", 40, 100))
    assert told(*pages) == [("sync s2", 100, 500), ("importing papers", 0, 0)]
