"""Evidence sentences in both panes, and what the user decides about them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start

from litterm.model.evidence import LikelyStance
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm.text.terminal_width import width_of, wrap_text
from litterm.tui.annotations.controller import replace_id
from litterm.tui.evidence.row_lines import row_lines
from litterm.tui.state import EvidenceRow
from litterm.tui.widgets.glyphs import ASCII, UNICODE
from litterm.tui.widgets.styled_lines import line_text


def roles(bench: Bench) -> list[str]:
    return [row.role for row in bench.context.evidence.state.rows]


async def test_e_asks_with_the_query_as_default(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("e")
        assert bench.field("asked").text == "structured pruning learns"


async def test_sentences_arrive_in_the_pane_and_are_marked_in_the_text(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        rows = bench.context.evidence.state.rows
        assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
        assert set(bench.context.reader.state.marks) == {row.index for row in rows}
        assert "◇" in bench.shown()
        assert "Speed §4.2 ¶1 s1 p.6" in bench.shown()


async def test_marks_are_told_by_glyph_and_underline_not_by_colour_alone(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        reader = bench.context.reader
        for role in ("strong", "proposed", "hand", "accepted"):
            assert reader.style_of(role).underline
        assert reader.style_of("accepted").bold
        assert not reader.style_of("proposed").bold


async def test_n_walks_the_evidence_from_either_pane_and_both_follow(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        rows = bench.context.evidence.state.rows
        for index in sorted(row.index for row in rows if row.index is not None):
            await bench.press("n")
            # In the reader as one reads, whatever the ranks.
            assert bench.context.reader.cursor == index
            current = bench.context.evidence.current
            assert current is not None
            assert current.index == index
        await bench.press("N", "4", "g", "n", "N")
        assert bench.context.evidence.cursor == 0
        assert bench.context.reader.cursor == rows[0].index


async def test_after_a_search_in_the_text_n_is_the_next_hit_until_esc(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.evidence()
        await bench.press("/")
        bench.field("find-field").set_text("pruning")
        bench.context.reader.find("pruning")
        await bench.press("enter", "escape")
        if not bench.context.reader.text_search.wanted:
            bench.context.reader.find("pruning")
        bench.context.focus_pane("reader")
        before = bench.context.reader.text_search.hit_start
        await bench.press("n")
        assert bench.context.reader.text_search.hit_start != before
        await bench.press("escape", "n")
        assert bench.context.reader.cursor in {row.index for row in bench.context.evidence.state.rows}


async def test_the_evidence_pane_follows_the_cursor_of_the_reader(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        last = bench.context.evidence.state.rows[-1]
        assert last.index is not None
        bench.context.reader.go(last.index - 1)
        await bench.press("j")
        assert bench.context.evidence.current == last


async def test_the_terminal_s_own_cursor_stands_on_the_current_row(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        results = bench.context.results
        await bench.press("j", "j")
        # Above the rows may stand years, venues and types to narrow by.
        assert results.cursor == 2 and results.cursor_line >= 2
        assert bench.app.cursor_position.y == results.content_region.y + results.cursor_line - results.scroll_offset.y
        await bench.press("g", "enter")
        await bench.press("j")
        assert bench.app.cursor_position.y > bench.context.reader.content_region.y


async def test_enter_in_the_evidence_jumps_into_the_text(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("4", "G", "enter")
        assert bench.app.focused is bench.context.reader
        assert bench.context.reader.cursor == bench.context.evidence.state.rows[-1].index


async def test_accepting_and_rejecting_show_in_both_panes_and_the_same_key_undecides(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("4", "n", "a")
        assert roles(bench)[0] == "accepted"
        assert "◆" in bench.shown()
        await bench.press("x")
        assert roles(bench)[0] == "rejected"
        await bench.press("x")
        assert roles(bench)[0] in ("strong", "proposed")


async def test_a_sentence_rejected_for_one_hypothesis_is_open_for_another(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.evidence("pruned model speed")
        index = bench.context.evidence.state.rows[0].index
        await bench.press("4", "x")
        assert bench.context.evidence.state.rows[0].role == "rejected"
        await bench.press("e")
        bench.field("asked").set_text("ten times faster pruned model")
        await bench.press("enter")
        row = next(row for row in bench.context.evidence.state.rows if row.index == index)
        assert row.role in ("proposed", "strong")
        await bench.press("e")
        bench.field("asked").set_text("pruned model speed")
        await bench.press("enter")
        row = next(row for row in bench.context.evidence.state.rows if row.index == index)
        assert row.role == "rejected"


async def test_undo_and_redo_take_decisions_back_and_forth(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("4", "n", "a", "u")
        assert roles(bench)[0] != "accepted"
        await bench.press("U")
        assert roles(bench)[0] == "accepted"


async def test_what_was_undone_is_told_by_its_title(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine, size=(120, 40)) as bench:
        await bench.search("pruning")
        await bench.press("s", "u")
        assert f"Undone: starred “{PRUNING.title[:40]}" in bench.said[-1]
        assert PRUNING.id not in bench.said[-1]


def test_a_longer_id_that_begins_alike_is_not_replaced() -> None:
    sentence = "Undone: starred acl:P01-10171 and doi:10.1/x/y."
    assert replace_id(sentence, PaperId("acl:P01-1017"), "T") == sentence
    assert replace_id(sentence, PaperId("doi:10.1/x"), "T") == sentence
    assert replace_id("Undone: starred acl:P01-1017.", PaperId("acl:P01-1017"), "T") == "Undone: starred T."


async def test_decisions_are_there_when_the_paper_is_opened_again(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        await bench.evidence()
        await bench.press("n", "a")
    async with start(engine) as bench:
        await bench.read()
        assert "accepted" in bench.context.reader.state.marks.values()
        assert roles(bench) == ["accepted"]


async def test_a_mark_that_is_not_located_is_listed_as_such(start: Start) -> None:
    engine = SmallEngine()
    earlier = build_document(PRUNING.id, [Block("body", "A sentence that is gone.")], origin="jats", parser="test")
    engine.annotations.mark(earlier, 0, "hand")
    async with start(engine) as bench:
        await bench.read()
        assert "not located" in bench.shown()
        assert "A sentence that is gone." in bench.shown()


async def test_evidence_in_progress_can_be_stopped_and_what_came_stays(start: Start) -> None:
    engine = SmallEngine()
    gate = engine.gate("slow pruning")
    async with start(engine) as bench:
        await bench.read()
        await bench.press("e")
        bench.field("asked").set_text("slow pruning")
        await bench.tap("enter")
        assert "ctrl+c stops" in bench.shown()
        await bench.tap("ctrl+c")
        assert bench.context.evidence.state.busy == ""
        gate.set()
        await bench.settle()
        assert not bench.context.work.jobs


async def test_another_paper_ends_the_search_for_evidence(start: Start) -> None:
    engine = SmallEngine()
    gate = engine.gate("slow pruning")
    async with start(engine) as bench:
        await bench.search("pruning")
        await bench.press("enter")
        bench.context.evidence.ask("slow pruning")
        bench.controllers.reader.action_neighbour(1)
        gate.set()
        await bench.settle()
        assert bench.context.reader.state.paper.id == SHEARED.id
        assert all(row.text in SHEARED.abstract for row in bench.context.evidence.state.rows)


async def test_nothing_found_is_said(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("zzz qqq")
        assert "No word of the hypothesis occurs in this paper" in bench.shown()


async def test_the_gutter_shows_where_evidence_lies(start: Start) -> None:
    async with start(size=(120, 24)) as bench:
        await bench.evidence()
        reader = bench.context.reader
        gutter = ["".join(segment.text for segment in reader.render_line(y))[-1] for y in range(reader.size.height)]
        assert "▪" in gutter
        assert "▐" in gutter


async def test_with_ascii_marks_every_glyph_is_ascii(start: Start) -> None:
    async with start(glyphs=ASCII) as bench:
        await bench.evidence()
        await bench.press("n", "a")
        told = bench.shown().replace("·", "").replace("¶", "").replace("§", "").replace("⁰", "")
        assert {char for char in told if ord(char) > 127} == set()


async def test_copying_a_quote_keeps_a_file_and_says_where(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("4", "n", "y")
        kept = (tmp_path / "cache" / "last-copy.txt").read_text("utf-8")
        assert "@" in kept
        assert bench.context.evidence.state.rows[0].text in kept
        assert any("last-copy.txt" in said and "1 quote" in said for said in bench.said)


async def test_all_accepted_quotes_are_copied_at_once(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("n", "a", "n", "a", "Y")
        kept = (tmp_path / "cache" / "last-copy.txt").read_text("utf-8")
        assert kept.count("[@") == 2
        assert "## pruned model speed" in kept


@pytest.mark.parametrize(("key", "shown"), [("s", "★"), ("a", "◆"), ("x", "×")])
async def test_papers_are_starred_included_and_excluded_in_the_results(start: Start, key: str, shown: str) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press(key)
        assert shown in bench.shown()
        await bench.press(key)
        assert shown not in bench.shown()


async def test_a_selection_is_decided_on_together(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("space", "space", "a")
        assert len(bench.engine.annotations.included_papers()) == 2
        await bench.press("escape")
        assert bench.context.results.state.chosen == frozenset()


async def test_keys_in_the_reader_judge_the_paper_where_no_sentence_is_selected(start: Start) -> None:
    async with start(size=(120, 30)) as bench:
        await bench.evidence()
        await bench.press("3", "g")
        assert "a include paper" in bench.shown()
        await bench.press("x")
        assert bench.engine.annotations.notes(PRUNING.id).screening == "excluded"
        assert "The paper is excluded." in bench.said
        await bench.press("n")
        assert "a accept sentence" in bench.shown()
        await bench.press("x", "G", "v", "a")
        document = bench.context.reader.state.document
        kinds = {mark.mark.kind for mark in bench.engine.annotations.marks(document)}
        assert kinds == {"rejected", "hand"}
        assert bench.engine.annotations.notes(PRUNING.id).screening == "excluded"


async def test_a_range_ends_when_the_list_is_left(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("v", "j", "t", "escape", "j")
        assert len(bench.context.results.state.chosen) == 2


async def test_a_filter_that_no_row_passes_searches_the_library(start: Start) -> None:
    async with start() as bench:
        await bench.search("structured pruning learns")
        await bench.press("/", *"zzq")
        assert "enter searches the library for it" in bench.shown()
        await bench.press("enter")
        assert bench.context.query.field.text == "zzq"
        assert bench.context.results.state.only == ""


async def test_a_range_of_rows_is_selected_with_v(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("v", "j", "j", "v")
        assert len(bench.context.results.state.chosen) == 3


async def test_tags_note_and_status_are_kept(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("t")
        bench.field("asked").set_text("speed, #mine")
        await bench.press("enter", "m")
        bench.field("asked").set_text("two\nlines")
        await bench.press("enter", "d")
        notes = bench.engine.annotations.notes(PRUNING.id)
        assert notes.tags == ("speed", "mine")
        assert notes.note == "two\nlines"
        assert notes.status == "to read"


async def test_tags_with_blanks_are_parted_by_commas(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        for typed, tags in (
            ("related work, qa-metrics", ("related work", "qa-metrics")),
            (None, ("related work", "qa-metrics")),
            ("related work,", ("related work",)),
            (None, ("related work",)),
        ):
            await bench.press("t")
            if typed is not None:
                bench.field("asked").set_text(typed)
            # Unchanged text must not part a tag at its blank.
            await bench.press("enter")
            assert bench.engine.annotations.notes(PRUNING.id).tags == tags


async def test_why_tells_rank_strength_and_words(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("4", "n", "i")
        assert "Proposed at rank 1" in bench.shown()


async def test_a_stance_by_wording_stands_beside_the_word_and_is_told_by_why(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        pane = bench.context.evidence
        assert "likely" not in bench.shown()
        first = replace(pane.state.rows[0], likely=LikelyStance("refutes", 0.87))
        pane.state = replace(pane.state, rows=(first, *pane.state.rows[1:]))
        await bench.settle()
        assert bench.shown().count("likely refutes") == 1
        await bench.press("4", "n", "i")
        assert "By its wording alone the sentence likely refutes the hypothesis (87%)." in bench.shown()


async def test_a_sentence_marked_in_the_reader_is_the_current_row_of_the_evidence(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("J", "j", "v", "a", "j", "v", "a")
        current = bench.context.evidence.current
        assert current is not None
        assert current.index == bench.context.reader.cursor


async def test_the_word_for_closeness_stands_clear_of_its_sentence(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        state = bench.context.evidence.state
        rows = tuple(replace(row, strength="medium", text="m" * 9 + " mm" * 60) for row in state.rows)
        bench.context.evidence.state = replace(state, rows=rows)
        await bench.settle()
        shown = bench.shown()
        assert "mm" in shown and "partly on topic" in shown
        assert not re.search(r"m ?partly on topic|partly on topic ?m", shown)


async def test_a_sentence_has_two_thirds_of_the_width_and_is_whole_under_the_cursor(start: Start) -> None:
    text = " ".join(f"word{number}" for number in range(90))
    row = EvidenceRow(
        1, text, "proposed", "Materials and methods ¶12 s3 p.14", 10, "medium", likely=LikelyStance("supports", 0.9)
    )
    for width in (70, 80, 118, 160):
        for glyphs in (UNICODE, ASCII):
            folded = row_lines(row, width, glyphs, limit=2, unfolded=False)
            assert len(folded) == 2
            whole = [line_text(each) for each in row_lines(row, width, glyphs, limit=2, unfolded=True)]
            shown = "\n".join(whole)
            assert all(word in shown for word in text.split())
            assert all(width_of(each) <= width for each in whole)
            # As many lines as the sentence alone takes on two thirds of the width.
            assert len(whole) == len(wrap_text(text, -(-width * 2 // 3)))
