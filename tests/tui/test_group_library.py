"""The workbench over the library of a server: search, read, evidence and marks, as over one's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from library_servers import served

from litterm.cli.context import build_engine
from litterm.core.settings import from_home
from litterm.tui.app import LittermApp
from litterm.tui.widgets.glyphs import choose
from tui.harness import Bench


async def test_a_paper_is_found_read_and_its_evidence_kept(tmp_path: Path) -> None:
    with served(tmp_path / "served") as server:
        settings = replace(from_home(tmp_path / "mine"), server=server.url, network_notice=False)
        engine = build_engine(settings)
        app = LittermApp(engine, settings, choose(False, {}, None), loud=True)  # type: ignore[arg-type]
        async with app.run_test(size=(120, 40)) as pilot:
            bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
            await bench.settle()
            assert server.url.removeprefix("http://") in bench.shown() and "no network used" not in bench.shown()
            await bench.press("escape")
            await bench.search("pruning heads")
            assert "Structured pruning of language models" in bench.shown()
            await bench.press("enter")
            assert bench.context.reader.state.paper is not None
            await bench.press("e")
            bench.field("asked").put("Pruning speeds up inference")
            await bench.press("enter")
            await bench.settle()
            assert "Pruning heads speeds up inference." in bench.shown()
            await bench.press("a")
            await bench.settle()
        engine = build_engine(settings)
        assert engine.annotations.quoted_papers() == ("acl:P18-1001",)
        assert not list((tmp_path / "served" / "library").glob("journal/*.jsonl"))
