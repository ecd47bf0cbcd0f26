"""`M`: evidence again with a model, estimate first."""

from __future__ import annotations

import threading

from tui.harness import Bench, Start
from tui.scripted_evidence import first_shown

from litterm.core.errors import ModelFailed
from litterm.core.tasks import Task
from litterm.model.events import CostUpdate, WaitingForServer
from litterm.model.llm import ModelCost, ModelRequest
from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.dialogs.message import MessageDialog


def dialog(bench: Bench) -> object:
    return bench.context.dialogs[-1] if bench.context.dialogs else None


def section_requests(bench: Bench) -> list[ModelRequest]:
    """The requests about single sections so far."""
    model = bench.engine.evidence_model
    return [request for request in model.requests if request.purpose.startswith("evidence-section")]


async def test_the_estimate_comes_first_and_esc_stays_local(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("M")
        opened = dialog(bench)
        assert isinstance(opened, LlmConsentDialog)
        told = " ".join(opened.paragraphs)
        assert "parrot" in told
        assert "localhost" in told
        assert "cap" in told.lower() or "At most" in told
        await bench.press("escape")
        assert bench.engine.evidence_model.requests == []
        assert dialog(bench) is None


async def test_enter_asks_and_the_answer_takes_the_place_of_the_offline_one(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("M")
        await bench.press("enter")
        state = bench.context.evidence.state
        assert state.by == "whole · parrot"
        assert {row.stance for row in state.rows} == {"refutes"}
        assert bench.engine.evidence_model.requests
        results = bench.context.results
        assert results.current is not None
        assert results.verdict_text(results.current) == f"◇{len(state.rows)} refutes {len(state.rows)}", (
            "the row says it, too"
        )
        await bench.press("4")
        await bench.press("i")
        opened = dialog(bench)
        assert isinstance(opened, MessageDialog)
        assert any("It says the contrary." in paragraph for paragraph in opened._paragraphs)


async def test_stances_say_beside_their_model_that_it_is_untested_and_offline_evidence_says_nothing(
    start: Start,
) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.evidence()
        assert bench.context.evidence.state.mark == ""
        await bench.press("M")
        await bench.press("enter")
        assert bench.context.evidence.state.mark == "untested"
        assert "parrot · untested" in bench.shown()


async def test_d_shows_the_requests_and_sends_nothing(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("M")
        await bench.press("d")
        opened = dialog(bench)
        assert isinstance(opened, MessageDialog)
        assert "nothing was sent" in opened._paragraphs[0]
        assert "[1] " in opened._paragraphs[1]
        assert bench.engine.evidence_model.requests == []


async def test_a_failed_part_is_said_and_the_dot_asks_for_it_alone(start: Start) -> None:
    ill = [True]

    def say(request: ModelRequest) -> str:
        if ill[0] and ": Introduction" in request.messages[-1].text:
            raise ModelFailed("The server is ill.")
        return first_shown(request)

    async with start() as bench:
        bench.engine.evidence_model.reply = say
        await bench.evidence()
        await bench.press("M")
        await bench.press("s")
        await bench.press("enter")
        assert "1 part was not judged" in bench.context.evidence.state.note
        ill[0] = False
        parts = section_requests(bench)
        bench.engine.evidence_model.requests.clear()
        await bench.press("4")
        await bench.press(".")
        again = section_requests(bench)
        assert (len(parts) > 1, len(again)) == (True, 1)
        assert "not judged" not in bench.context.evidence.state.note


async def test_without_a_hypothesis_nothing_is_asked(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("M")
        assert dialog(bench) is None
        assert any("Press e first" in text for text in bench.said)


async def test_how_the_model_is_asked_is_chosen_before_and_reckoned_anew(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("M")
        opened = dialog(bench)
        assert isinstance(opened, LlmConsentDialog)
        before = opened.paragraphs[1]
        await bench.press("s", "l", "r")
        assert [each.current for each in opened.options][:3] == [
            "results only",
            "section by section",
            "the best 4 sentences of each section",
        ]
        assert opened.paragraphs[1] != before
        await bench.press("enter")
        assert bench.context.evidence.state.by == "sections (best 4) · parrot"
        assert bench.context.evidence.options.scope == "results"


async def test_the_same_choices_stand_in_the_options(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("4", ",")
        labels = [choice.label for choice in bench.context.dialogs[-1].choices._choices]  # type: ignore[attr-defined]
        assert {"model reads", "model is shown", "negated hypothesis asked too", "evidence from"} <= set(labels)


async def test_the_negated_hypothesis_is_shown_with_its_own_sentences(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("M")
        await bench.press("n")
        await bench.press("enter")
        rows = bench.context.evidence.state.rows
        [head] = [row for row in rows if row.negated and row.index is None]
        below = rows[rows.index(head) + 1 :]
        assert head.locator == "negated hypothesis"
        assert below
        assert all(row.negated and row.hypothesis == head.text for row in below)


async def test_a_failed_part_has_a_row_and_the_dot_on_it_asks_about_it_alone(start: Start) -> None:
    ill = {"Introduction", "Conclusion"}

    def say(request: ModelRequest) -> str:
        if any(f": {name}" in request.messages[-1].text for name in ill):
            raise ModelFailed("The server is ill.")
        return first_shown(request)

    async with start(size=(120, 60)) as bench:
        bench.engine.evidence_model.reply = say
        await bench.evidence()
        await bench.press("M")
        await bench.press("s")
        await bench.press("enter")
        rows = bench.context.evidence.state.rows
        failed = [at for at, row in enumerate(rows) if row.part]
        assert [(rows[at].locator, rows[at].text) for at in failed] == [
            ("Introduction", "The server is ill."),
            ("Conclusion", "The server is ill."),
        ]
        await bench.press("4", "G")
        assert "failed" in bench.shown()
        ill.clear()
        bench.engine.evidence_model.requests.clear()
        await bench.press(".")
        asked = [request.messages[-1].text for request in section_requests(bench)]
        assert len(asked) == 1
        assert ": Conclusion" in asked[0]
        assert [row.locator for row in bench.context.evidence.state.rows if row.part] == ["Introduction"]


async def test_what_it_has_cost_and_what_is_waited_for_stand_in_the_status_line(start: Start) -> None:
    gate = threading.Event()

    def task() -> Task[None]:
        spent = ModelCost(2, 0.0421, 3_000)
        yield CostUpdate(spent, spent, spent, spent)
        while not gate.wait(0.01):
            yield WaitingForServer("localhost asks to wait", 7.0)
        yield WaitingForServer("localhost asks to wait", 0.0)

    async with start(size=(140, 30)) as bench:
        await bench.search("pruning")
        bench.context.work.start("evidence", "asking the model", task, lambda _: None)
        await bench.until(lambda: "7 s" in bench.shown().splitlines()[0])
        first = bench.shown().splitlines()[0]
        assert "$0.04" in first
        assert "localhost asks to wait, again in 7 s" in first
        gate.set()
        await bench.settle()
        first = bench.shown().splitlines()[0]
        assert "$0.04" in first
        assert "wait" not in first
