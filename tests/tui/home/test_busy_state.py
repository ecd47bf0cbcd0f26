"""The session, over a real library whose database another process is writing to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic

from libraries import record, store
from state_writers import other_writer
from tui.harness import Bench

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.tui.app import LittermApp
from litterm.tui.widgets.glyphs import choose_glyphs


async def test_a_key_is_answered_while_another_process_writes_and_the_session_is_saved_after(home: Path) -> None:
    settings = replace(from_home(home), network_notice=False)
    store(settings.library, [record("A", "Zebras cross roads"), record("B", "Zebras sleep at night")])
    engine = build_engine(settings)
    app = LittermApp(engine, settings, choose_glyphs(False, {}, None), raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=(120, 40)) as pilot:
        bench = Bench(app, pilot, engine)  # type: ignore[arg-type]
        await bench.settle()
        app._tidy()
        before = build_engine(settings).annotations.session()
        await bench.search("zebras sleep")
        await bench.press("escape")
        with other_writer(settings.library):
            start = monotonic()
            # Home saves the session, as it shows what is half read.
            await bench.tap("0")
            assert monotonic() - start < 5.0
            assert bench.context.focus == "home"
            assert [said for said in bench.said if "Another litterm is writing to" in said]
            assert build_engine(settings).annotations.session() == before
            await bench.settle()
        app.last_key_at = 0.0
        app._tidy()
        after = build_engine(settings).annotations.session()
        assert (before.query, after.query) == ("", "zebras sleep")
