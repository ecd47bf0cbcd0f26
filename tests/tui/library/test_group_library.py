"""The workbench over the library of a server: search, read, evidence and marks, as over one's own."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from graphs import small_library
from libraries import store
from library_servers import served
from tui.harness import Bench

from litterm.build import build_engine
from litterm.core.errors import LibraryServerError
from litterm.core.settings import Settings, from_home
from litterm.model.paper import PaperId
from litterm.tui.app import LittermApp
from litterm.tui.citations.references import ReferencesDialog
from litterm.tui.reading_lists.controller import ReadingListDialog
from litterm.tui.widgets.glyphs import choose_glyphs


@asynccontextmanager
async def workbench(settings: Settings) -> AsyncIterator[Bench]:
    """A workbench as its user's settings make it, over a server's library or one's own."""
    engine = build_engine(settings)
    app = LittermApp(engine, settings, choose_glyphs(False, {}, None), raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=(120, 40)) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        yield bench


async def test_a_paper_is_found_read_and_its_evidence_kept(tmp_path: Path) -> None:
    with served(tmp_path / "served") as server:
        settings = replace(from_home(tmp_path / "mine"), server=server.url, network_notice=False)
        async with workbench(settings) as bench:
            assert server.url.removeprefix("http://") in bench.shown() and "no network used" not in bench.shown()
            await bench.press("escape")
            await bench.search("pruning heads")
            assert "Structured pruning of language models" in bench.shown()
            await bench.press("enter")
            assert bench.context.reader.state.paper is not None
            await bench.press("e")
            bench.field("asked").set_text("Pruning speeds up inference")
            await bench.press("enter")
            await bench.settle()
            assert "Pruning heads speeds up inference." in bench.shown()
            await bench.press("n", "a")
            await bench.settle()
        engine = build_engine(settings)
        assert engine.annotations.quoted_papers() == ("acl:P18-1001",)
        assert not list((tmp_path / "served" / "library").glob("journal/*.jsonl"))


def _titles(bench: Bench) -> list[str]:
    return [row.paper.title for row in bench.context.results.state.rows]


async def _session_results(bench: Bench) -> list[object]:
    """What a session with tags, aspects, a hop, a list and references shows."""
    shown: list[object] = []
    annotations = bench.context.engine.annotations
    annotations.tag(PaperId("acl:A"), ("mine",))
    await bench.press("escape")
    await bench.search("alignment tag:mine")
    shown.append(_titles(bench))
    await bench.search("alignment || phrase tables")
    shown.append([(aspect.text, aspect.muted) for aspect in bench.context.aspects.state.query.aspects])
    await bench.press("shift+tab")
    await bench.press("space")
    shown += [_titles(bench), bench.context.results.state.sort]
    bench.controllers.rerank.choices.set_hop_by_name("both")
    await bench.settle()
    await bench.search("phrase tables")
    shown += [_titles(bench), [row.moved for row in bench.context.results.state.rows]]
    await bench.press("escape", "L")
    bench.field("asked").set_text("alignment")
    await bench.press("enter")
    await bench.press("a")
    await bench.press("j")
    await bench.press("x")
    reading_list = bench.context.dialogs[-1]
    assert isinstance(reading_list, ReadingListDialog)
    shown.append([(row.entry.paper.id, row.entry.pinned) for row in reading_list.rows if row.entry is not None])
    await bench.press("escape")
    await bench.search("Neural decoding without any phrase table")
    await bench.press("enter")
    await bench.press("r")
    references = bench.context.dialogs[-1]
    assert isinstance(references, ReferencesDialog)
    shown.append(bench.shown().count("Alignment of parallel sentences by their length"))
    await bench.press("escape")
    return shown


async def test_tags_aspects_hops_lists_and_references_are_those_of_ones_own_library(tmp_path: Path) -> None:
    store(tmp_path / "served" / "library", small_library())
    shutil.copytree(tmp_path / "served" / "library", tmp_path / "own" / "library")
    own = replace(from_home(tmp_path / "own"), network_notice=False, offline=True)
    with served(tmp_path / "served", filled=False) as server:
        remote = replace(from_home(tmp_path / "mine"), server=server.url, network_notice=False, offline=True)
        shown = []
        for settings in (own, remote):
            async with workbench(settings) as bench:
                shown.append(await _session_results(bench))
        assert shown[0] == shown[1]
        assert shown[1][0] == ["Alignment of parallel sentences by their length"]
        assert shown[1][-1]
        assert shown[1][6] == [("acl:B", True), ("acl:A", False)]
        assert [summary.papers for summary in build_engine(remote).reading_lists.all()] == [len(shown[1][6])]  # type: ignore[arg-type]
        assert server.engine.reading_lists.all() == ()


async def test_what_the_server_decides_is_said_and_changes_nothing(tmp_path: Path) -> None:
    with served(tmp_path / "served") as server:
        settings = replace(from_home(tmp_path / "mine"), server=server.url, network_notice=False)
        async with workbench(settings) as bench:
            await bench.press("escape")
            await bench.search("pruning heads")
            before = _titles(bench)
            await bench.press(":", *"remove", "enter")
            assert any("on the server itself; ask whoever runs it" in message for message in bench.said)
            assert _titles(bench) == before
            assert bench.context.engine.record_curation.removed_papers() == ()
            await bench.press(":", *"duplicates", "enter")
            assert "Papers are merged, kept apart and removed on the server" in bench.shown()


async def test_a_server_that_went_away_is_named_until_it_is_back(tmp_path: Path) -> None:
    with served(tmp_path / "served") as server:
        settings = replace(from_home(tmp_path / "mine"), server=server.url, network_notice=False)
        name = server.url.removeprefix("http://")
        async with workbench(settings) as bench:
            # The looks of the test, not those of the clock.
            watch = bench.screen._library_watch
            assert "idle" in bench.shown()
            watch._count_failed(LibraryServerError("The server cannot be reached."))
            assert f"server {name} does not answer" in bench.shown()
            assert "idle" not in bench.shown()
            watch.refresh()
            await bench.settle()
            assert "does not answer" not in bench.shown()
            assert "idle" in bench.shown()


async def test_a_server_that_is_away_at_the_start_is_named(tmp_path: Path) -> None:
    with served(tmp_path / "served") as server:
        settings = replace(from_home(tmp_path / "mine"), server=server.url, network_notice=False)
        name = server.url.removeprefix("http://")
    async with workbench(settings) as bench:
        assert "the library cannot be opened" in bench.shown()
        assert f"server {name} does not answer" in bench.shown()
