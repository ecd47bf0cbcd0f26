"""Where one was: in a paper that is left and opened again, on a screen that grows again, after a sudden end."""

from __future__ import annotations

import pytest
from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Start

from litterm.annotations.annotations import Annotations
from litterm.core.errors import LittermError
from litterm.model.annotations import Session


async def test_a_paper_opened_again_shows_the_same_lines_however_often(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        bench.context.reader.jump(bench.context.reader.page.first_line[-3])
        await bench.press("j")
        bench.context.reader.jump(bench.context.reader.page.first_line[-3])
        seen, at = bench.context.reader.scroll_offset.y, bench.context.reader.cursor
        for _ in range(3):
            bench.controllers.reader.open_id(SHEARED.id)
            await bench.settle()
            await bench.press("b")
            assert bench.context.reader.state.paper.id == PRUNING.id
            assert (bench.context.reader.scroll_offset.y, bench.context.reader.cursor) == (seen, at)


async def test_a_screen_that_was_tiny_for_a_moment_shows_the_same_again(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.evidence()
        await bench.press("n", "n")
        results = bench.context.results
        # The rows are read a moment later, by a timer.
        await bench.until(lambda: all(results.verdict_text(row) for row in results.rows_on_screen))
        before = bench.shown()
        for size in ((1, 1), (20, 5), (80, 24), (99, 31)):
            await bench.resize(*size)
            await bench.resize(120, 40)
            for pane in (bench.context.results, bench.context.reader, bench.context.evidence):
                assert pane.virtual_size.width == pane.size.width, pane.id
        assert _text(bench.shown()) == _text(before)


def _text(shown: str) -> list[str]:
    """The lines without their titles, which tell where one is in percent."""
    return [line for line in shown.splitlines() if "─" not in line]


async def test_what_is_open_is_kept_without_quitting(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        await bench.read()
        bench.app.last_key_at = 0.0
        bench.app._tidy()
        assert engine.annotations.session().paper_id == PRUNING.id
        assert engine.annotations.session().query == "structured pruning learns"


async def test_a_session_that_is_not_brought_back_yet_is_not_written_over(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = SmallEngine()
    engine.annotations.save_session(yesterday := Session(query="yesterday", history=("yesterday",)))
    monkeypatch.setattr(Annotations, "session", broken)
    async with start(engine) as bench:
        bench.context.query.field.set_text("x")
        await bench.settle()
        assert bench.controllers
        bench.screen.save_session()
        monkeypatch.undo()
        assert engine.annotations.session() == yesterday


def broken(_annotations: Annotations) -> Session:
    raise LittermError("locked")


def _text(shown: str) -> list[str]:
    """The lines without their titles, which tell where one is in percent."""
    return [line for line in shown.splitlines() if "─" not in line]
