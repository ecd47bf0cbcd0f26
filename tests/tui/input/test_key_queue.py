"""Keys that come in one burst, from a macro or a quick hand: each has its effect before the next."""

from __future__ import annotations

from textual import events
from tui.engines import PRUNING, SmallEngine
from tui.harness import Bench, Start

from litterm.model.annotations import Session


def text_of(bench: Bench, name: str) -> str:
    return str(bench.field(name).text)


async def test_ctrl_u_and_a_text_in_one_burst_leave_the_text(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("e")
        bench.field("asked").set_text("something of earlier")
        bench.send("ctrl+u", *"new words")
        await bench.settle()
        assert text_of(bench, "asked") == "new words"


async def test_a_question_is_asked_and_entered_in_one_burst(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        bench.send("e", "ctrl+u", *"pruned speed", "enter")
        await bench.settle()
        assert bench.context.dialogs == []
        assert bench.context.evidence.state.hypothesis == "pruned speed"
        assert bench.context.reader.state.paper.id == PRUNING.id


async def test_letters_behind_a_key_that_opens_a_dialog_are_not_commands(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        bench.send("e", "ctrl+u", *"qzx1")
        await bench.settle()
        assert text_of(bench, "asked") == "qzx1"
        assert bench.context.board.shape.zoomed is None


async def test_a_paste_keeps_its_turn(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        bench.send("e", "ctrl+u")
        assert bench.app._driver is not None
        bench.app._driver.send_message(events.Paste("pasted "))
        bench.send(*"typed")
        await bench.settle()
        assert text_of(bench, "asked") == "pasted typed"


async def test_a_query_typed_and_run_in_one_burst_is_the_query_that_runs(start: Start) -> None:
    async with start() as bench:
        bench.send("ctrl+u", *"sheared llamas", "enter")
        await bench.settle()
        assert bench.context.query.state.text == text_of(bench, "query-field") == "sheared llamas"
        assert bench.context.focus == "results"


async def test_the_first_letter_after_a_restart_is_a_command(start: Start) -> None:
    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning"))
    async with start(engine) as bench:
        assert text_of(bench, "query-field") == "pruning"
        bench.send("j")
        await bench.settle()
        assert (text_of(bench, "query-field"), bench.context.results.cursor) == ("pruning", 1)
        # A letter typed into the query begins another one.
        bench.send("1", "x")
        await bench.settle()
        assert text_of(bench, "query-field") == "x"
