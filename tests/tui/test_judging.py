"""`M`: evidence again with a model, estimate first."""

from __future__ import annotations

from litterm.errors import ModelFailed
from litterm.model.llm import ModelRequest
from litterm.tui.dialogs.egress import Egress
from litterm.tui.dialogs.tell import Tell
from tui.harness import Bench, Start
from tui.judges import first_shown


def dialog(bench: Bench) -> object:
    return bench.stage.dialogs[-1] if bench.stage.dialogs else None


async def test_the_estimate_comes_first_and_esc_stays_local(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("M")
        opened = dialog(bench)
        assert isinstance(opened, Egress)
        told = " ".join(opened.paragraphs)
        assert "parrot" in told
        assert "localhost" in told
        assert "cap" in told.lower() or "At most" in told
        await bench.press("escape")
        assert bench.engine.talker.asked == []
        assert dialog(bench) is None


async def test_enter_asks_and_the_answer_takes_the_place_of_the_offline_one(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("M")
        await bench.press("enter")
        state = bench.stage.evidence.state
        assert state.by == "sections · parrot"
        assert {row.stance for row in state.rows} == {"refutes"}
        assert bench.engine.talker.asked
        await bench.press("4")
        await bench.press("i")
        opened = dialog(bench)
        assert isinstance(opened, Tell)
        assert any("It says the contrary." in paragraph for paragraph in opened._paragraphs)


async def test_d_shows_the_requests_and_sends_nothing(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("M")
        await bench.press("d")
        opened = dialog(bench)
        assert isinstance(opened, Tell)
        assert "nothing was sent" in opened._paragraphs[0]
        assert "[1] " in opened._paragraphs[1]
        assert bench.engine.talker.asked == []


async def test_a_failed_part_is_said_and_the_dot_asks_for_it_alone(start: Start) -> None:
    ill = [True]

    def say(request: ModelRequest) -> str:
        if ill[0] and "Part: Introduction" in request.messages[-1].text:
            raise ModelFailed("The server is ill.")
        return first_shown(request)

    async with start() as bench:
        bench.engine.talker.say = say
        await bench.evidence()
        await bench.press("M")
        await bench.press("enter")
        assert "1 part was not judged" in bench.stage.evidence.state.note
        ill[0] = False
        parts = [request for request in bench.engine.talker.asked if request.purpose.startswith("evidence-section")]
        bench.engine.talker.asked.clear()
        await bench.press("4")
        await bench.press(".")
        again = [request for request in bench.engine.talker.asked if request.purpose.startswith("evidence-section")]
        assert (len(parts) > 1, len(again)) == (True, 1)
        assert "not judged" not in bench.stage.evidence.state.note


async def test_without_a_hypothesis_nothing_is_asked(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("M")
        assert dialog(bench) is None
        assert any("Press e first" in text for text in bench.said)
