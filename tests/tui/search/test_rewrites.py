"""`Q` in the results: other queries for the same papers, by a model after consent, and edited."""

from __future__ import annotations

from tui.harness import Bench, Start

from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.dialogs.text import TextDialog


def dialog(bench: Bench) -> object:
    return bench.context.dialogs[-1] if bench.context.dialogs else None


def hints(bench: Bench) -> str:
    return " ".join(bench.context.results.state.hint)


async def switch_on(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("Q")
    assert isinstance(dialog(bench), LlmConsentDialog)
    await bench.press("enter")
    await bench.until(lambda: "Also searched" in hints(bench))


async def test_consent_comes_first_and_then_the_queries_are_searched_and_shown(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await switch_on(bench)
        assert "rewritten by parrot (Q edits): 1. parsing; 2. BERT" in hints(bench)
        assert "1. parsing" in bench.shown()
        rows = bench.context.results.state.rows
        assert all("found by" in row.moved for row in rows)
        assert "and query 1 (place 1)" in rows[0].moved


async def test_it_stays_on_for_the_next_query_but_not_while_one_types(start: Start) -> None:
    async with start() as bench:
        await switch_on(bench)
        bench.context.focus_pane("query", typing=True)
        bench.context.query.field.set_text("language")
        bench.controllers.search.search_as_typed("language")
        await bench.settle()
        assert len(bench.engine.rewriting_model.requests) == 1
        await bench.search("language model")
        await bench.until(lambda: "Also searched" in hints(bench))
        assert len(bench.engine.rewriting_model.requests) == 2


async def test_edited_queries_are_searched_without_a_call(start: Start) -> None:
    async with start() as bench:
        await switch_on(bench)
        await bench.press("Q")
        opened = dialog(bench)
        assert isinstance(opened, TextDialog)
        opened.on_text_submitted("large language models")
        await bench.until(lambda: "written by you (Q edits): 1. large language models" in hints(bench))
        assert len(bench.engine.rewriting_model.requests) == 1


async def test_no_queries_end_it_in_the_project(start: Start) -> None:
    async with start() as bench:
        await switch_on(bench)
        await bench.press("Q")
        opened = dialog(bench)
        assert isinstance(opened, TextDialog)
        opened.on_text_submitted("")
        await bench.until(lambda: "Also searched" not in hints(bench))
        assert not bench.engine.annotations.is_rewriting


async def test_the_command_takes_queries_of_ones_own(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press(":", *"rewrite large models", "enter")
        await bench.until(lambda: "written by you" in hints(bench))
        assert bench.engine.rewriting_model.requests == []


async def test_a_model_orders_what_all_queries_found(start: Start) -> None:
    async with start() as bench:
        await switch_on(bench)
        found = {row.paper.id for row in bench.context.results.state.rows}
        await bench.press("M")
        await bench.press("enter")
        await bench.until(lambda: bench.context.results.state.by.startswith("listwise"))
        assert {row.paper.id for row in bench.context.results.state.rows} == found
        assert "Also searched" in hints(bench)
