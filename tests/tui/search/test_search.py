"""Typing a query, and what the results make of it."""

from __future__ import annotations

import re
from dataclasses import replace

from tui.engines import PAPERS, PRUNING, SHEARED, SmallEngine
from tui.harness import Start

from litterm.model.paper import Author
from litterm.tui.dialogs.choose import ChoiceDialog
from litterm.tui.search.author_papers import author_query


async def test_enter_runs_the_query_and_goes_to_the_first_row(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        assert bench.context.focus == "results"
        assert bench.context.results.current is not None
        assert bench.context.results.current.paper.id == PRUNING.id
        assert bench.context.query.state.result_count == len(bench.context.results.shown)


async def test_results_come_while_typing_without_moving_the_focus(start: Start) -> None:
    async with start() as bench:
        await bench.pilot.press(*"sheared ")
        await bench.pilot.pause(0.2)
        await bench.settle()
        assert [row.paper.id for row in bench.context.results.shown] == [SHEARED.id]
        assert bench.app.focused is bench.context.query.field


async def test_an_older_answer_that_comes_late_is_dropped(start: Start) -> None:
    engine = SmallEngine()
    slow = engine.gate("pruning")
    async with start(engine) as bench:
        bench.controllers.search.submit_query("pruning")
        await bench.pilot.pause()
        bench.controllers.search.submit_query("sheared")
        await bench.pilot.pause()
        slow.set()
        await bench.settle()
        assert [row.paper.id for row in bench.context.results.shown] == [SHEARED.id]
        assert bench.context.query.state.result_count == 1


async def test_a_result_with_an_old_ticket_changes_nothing(start: Start) -> None:
    async with start() as bench:
        await bench.search("sheared")
        ticket = bench.context.work._tickets["search"]
        heard: list[str] = []
        bench.context.work.deliver("search", ticket - 1, lambda: heard.append("old"), is_last=True)
        bench.context.work.deliver("search", ticket, lambda: heard.append("new"), is_last=True)
        await bench.settle()
        assert heard == ["new"]


async def test_the_selection_is_kept_by_paper_when_the_order_changes(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("j", "j", "j")
        kept = bench.context.results.current
        assert kept is not None
        await bench.press("S")
        assert "in use" in bench.shown()
        await bench.press("j", "enter")
        assert bench.context.results.state.sort == "newest"
        assert bench.context.results.current is not None
        assert bench.context.results.current.paper.id == kept.paper.id


async def test_a_filter_narrows_the_list_in_place_and_esc_takes_it_away(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        total = len(bench.context.results.shown)
        await bench.press("/", *"sheared")
        assert [row.paper.id for row in bench.context.results.shown] == [SHEARED.id]
        await bench.press("enter")
        assert bench.context.focus == "results"
        assert bench.app.focused is bench.context.results
        assert len(bench.context.results.shown) == 1
        await bench.press("escape")
        assert len(bench.context.results.shown) == total


async def test_a_chip_is_taken_out_by_key_and_the_search_runs_again(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning venue:iclr")
        assert [chip.label for chip in bench.context.query.chip_line.chips] == ["venue:iclr"]
        found = bench.context.query.state.result_count
        await bench.press("h", "x")
        assert bench.context.query.field.text == "pruning"
        assert (bench.context.query.state.result_count or 0) > (found or 0)


async def test_hits_hidden_by_a_filter_are_counted_and_u_shows_them(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        matching = bench.context.query.state.result_count
        await bench.search("pruning venue:nowhere")
        assert re.search(rf"{matching} hidden by venue:nowhere . esc, u shows them", bench.shown())
        await bench.press("escape", "u")
        assert bench.context.results.shown
        assert bench.context.query.field.text == "pruning"


async def test_a_query_that_cannot_be_read_says_why_and_keeps_the_results(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        before = bench.context.results.state.rows
        await bench.search("pruning year:soon")
        assert bench.context.query.state.fault
        assert bench.context.results.state.rows == before


async def test_nothing_found_names_the_size_of_the_library(start: Start) -> None:
    async with start() as bench:
        await bench.search("quaternions")
        assert f"in {len(PAPERS)} papers" in bench.shown()


async def test_older_queries_come_back_with_up(start: Start) -> None:
    async with start() as bench:
        await bench.search("sheared")
        await bench.search("pruning")
        await bench.press("1", "up")
        assert bench.context.query.field.text == "sheared"


async def test_a_paste_of_several_lines_stays_several_lines(start: Start) -> None:
    from textual import events

    async with start() as bench:
        bench.context.query.field.post_message(events.Paste("sparse models\nof language\n"))
        await bench.settle()
        assert bench.context.query.field.text == "sparse models\nof language"


async def test_tab_completes_a_venue_of_the_results(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("1")
        bench.context.query.field.set_text("pruning venue:ic")
        await bench.press("tab")
        assert bench.context.query.field.text == "pruning venue:iclr"


async def test_sixty_rows_come_first_and_more_when_the_cursor_nears_the_end(start: Start) -> None:
    from tui.engines import paper

    many = tuple(paper(f"M{at:03}-1", f"Pruning paper {at}") for at in range(150))
    async with start(SmallEngine(papers=many)) as bench:
        await bench.search("pruning")
        assert len(bench.context.results.shown) == 60
        await bench.press("G")
        assert len(bench.context.results.shown) == 150
        assert bench.context.results.current == bench.context.results.shown[59]


async def test_the_sample_question_is_replaced_by_the_first_keystroke(start: Start) -> None:
    async with start(SmallEngine((), starter=True)) as bench:
        assert bench.context.query.state.sample
        assert "This is the starter library" in bench.shown()
        await bench.pilot.press("s")
        assert bench.context.query.field.text == "s"
        assert not bench.context.query.state.sample


async def test_an_answer_never_takes_back_what_was_typed_meanwhile(start: Start) -> None:
    engine = SmallEngine()
    gate = engine.gate("prun")
    async with start(engine) as bench:
        bench.context.query.field.focus()
        bench.context.query.field.insert("prun")
        bench.controllers.search.search_as_typed("prun")
        bench.context.query.field.insert("ing")
        gate.set()
        await bench.settle()
        assert bench.context.query.field.text == "pruning"


async def test_a_library_that_cannot_be_opened_is_told_in_a_dialog(start: Start) -> None:
    from litterm.core.errors import LibraryTooNew

    class Newer(SmallEngine):
        def status(self):  # type: ignore[no-untyped-def]
            raise LibraryTooNew("The library was written by a newer litterm.")

    async with start(Newer()) as bench:
        assert "written by a newer litterm" in bench.shown()
        assert bench.context.dialogs


async def test_capital_a_searches_for_the_papers_of_the_author_chosen(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("A")
        assert isinstance(bench.context.dialogs[-1], ChoiceDialog)
        assert all(name in bench.shown() for name in ("Mengzhou Xia", "Zexuan Zhong", "Danqi Chen"))
        await bench.press("j", "enter")
        assert bench.context.query.field.text == 'author:"Zexuan Zhong"'
        assert bench.context.focus == "results"


async def test_capital_a_asks_nothing_where_there_is_one_author_or_none(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        results = bench.context.results
        row = results.state.rows[0]
        for authors, query in (
            ((), "pruning"),
            ((Author("Manning", "Christopher D."),), 'author:"Christopher Manning"'),
        ):
            results.state = replace(results.state, rows=(replace(row, paper=replace(row.paper, authors=authors)),))
            await bench.press("A")
            assert (bench.context.query.field.text, bench.context.dialogs) == (query, [])
        assert bench.said == ["This paper names no authors."]


def test_the_query_for_an_author_has_one_given_name() -> None:
    people = (Author("Plato"), Author("Chen", "D."), Author("van den Berg", "Rianne"), Author('O"Neil', "Ann"))
    assert [author_query(author) for author in people] == [
        "author:Plato",
        'author:"D. Chen"',
        'author:"Rianne van den Berg"',
        'author:"Ann O Neil"',
    ]
