"""The next start: in NORMAL mode where one was, and what was left undone is named and listed."""

from __future__ import annotations

import pytest
from tui.engines import PRUNING, SmallEngine
from tui.harness import Start

from litterm.model.annotations import Session, UnfinishedJob
from litterm.tui import workbench


@pytest.mark.parametrize("pane", ["query", "results", "reader", "evidence"])
async def test_a_restart_has_the_focus_where_it_was(start: Start, pane: str) -> None:
    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning", paper_id=PRUNING.id, hypothesis="faster", focus=pane))
    async with start(engine, size=(80, 24)) as bench:
        assert bench.context.focus == pane
        assert bench.shown().splitlines()[-1].split()[0] == "NORMAL"
        assert bench.controllers.reader.paper is not None
        assert bench.controllers.reader.paper.id == PRUNING.id
        await bench.press("n", "j")
        assert bench.context.query.field.text == "pruning"
        await bench.press("2")
        bench.screen.save_before_end()
    assert engine.annotations.session().focus == "results"


async def test_a_letter_before_the_session_is_restored_waits_for_it(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbench, "MAX_OPENING_WAIT_S", 60.0)
    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning", focus="results"))
    async with start(engine) as bench:
        bench.screen._is_opened = False
        bench.send("j")
        assert bench.app.awaits_key()
        bench.screen._is_opened = True
        await bench.settle()
        assert bench.context.results.cursor == 1


async def test_what_was_left_unfinished_is_named_in_one_line(start: Start) -> None:
    engine = SmallEngine()
    jobs = tuple(UnfinishedJob("add", f"importing {name}", (f"/none/{name}",)) for name in ("a.bib", "b.ris"))
    engine.annotations.save_session(Session(query="pruning", unfinished=jobs))
    async with start(engine) as bench:
        assert bench.said == ["Unfinished: importing b.ris and 1 more. 0 lists it; enter goes on."]
