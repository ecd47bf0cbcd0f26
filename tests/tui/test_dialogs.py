"""Dialogs whose answer is there before they have been composed, and the measuring of keys when one fails."""

from __future__ import annotations

import pytest

from litterm.annotations.duplicates import Doubt
from litterm.model.llm import CostEstimate
from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.home.jobs import JobsDialog
from litterm.tui.library.duplicates import DuplicatesDialog
from litterm.tui.reading_lists.controller import ReadingListDialog
from litterm.tui.widgets.key_hints import KeyHints
from litterm_benchmarks.speed.key_driver import KeyDriver
from tui.engines import PRUNING, SHEARED
from tui.harness import Start


async def test_pairs_that_are_known_before_the_dialog_is_composed_are_shown(start: Start) -> None:
    async with start() as bench:
        dialog = DuplicatesDialog(bench.context.glyphs, merge=_ignored, keep_apart=_ignored, undo=lambda: None)
        bench.context.open(dialog)
        dialog.show([Doubt(PRUNING, SHEARED)])
        await bench.settle()
        assert "possible duplicates: pairs of records" in bench.shown()
        assert PRUNING.title[:30] in bench.shown()


async def test_jobs_that_change_before_the_dialog_is_composed_are_shown(start: Start) -> None:
    async with start() as bench:
        summary = ["working"]
        dialog = JobsDialog(
            bench.context.glyphs,
            rows=lambda: (),
            summary=lambda: summary[0],
            drop=_ignored,
            retry=_ignored,
            sync=lambda: None,
        )
        bench.context.open(dialog)
        summary[0] = "all is done"
        dialog.refresh_rows()
        await bench.settle()
        assert "all is done" in bench.shown()


async def test_an_estimate_that_is_known_before_the_dialog_is_composed_is_shown(start: Start) -> None:
    async with start() as bench:
        dialog = LlmConsentDialog(CostEstimate("localhost", "m", 1), "the query", "no cap", bench.context.glyphs)
        bench.context.open(dialog)
        dialog.show((), CostEstimate("localhost", "m", 41))
        await bench.settle()
        assert "41 " in bench.shown()


async def test_keys_of_a_workbench_that_has_ended_are_not_waited_for(start: Start) -> None:
    async with start() as bench:
        driver = KeyDriver(bench.app)
        bench.app.exit()
        await bench.until(lambda: not bench.app.is_running)
        with pytest.raises(RuntimeError, match="ended before its keys were measured"):
            await driver.settle()


def _ignored(_: object) -> None:
    """What a key would have done."""


MAX_KEY_LINES = 3
"""What `litterm.tcss` leaves for them."""


@pytest.mark.parametrize("width", [30, 44, 80, 120])
async def test_a_line_of_keys_ends_between_two_of_them(start: Start, width: int) -> None:
    async with start(size=(width, 24)) as bench:
        dialog = ReadingListDialog(bench.context.glyphs, lambda _action, _row: None)
        bench.context.open(dialog)
        await bench.settle()
        keys = dialog.query_one(KeyHints)
        lines = keys.render().plain.splitlines()
        shown_hints = {hint for line in lines for hint in line.split(" · ")}
        assert {"a pin", "J K move", ". again", "M model", "i timeline", "enter open", "esc leave"} <= shown_hints
        assert all(line in bench.shown() for line in lines[: keys.size.height])
        assert keys.size.height == min(len(lines), MAX_KEY_LINES)
        await bench.pilot.resize_terminal(60, 24)
        await bench.settle()
        assert all(line in bench.shown() for line in keys.render().plain.splitlines()[: keys.size.height])


async def test_new_keys_replace_those_of_a_dialog(start: Start) -> None:
    async with start() as bench:
        dialog = ReadingListDialog(bench.context.glyphs, lambda _action, _row: None)
        bench.context.open(dialog)
        await bench.settle()
        dialog.query_one(KeyHints).show(["f2 nothing else"])
        await bench.settle()
        assert "f2 nothing else" in bench.shown()
        assert "J K move" not in bench.shown()


async def test_the_focus_comes_back_after_a_dialog_that_a_command_opened(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("2")
        before = bench.app.screen.focused
        await bench.press(":")
        bench.field("lookup").set_text("help")
        await bench.press("enter", "escape")
        assert not bench.context.dialogs
        assert bench.context.focus == "results"
        assert bench.app.screen.focused is before
