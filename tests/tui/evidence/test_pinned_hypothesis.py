"""The pinned hypothesis: every paper that is opened is asked about it, and every row of the results."""

from __future__ import annotations

import asyncio
import re

from tui.engines import BARE, PAPERS, PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start

from litterm.model.annotations import Session
from litterm.model.evidence import NO_SHARED_WORD


async def until_read(bench: Bench, row: int = 0) -> None:
    """Until the rows on the screen have been read."""
    results = bench.context.results
    await bench.until(lambda: all(results.verdict_text(each) for each in results.rows_on_screen[row:]))
    await bench.settle()


async def test_a_paper_opened_later_is_asked_about_the_same_hypothesis_at_once(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("pruned model")
        await bench.search("sheared pruning")
        await bench.press("enter")
        state = bench.context.evidence.state
        assert (state.hypothesis, state.asked, state.busy) == ("pruned model", True, "")
        # The rows of the results are asked, too, before or after it.
        assert (SHEARED.id, "pruned model") in bench.engine.evidence_requests
        assert bench.context.board.shape.evidence


async def test_an_empty_hypothesis_takes_the_pin_out(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("pruned model")
        await bench.press("e", "ctrl+u", "enter")
        assert bench.context.evidence.state.rows == ()
        assert bench.context.reader.state.marks == {}
        asked = len(bench.engine.evidence_requests)
        await bench.search("sheared pruning")
        await bench.press("enter")
        assert len(bench.engine.evidence_requests) == asked


async def test_the_hypothesis_of_the_last_session_is_asked_of_its_paper(start: Start) -> None:
    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning", paper_id=PRUNING.id, hypothesis="pruned model"))
    async with start(engine) as bench:
        assert bench.context.evidence.state.hypothesis == "pruned model"
        assert bench.context.evidence.state.rows


async def test_each_row_on_the_screen_says_how_much_its_paper_says(start: Start) -> None:
    engine = SmallEngine(verdicts={SHEARED.id: "nothing", PRUNING.id: "strong"})
    async with start(engine) as bench:
        await bench.evidence("pruning model")
        await bench.search("pruning")
        await until_read(bench)
        said = {row.paper.id: bench.context.results.verdict_text(row) for row in bench.context.results.shown}
        assert re.fullmatch(r"◇\d+ on topic", said[PRUNING.id])
        assert said[SHEARED.id] == "no evidence"
        assert re.search(r"◇\d+ on topic", bench.shown())


async def test_rows_below_the_screen_are_read_after_those_in_sight_and_not_all(start: Start) -> None:
    async with start(size=(100, 12)) as bench:
        await bench.evidence("pruning")
        await bench.search("pruning")
        await until_read(bench)
        ids = [row.paper.id for row in bench.context.results.shown]
        last = len(bench.context.results.rows_on_screen)
        seen = {paper_id for paper_id, _ in bench.engine.evidence_requests}
        assert set(ids[:last]) <= seen
        bench.context.results.go(len(ids) - 1)
        await until_read(bench)
        assert bench.context.results.verdict_text(bench.context.results.shown[-1])


async def test_rows_are_not_read_twice_and_another_hypothesis_reads_them_anew(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("pruning")
        await bench.search("sheared pruning")
        await until_read(bench)
        assert bench.engine.evidence_requests.count((SHEARED.id, "pruning")) == 1
        await bench.search("sheared pruning")
        await until_read(bench)
        assert bench.engine.evidence_requests.count((SHEARED.id, "pruning")) == 1
        await bench.press("3", "e", "ctrl+u", *"language", "enter")
        await until_read(bench)
        assert (SHEARED.id, "language") in bench.engine.evidence_requests


async def test_a_key_is_answered_while_the_rows_are_read(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("pruning")
        gate = bench.engine.gate(SHEARED.id)
        # Not by `search`, which waits for all tasks: on a busy machine the rows are read before it sees none.
        bench.context.focus_pane("query", typing=True)
        bench.context.query.field.set_text("sheared pruning")
        await bench.tap("enter")
        await bench.until(lambda: any(job.group == "rows" for job in bench.context.work.jobs))
        await bench.tap("3")
        assert bench.context.focus == "reader"
        gate.set()
        await bench.settle()


async def test_without_a_hypothesis_no_row_is_read(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await asyncio.sleep(0.4)
        assert bench.engine.evidence_requests == []
        assert "nothing" not in bench.shown()


async def test_nothing_here_is_said_and_the_key_findings_are_offered_as_such(start: Start) -> None:
    engine = SmallEngine(verdicts={paper.id: "nothing" for paper in PAPERS})
    async with start(engine) as bench:
        await bench.evidence("pruning model")
        state = bench.context.evidence.state
        assert state.note == "No sentence supports or contradicts this hypothesis; key findings below."
        assert state.rows and not any(row.role for row in state.rows)
        assert bench.context.reader.state.marks == {}
        # They were not chosen for the hypothesis: no word says how close they come to it.
        assert "mentions" not in bench.shown() and "on topic" not in bench.shown()


async def test_that_no_word_is_shared_is_said_once(start: Start) -> None:
    async with start(
        SmallEngine(verdicts={PRUNING.id: "nothing"}, notices=(NO_SHARED_WORD, "Abstract only."))
    ) as bench:
        await bench.evidence("pruning model")
        state = bench.context.evidence.state
        assert state.note == "No word of the hypothesis occurs in this paper; key findings below."
        assert state.notices == ("Abstract only.",)


async def test_the_options_list_key_findings_instead_and_back(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("pruning model")
        own = bench.context.evidence.state.rows
        await bench.press("4", ",", "down", "down", "enter", "escape")
        state = bench.context.evidence.state
        assert state.note.startswith("Key findings")
        assert state.rows and not any(row.role for row in state.rows)
        # Study aspects come between them.
        await bench.press(",", "down", "down", "enter", "enter", "escape")
        assert bench.context.evidence.state.rows == own


async def test_another_number_of_sentences_is_asked_for_at_once(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("pruning model")
        assert len(bench.context.evidence.state.rows) > 5
        await bench.press("4", ",", "enter", "enter", "escape")
        assert bench.context.evidence.options.how_many == 5
        await bench.until(lambda: len(bench.context.evidence.state.rows) == 5)


async def test_an_option_that_is_switched_while_the_evidence_is_looked_for_counts(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        await bench.evidence("pruning model")
        gate = engine.gate("pruning model")
        for key in ("4", ",", "enter", "enter", "escape"):
            await bench.tap(key)
        assert bench.context.evidence.state.busy
        gate.set()
        await bench.settle()
        assert len(bench.context.evidence.state.rows) == bench.context.evidence.options.how_many == 5


async def test_on_a_small_screen_rows_are_read_when_they_come_into_sight(start: Start) -> None:
    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning", paper_id=PRUNING.id, hypothesis="pruned model"))
    async with start(engine, size=(80, 24)) as bench:
        await bench.press("escape", "3")
        await asyncio.sleep(0.4)
        await bench.settle()
        assert {paper_id for paper_id, _ in engine.evidence_requests} == {PRUNING.id}
        await bench.press("2")
        await until_read(bench)
        assert all(bench.context.results.verdict_text(row) for row in bench.context.results.rows_on_screen)
        assert len(bench.context.results.rows_on_screen) > 1


async def test_a_paper_without_an_abstract_is_not_said_to_say_nothing(start: Start) -> None:
    async with start(SmallEngine(verdicts={BARE.id: "nothing"})) as bench:
        await bench.evidence("model abstract")
        await bench.search("without an abstract")
        await until_read(bench)
        [row] = bench.context.results.rows_on_screen
        assert bench.context.results.verdict_text(row) == "title only"
        await bench.press("i")
        told = bench.context.dialogs[-1]._paragraphs  # type: ignore[attr-defined]
        assert any("On the pinned hypothesis: title only. Its full text is not here" in text for text in told)


async def test_a_new_project_says_nothing_about_the_hypothesis_of_the_old_one(start: Start) -> None:
    engine = SmallEngine(verdicts={SHEARED.id: "nothing", PRUNING.id: "strong"})
    async with start(engine) as bench:
        await bench.evidence("pruning model")
        await bench.search("pruning")
        await until_read(bench)
        bench.controllers.projects.switch_to("thesis")
        await bench.settle()
        await bench.search("pruning")
        results = bench.context.results
        assert results.shown
        assert [results.verdict_text(row) for row in results.shown] == [""] * len(results.shown)
        bench.controllers.projects.switch_to("")
        await bench.settle()
        await bench.search("pruning")
        await until_read(bench)
        assert re.search(r"◇\d+ on topic", bench.shown())


async def test_an_unrelated_search_drops_the_hypothesis_and_a_key_brings_it_back(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("pruned model speed")
        await bench.search("speed of models")
        assert bench.context.evidence.pinned_hypothesis == "pruned model speed"
        await bench.search("sheared llamas")
        assert bench.context.evidence.pinned_hypothesis == ""
        assert bench.context.evidence.state.rows == ()
        assert any("X brings it back: pruned model speed" in text for text in bench.said)
        await bench.press("X")
        assert bench.context.evidence.pinned_hypothesis == "pruned model speed"
        assert bench.context.evidence.state.rows


async def test_a_search_related_to_an_earlier_one_or_of_filters_alone_keeps_the_hypothesis(start: Start) -> None:
    async with start() as bench:
        await bench.search("structured")
        await bench.press("enter", "e")
        bench.field("asked").set_text("fewer weights are faster")
        await bench.press("enter")
        for query in ("structured sparsity", "sparsity", "venue:acl"):
            await bench.search(query)
            assert bench.context.evidence.pinned_hypothesis == "fewer weights are faster", query
