"""`M` in the results, and one hop: the order of a model, and the papers one citation away."""

from __future__ import annotations

import threading

from scripted_models import ScriptedModel
from tui.engines import SHEARED, SmallEngine
from tui.harness import Bench, Start

from litterm.core.errors import KeyRefused
from litterm.core.tasks import Task
from litterm.model.events import Notice
from litterm.model.llm import ModelReply, ModelRequest
from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.dialogs.message import MessageDialog


def dialog(bench: Bench) -> object:
    return bench.context.dialogs[-1] if bench.context.dialogs else None


def titles(bench: Bench) -> list[str]:
    return [row.paper.title for row in bench.context.results.state.rows]


async def test_the_estimate_comes_first_and_esc_stays_local(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        before = titles(bench)
        await bench.press("M")
        opened = dialog(bench)
        assert isinstance(opened, LlmConsentDialog)
        assert "localhost" in " ".join(opened.paragraphs)
        await bench.press("escape")
        assert bench.engine.ranking_model.requests == []
        assert titles(bench) == before


async def test_enter_orders_the_rows_in_place_and_each_says_where_it_was(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning")
        await bench.press("j", "j")
        under_cursor = bench.context.results.current
        assert under_cursor is not None
        await bench.press("M")
        await bench.press("enter")
        rows = bench.context.results.state.rows
        shown = [f"{row.paper.title}. {row.paper.abstract}" if row.paper.abstract else row.paper.title for row in rows]
        assert len(shown[0]) == min(map(len, shown))
        assert bench.context.results.state.by == "listwise · parrot"
        assert {row.by for row in rows} == {"listwise · parrot"}
        now = bench.context.results.current
        assert now is not None
        assert now.paper == under_cursor.paper
        assert f"was {now.previous_place}" in now.moved or now.previous_place == now.rank
        assert "it fits" in rows[0].moved
        assert f"{(rows[0].previous_place or 0) - rows[0].rank:+}" in bench.shown()


async def test_why_tells_what_moved_it(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("M")
        await bench.press("enter")
        await bench.press("g", "i")
        opened = dialog(bench)
        assert isinstance(opened, MessageDialog)
        assert any("What moved it:" in paragraph and "it fits" in paragraph for paragraph in opened._paragraphs)


async def test_d_shows_the_requests_and_sends_nothing(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        before = titles(bench)
        await bench.press("M")
        await bench.press("d")
        opened = dialog(bench)
        assert isinstance(opened, MessageDialog)
        assert "nothing was sent" in opened._paragraphs[0]
        assert (bench.engine.ranking_model.requests, titles(bench)) == ([], before)


async def test_its_ways_are_switched_in_the_dialog_and_reckoned_anew(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("M")
        await bench.press("n", "l", "r", "c")
        opened = dialog(bench)
        assert isinstance(opened, LlmConsentDialog)
        assert [each.current for each in opened.options] == [
            "the first 200",
            "20 at once",
            "what the best papers cite",
            "are not used",
        ]
        assert "3 calls" in " ".join(opened.paragraphs)


class Slow(ScriptedModel):
    """Answers when it is let go."""

    gate = threading.Event()

    def ask(self, request: ModelRequest, *, stream: bool = False) -> Task[ModelReply]:
        while not self.gate.wait(0.01):
            yield Notice("")
        return (yield from super().ask(request))


def slowed(engine: SmallEngine) -> Slow:
    slow = Slow(engine.ranking_model.reply)
    slow.gate = threading.Event()
    engine.ranking_model.ask = slow.ask  # type: ignore[method-assign]
    return slow


async def test_another_search_ends_the_ordering_of_the_old_one(start: Start) -> None:
    engine = SmallEngine()
    slow = slowed(engine)
    async with start(engine) as bench:
        await bench.search("pruning")
        await bench.tap("M")
        while dialog(bench) is None:
            await bench._hops()
        await bench.tap("enter")
        assert [job.group for job in bench.context.work.jobs] == ["rerank"]
        bench.context.focus_pane("query", typing=True)
        bench.context.query.field.set_text("sparse")
        await bench.press("enter")
        slow.gate.set()
        await bench.settle()
        assert bench.context.results.state.by == "hybrid"


async def test_ctrl_c_stops_it_and_the_order_so_far_stays(start: Start) -> None:
    engine = SmallEngine()
    slow = slowed(engine)
    async with start(engine) as bench:
        await bench.search("pruning")
        before = titles(bench)
        await bench.tap("M")
        while dialog(bench) is None:
            await bench._hops()
        await bench.tap("enter")
        await bench.tap("ctrl+c")
        slow.gate.set()
        await bench.settle()
        assert titles(bench) == before
        assert "Stopped." in bench.said


async def test_a_model_that_fails_leaves_the_local_order_and_says_so(start: Start) -> None:
    engine = SmallEngine()

    def refused(_request: ModelRequest) -> str:
        raise KeyRefused("The key was refused.")

    engine.ranking_model.reply = refused
    async with start(engine, size=(120, 40)) as bench:
        await bench.search("pruning")
        before = titles(bench)
        await bench.press("M")
        await bench.press("enter")
        assert titles(bench) == before
        assert bench.context.results.state.by == "hybrid"
        assert any("The key was refused." in said for said in bench.said)
        assert any("The key was refused." in line for line in bench.context.results.state.hint)


async def test_moving_on_does_not_undo_the_models_order(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("M")
        await bench.press("enter")
        await bench.press("G")
        assert bench.context.results.state.by == "listwise · parrot"


async def test_one_hop_is_an_option_of_the_results(start: Start) -> None:
    async with start() as bench:
        await bench.search("compact accurate")
        before = titles(bench)
        await bench.press(",")
        await bench.press("j", "j", "enter")
        await bench.press("escape")
        assert titles(bench) == [*before, SHEARED.title]
        last = bench.context.results.state.rows[-1]
        assert last.moved == f"via one-hop from “{before[0]}”"
        assert bench.context.results.state.by == "one-hop · hybrid"


async def test_one_hop_is_a_command_too_and_ends_with_no(start: Start) -> None:
    async with start() as bench:
        await bench.search("compact accurate")
        before = titles(bench)
        bench.controllers.rerank.choices.set_hop_by_name("both")
        await bench.settle()
        assert len(titles(bench)) == len(before) + 1
        bench.controllers.rerank.choices.set_hop_by_name("no")
        await bench.settle()
        assert titles(bench) == before
        bench.controllers.rerank.choices.set_hop_by_name("sideways")
        await bench.settle()
        assert any("refs, cited, both or no" in said for said in bench.said)


async def test_reference_lists_are_read_when_papers_came_in_and_that_can_be_seen(start: Start) -> None:
    async with start() as bench:
        await bench.search("sparse")
        bench.screen._library_changed()
        assert "citations" in [job.group for job in bench.context.work.jobs]
        await bench.settle()
        assert not bench.context.work.jobs
