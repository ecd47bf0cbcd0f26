"""The workbench as a whole: citing, adding, dialogs, failures, panes by key and mouse."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual import events

from litterm.core.errors import LittermError
from litterm.core.tasks import run
from litterm.model.library import Failure
from litterm.render.bibliography.keys import STANDARD_KEYS
from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start

TWO_RECORDS = """
@article{lee2020, title = {On beavers}, author = {Lee, Ada}, year = {2020}}
@article{kim2021, title = {The dams of rivers}, author = {Kim, Bo}, year = {2021}}
"""
READING = ("query", "results", "reader", "evidence")
"""The panes one paper needs; the matrix is opened for several."""


async def test_a_passage_is_attributed_and_the_candidates_replace_the_results(start: Start) -> None:
    async with start() as bench:
        await bench.search("sheared")
        await bench.press("c")
        bench.field("excerpt").set_text("Structured pruning learns compact and accurate models [CITATION].")
        await bench.press("enter")
        assert "[CITATION]" in bench.shown()
        assert bench.context.results.state.source == "cite"
        assert bench.context.results.shown[0].paper.id == PRUNING.id
        second = bench.context.results.shown[1].paper
        await bench.press("j", "enter")
        assert bench.context.reader.state.paper == second
        await bench.press("2", "escape")
        assert bench.context.results.state.source == "search"
        assert [row.paper.id for row in bench.context.results.shown] == [SHEARED.id]


async def test_candidates_can_join_the_results(start: Start) -> None:
    async with start() as bench:
        await bench.search("sheared")
        own = len(bench.context.results.shown)
        bench.controllers.attribution.candidates.join = True
        await bench.press("c")
        bench.field("excerpt").set_text("Pruning works [CITATION] well.")
        await bench.press("enter", "escape")
        rows = bench.context.results.state.rows
        assert len(rows) > own
        assert [row.rank for row in rows] == list(range(1, len(rows) + 1))


async def test_tab_moves_to_another_citation_mark(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("c")
        bench.field("excerpt").set_text("One [CITATION] and two [CITATION] here.")
        bench.context.dialogs[-1]._read_excerpt("One [CITATION] and two [CITATION] here.")  # type: ignore[attr-defined]
        await bench.press("tab")
        assert bench.context.dialogs[-1]._excerpt.chosen == 1  # type: ignore[attr-defined]


async def test_the_word_cite_in_a_paste_opens_the_dialog_and_other_text_searches(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        bench.context.results.post_message(events.Paste("As shown [CITATION] before."))
        await bench.settle()
        assert bench.field("excerpt").text == "As shown [CITATION] before."
        await bench.press("escape")
        bench.context.results.post_message(events.Paste("sheared"))
        await bench.settle()
        assert [row.paper.id for row in bench.context.results.shown] == [SHEARED.id]


async def test_a_pasted_id_or_address_opens_the_paper_and_a_path_adds(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.search("pruning")
        for text in (SHEARED.id, "https://aclanthology.org/2022.acl-long.107.pdf"):
            bench.controllers.imports.on_paste(text)
            await bench.settle()
        assert bench.context.reader.state.paper.id == PRUNING.id
        (tmp_path / "two.bib").write_text(TWO_RECORDS, "utf-8")
        bench.controllers.imports.on_paste(str(tmp_path / "two.bib"))
        await bench.settle()
        assert any("2 added" in said for said in bench.said)


async def test_the_command_line_adds_goes_to_a_rank_and_completes_paths(start: Start, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "two.bib").write_text(TWO_RECORDS, "utf-8")
    async with start() as bench:
        await bench.search("pruning")
        await bench.press(":", *"5", "enter")
        assert bench.context.results.cursor == 4
        await bench.press(":", *"ad", "tab")
        assert bench.field("lookup").text == "add "
        bench.field("lookup").set_text(f"add {tmp_path}/pap")
        await bench.press("tab")
        assert bench.field("lookup").text == f"add {tmp_path}/papers/"
        await bench.press("enter")
        assert any("2 added" in said for said in bench.said)


async def test_a_command_found_by_what_it_does_is_run(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press(":", *"show all", "enter")
        assert bench.context.board.shape.zoomed == "results"


async def test_colon_12_goes_to_a_sentence_in_the_evidence(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press(":", *"3", "enter")
        assert bench.context.evidence.cursor == 2


async def test_the_screen_is_saved_as_a_picture(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press(":", *"screenshot ")
        bench.field("lookup").set_text(f"screenshot {tmp_path}/now.svg")
        await bench.press("enter")
        await bench.until(lambda: bench.said)
        assert "<svg" in (tmp_path / "now.svg").read_text("utf-8")


async def test_quit_by_command(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("escape", ":", *"quit")
        await bench.tap("enter")
        assert bench.app._exit
        assert bench.engine.annotations.session().query == "pruning"


async def test_a_bug_in_a_worker_opens_a_dialog_with_cause_and_log_and_the_app_goes_on(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine, raise_task_errors=False) as bench:
        engine.error = ZeroDivisionError("division by zero")
        await bench.search("pruning")
        # A worker that fails tells the screen after it has ended.
        await bench.until(lambda: "ZeroDivisionError: division by zero" in bench.shown())
        [dialog] = bench.context.dialogs
        assert any("litterm.log" in paragraph for paragraph in dialog._paragraphs)  # type: ignore[attr-defined]
        engine.error = None
        await bench.press("enter", "escape", ".")
        assert bench.context.results.shown


async def test_in_tests_a_bug_in_a_worker_is_loud(start: Start) -> None:
    with pytest.raises(ZeroDivisionError):
        async with start(SmallEngine(error=ZeroDivisionError("loud"))) as bench:
            bench.controllers.search.submit_query("pruning")
            await bench.settle()


async def test_expected_trouble_is_a_sentence_and_can_be_retried(start: Start, tmp_path: Path) -> None:
    (tmp_path / "two.bib").write_text(TWO_RECORDS, "utf-8")
    engine = SmallEngine()
    async with start(engine) as bench:
        engine.error = LittermError("The disk is on fire.")
        bench.controllers.imports.add(str(tmp_path / "two.bib"))
        await bench.settle()
        assert "The disk is on fire." in bench.said
        engine.error = None
        await bench.press("escape", ".")
        assert any("2 added" in said for said in bench.said)


async def test_failures_wait_in_the_key_line_and_in_the_list(start: Start, tmp_path: Path) -> None:
    files = tmp_path / "b.bib", tmp_path / "c.bib"
    # What failed has been mended meanwhile.
    for file, record in zip(files, TWO_RECORDS.strip().splitlines(), strict=True):
        file.write_text(record, "utf-8")
    engine = SmallEngine(failures=[Failure(str(file), "It is HTML.") for file in files])
    async with start(engine) as bench:
        assert bench.shown().splitlines()[-1].rstrip().endswith("!2")
        await bench.search("pruning")
        await bench.press("!")
        assert "2 failed; kept until tried again or dismissed." in bench.shown()
        assert "It is HTML." in bench.shown()
        await bench.press(".")
        assert [failure.origin for failure in engine.failures()] == [str(files[1])]
        await bench.press(".")
        assert engine.failures() == ()
        assert not bench.shown().splitlines()[-1].rstrip().endswith("!2")


async def test_a_record_read_without_some_fields_did_not_fail(start: Start) -> None:
    in_part = Failure("/a/b.jsonl:3", "Read without “year” (a list, should be a number).", missing="fields")
    async with start(SmallEngine(failures=(in_part, Failure("/a/c.pdf", "It is encrypted.")))) as bench:
        await bench.press("escape", "!")
        assert "1 failed, 1 read in part; kept until tried again or dismissed." in bench.shown()
        (row,) = (text for text in bench.shown().splitlines() if "/a/b.jsonl:3" in text)
        assert "in part" in row and "failed" not in row


async def test_rows_of_a_file_that_fail_alike_are_one_row_which_is_retried_and_dismissed_as_one(start: Start) -> None:
    cause = "Read without “year” (a list, should be a number)."
    in_part = tuple(Failure(f"/a/b.jsonl:{line}", cause, missing="fields") for line in range(1, 139))
    engine = SmallEngine(failures=(*in_part, Failure("/a/c.pdf", "It is encrypted.")))
    async with start(engine, size=(120, 40)) as bench:
        await bench.press("escape", "!")
        lines = [line for line in bench.shown().splitlines() if "/a/" in line]
        assert ["/a/c.pdf" in lines[0], "/a/b.jsonl: 138 rows" in lines[1], len(lines)] == [True, True, 2]
        await bench.press("G", "enter")
        assert "rows 1, 2, 3, 4" in bench.shown()
        await bench.press("escape", "!", "G", "x")
        assert [failure.origin for failure in engine.failures()] == ["/a/c.pdf"]


async def test_panes_are_zoomed_hidden_resized_and_brought_back(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        board = bench.context.board
        await bench.press("z")
        assert set(board.placed.panes) == {"reader"}
        await bench.press("z")
        assert set(board.placed.panes) == set(READING)
        before = board.placed.panes["reader"].width
        await bench.press("=")
        assert board.placed.panes["reader"].width > before
        await bench.press("q")
        assert "reader" not in board.placed.panes
        await bench.press("3")
        assert "reader" in board.placed.panes
        await bench.press("4", "q")
        assert "evidence" not in board.placed.panes


async def test_h_and_l_go_back_and_deeper(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("l")
        assert bench.context.focus == "reader"
        await bench.press("h")
        assert bench.context.focus == "results"
        await bench.press("h")
        assert bench.context.focus == "query"
        assert bench.app.focused is bench.context.query.chip_line


async def test_tab_goes_round_the_panes_that_have_something(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        seen = []
        for _ in range(4):
            await bench.press("tab")
            seen.append(bench.context.focus)
            if seen[-1] == "query":
                await bench.press("escape")
        assert sorted(seen) == sorted(READING)


async def test_esc_never_quits_and_ends_in_the_query(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press(*["escape"] * 8)
        assert bench.context.focus == "query"
        assert not bench.app._exit


async def test_a_click_moves_the_cursor_and_a_second_one_opens(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.pilot.click(bench.context.results, offset=(20, 8))
        await bench.settle()
        row = bench.context.results.current
        assert row is not None
        assert bench.context.results.cursor > 0
        await bench.pilot.click(bench.context.results, offset=(20, 4 + bench.context.results.cursor), times=2)
        await bench.settle()
        assert bench.context.reader.state.paper is not None


async def test_a_click_on_a_chip_takes_it_out(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning venue:iclr")
        await bench.pilot.click(bench.context.query.chip_line, offset=(3, 0))
        await bench.settle()
        assert bench.context.query.field.text == "pruning"


async def test_the_wheel_scrolls_the_paper(start: Start) -> None:
    async with start(size=(120, 20)) as bench:
        await bench.read()
        bench.context.reader._on_mouse_scroll_down(
            events.MouseScrollDown(bench.context.reader, 5, 5, 0, 1, 0, False, False, False, 5, 5)
        )
        await bench.settle()
        assert bench.context.reader.scroll_offset.y > 0


async def test_the_line_between_results_and_reader_can_be_dragged(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        board = bench.context.board
        edge = board.placed.panes["reader"].x
        await bench.pilot.mouse_down(board, offset=(edge, 10))
        await bench.pilot.hover(board, offset=(edge + 20, 10))
        await bench.pilot.mouse_up(board, offset=(edge + 20, 10))
        await bench.settle()
        assert board.placed.panes["reader"].x == edge + 20


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_columns_follow_the_width(start: Start, size: tuple[int, int]) -> None:
    async with start(size=size) as bench:
        await bench.evidence()
        placed = bench.context.board.placed
        assert placed.columns == {80: 1, 120: 2, 200: 3}[size[0]]
        assert {"reader", "evidence"} <= set(placed.panes)
        if size[0] == 200:
            assert placed.panes["reader"].width - 8 <= 100
        if size[0] == 80:
            assert placed.panes["query"].height == 1
            assert placed.panes["evidence"].height == 7


async def test_every_size_is_survived_with_everything_open(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        for open_key in ("", ":", "?", "c", "e", "/", ",", "r", "O", "!", "i"):
            if open_key:
                await bench.press(open_key)
            for size in ((20, 5), (1, 1), (100, 30)):
                await bench.resize(*size)
            await bench.press("escape", "escape", "3")
            assert bench.context.dialogs == []


async def test_every_pane_is_survived_at_its_smallest(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        for pane in READING:
            for share in (0.0, 1.0):
                bench.context.reshape(split=share, side=share, sheet=share, zoomed=None)
                await bench.settle()
            bench.context.reshape(focus=pane, zoomed=pane)
            for size in ((1, 1), (3, 40), (200, 2), (100, 30)):
                await bench.resize(*size)
        await bench.press("z")
        assert set(bench.context.board.placed.panes) == set(READING)


async def test_the_status_line_says_who_ranked_the_network_and_what_runs(start: Start, tmp_path: Path) -> None:
    (tmp_path / "two.bib").write_text(TWO_RECORDS, "utf-8")
    engine = SmallEngine()
    gate = engine.gate("add")
    async with start(engine) as bench:
        await bench.search("pruning")
        bench.controllers.imports.add(str(tmp_path / "two.bib"))
        await bench.pilot.pause()
        top = bench.shown().splitlines()[0]
        assert "by words and meaning" in top
        assert "adding" in top
        assert "ctrl+c stops" in top
        gate.set()
        await bench.settle()
        assert "idle" in bench.shown().splitlines()[0]


async def test_another_process_writing_is_said(start: Start) -> None:
    from dataclasses import replace

    class Busy(SmallEngine):
        def status(self):  # type: ignore[no-untyped-def]
            return replace(super().status(), writer="4711 litterm add")

    async with start(Busy()) as bench:
        assert "import running elsewhere, showing " in bench.shown().splitlines()[0]


async def test_what_another_process_brought_in_is_shown_once_it_is_done(start: Start) -> None:
    from dataclasses import replace

    class Shared(SmallEngine):
        generation, writer = 1, ""

        def status(self):  # type: ignore[no-untyped-def]
            return replace(super().status(), generation=self.generation, writer=self.writer)

    engine = Shared()

    async def looked(bench: Bench, generation: int, writer: str) -> bool:
        """Whether the search was asked again."""
        engine.generation, engine.writer = generation, writer
        bench.context.query.state = replace(bench.context.query.state, result_count=None)
        bench.screen._library_watch.refresh()
        await bench.settle()
        return bench.context.query.state.result_count is not None

    async with start(engine) as bench:
        await bench.search("pruning")
        assert not await looked(bench, 1, "")
        assert not await looked(bench, 2, "litterm add (process 4711, since now)")
        assert "import running elsewhere" in bench.shown().splitlines()[0]
        assert await looked(bench, 3, "")
        assert "elsewhere" not in bench.shown().splitlines()[0]
        assert not await looked(bench, 4, f"litterm (process {os.getpid()}, since now)")
        assert "elsewhere" not in bench.shown().splitlines()[0], "it is this process itself"
        assert await looked(bench, 4, "")


async def test_sideways_nothing_is_wider_than_the_screen(start: Start) -> None:
    for size in ((80, 24), (45, 12)):
        async with start(size=size) as bench:
            await bench.evidence()
            assert {len(text) for text in bench.shown().splitlines() if text.isascii()} <= {size[0]}


async def test_candidates_tell_how_sure_they_are_and_why_and_are_copied(start: Start) -> None:
    async with start() as bench:
        await bench.search("sheared")
        await bench.press("c")
        excerpt = bench.engine.excerpt("Structured pruning learns compact and accurate models [CITATION].")
        bench.field("excerpt").set_text(excerpt.text)
        await bench.press("enter")
        best = run(bench.engine.cite(excerpt)).candidates[0]
        assert best.paper.id == PRUNING.id and best.confidence is not None
        shown = bench.shown()
        assert f"{best.confidence:.0%}" in shown
        # Word by word: a reason may go on in the next line of the dialog, behind the border.
        assert set(best.why[0].split()) <= set(shown.split())
        assert f"“{best.support[:30]}" in shown
        await bench.press("y")
        assert (bench.context.settings.cache / "last-copy.txt").read_text("utf-8") == STANDARD_KEYS.key(PRUNING)
        await bench.press("Y")
        assert "@" in (bench.context.settings.cache / "last-copy.txt").read_text("utf-8")


async def test_what_is_selected_in_the_passage_is_the_claim(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        await bench.search("pruning")
        await bench.press("c")
        field = bench.field("excerpt")
        field.set_text("One thing [CITATION]. Two things.")
        field.move_cursor((0, 0))
        await bench.press(*["shift+right"] * 9, "enter")
        ((excerpt, source),) = engine.cite_requests
        assert excerpt.text[excerpt.claim.start : excerpt.claim.end] == "One thing"
        assert source == ""


async def test_a_passage_selected_in_the_reader_is_cited_and_its_paper_left_out(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        await bench.read()
        await bench.press("3", "v", "c")
        passage = bench.field("excerpt").text
        assert passage
        await bench.press("enter")
        ((excerpt, source),) = engine.cite_requests
        assert (excerpt.text, source) == (passage, bench.context.reader.state.paper.id)  # type: ignore[union-attr]


async def test_hiding_a_pane_names_the_key_that_brings_it_back(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("3", "q")
        assert "The reader pane is hidden; 3 shows it again." in bench.said
        await bench.press("3")
        assert "reader" not in bench.context.board.shape.hidden
        assert bench.context.focus == "reader"


async def test_the_sentence_that_asks_what_is_cited_is_replaced_by_typing(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("c")
        assert bench.field("excerpt").text
        await bench.press(*"new")
        assert bench.field("excerpt").text == "new"
