"""A new project over a real library, on a screen with room for one pane."""

from __future__ import annotations

from pathlib import Path

from libraries import by, record, store
from tui.harness import Bench

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.tui.app import LittermApp
from litterm.tui.widgets.glyphs import choose_glyphs


async def test_a_new_project_opens_on_its_results_on_a_small_screen_too(home: Path) -> None:
    settings = from_home(home)
    store(settings.library, [record("acl:nets", "Deep nets are nice", abstract="Nets have layers.", authors=by("Bee"))])
    engine = build_engine(settings)
    app = LittermApp(engine, settings, choose_glyphs(False, {}, None), raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        await bench.search("nets")
        await bench.press("enter", "e")
        bench.field("asked").set_text("nets have layers")
        await bench.press("enter", "4", "P", "+")
        bench.field("asked").set_text("another")
        await bench.press("enter")
        assert bench.context.focus == "query"
        assert bench.context.board.shape.main == "results"
        assert "Deep nets are nice" in bench.shown() and "Nothing is open" not in bench.shown()
