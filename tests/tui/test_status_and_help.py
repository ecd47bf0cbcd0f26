"""What the eye rests on: the status says what ranked, the query shows all its lines, help is always one key away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from libraries import by

from litterm.model.annotations import PaperNotes, Session
from litterm.model.search import Ranking
from litterm.text.queries.parser import parse_query
from litterm.tui.aspects.state import CoverageMatrix
from litterm.tui.attribution.dialog import CitationDialog
from litterm.tui.evidence.pane import EvidencePane
from litterm.tui.input.command_line import ROW_ACTIONS, DialogHelp
from litterm.tui.messages import no_results_lines
from litterm.tui.search.result_rows import DrawnRow, RowStyle, facts_text, folded_lines, names_and_facts, wrapped_lines
from litterm.tui.search.row_cache import row_style
from litterm.tui.state import PaneName, QueryState, ResultRow
from litterm.tui.widgets.glyphs import UNICODE
from litterm.tui.widgets.highlight import WordFinder
from litterm.tui.widgets.styled_lines import line_text
from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start


def _status(bench: Bench) -> str:
    return bench.shown().splitlines()[0]


async def test_the_status_names_what_ranked_and_nothing_before_a_search(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        assert "by words" not in _status(bench)
        await bench.search("pruning")
        assert "by words and meaning" in _status(bench)
        bench.controllers.attribution.open("Pruning works [CITATION] well.")
        await bench.settle()
        await bench.press("enter", "escape")
        cited = bench.context.results.state.by
        assert cited != "hybrid"
        assert cited == "linear" and "by learned weights" in _status(bench)
        await bench.press("2", "escape")
        assert "by words and meaning" in _status(bench)
        await bench.search("")
        assert "by words" not in _status(bench)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_query_of_several_lines_is_seen_whole_while_it_is_typed(start: Start, size: tuple[int, int]) -> None:
    async with start(size=size) as bench:
        bench.context.query.field.insert("structured pruning\nof language models")
        # The pane grows with a later frame.
        await bench.until(lambda: "structured pruning" in bench.shown() and "of language models" in bench.shown())
        await bench.press("escape", "2")
        assert "structured pruning" in bench.shown()


async def test_a_filter_typed_last_counts_as_soon_as_the_field_is_left(start: Start) -> None:
    async with start() as bench:
        bench.context.query.field.insert("pruning venue:iclr")
        await bench.settle()
        bench.controllers.search.search_as_typed(bench.context.query.field.text)
        await bench.settle()
        assert len(bench.context.results.shown) > 1
        await bench.press("escape")
        assert [row.paper.venue for row in bench.context.results.shown] == ["ICLR"]


async def test_leaving_a_word_half_typed_keeps_what_it_found(start: Start) -> None:
    async with start() as bench:
        bench.context.query.field.insert("prun")
        await bench.settle()
        bench.controllers.search.search_as_typed("prun")
        await bench.settle()
        await bench.press("escape")
        query = bench.context.query.state.query
        assert query is not None
        assert query.unfinished == "prun"


@pytest.mark.parametrize("pane", ["1", "2", "3", "4"])
async def test_help_is_in_the_key_line_of_every_pane_at_80_columns(start: Start, pane: str) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.evidence()
        await bench.press(pane)
        assert "help" in bench.shown().splitlines()[-1]


async def test_help_and_commands_open_over_a_dialog_which_then_goes_on(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("c", "f1")
        assert isinstance(bench.context.dialogs[-1], DialogHelp)
        assert "esc leave" in bench.shown().splitlines()[-1]
        await bench.press("f1", "escape")
        [dialog] = bench.context.dialogs
        assert isinstance(dialog, CitationDialog)
        assert bench.screen.focused is bench.field("excerpt")
        await bench.press("ctrl+p")
        bench.field("lookup").insert("to the results")
        await bench.press("enter")
        assert bench.context.dialogs == []
        assert bench.context.focus == "results"


async def test_help_over_a_dialog_lists_its_own_keys_and_not_those_of_a_pane(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("c", "f1")
        help_dialog = bench.context.dialogs[-1]
        assert isinstance(help_dialog, DialogHelp)
        keys = {choice.key: choice.label for choice in help_dialog.choices._choices}
        assert keys["enter"] == "find paper"
        assert keys["shift+arrows"] == "select claim"
        assert "which paper an excerpt cites" not in keys.values()
        # Pressed again it does not open help over help.
        await bench.press("f1")
        assert bench.context.dialogs[-1] is help_dialog
        await bench.press("enter")
        assert isinstance(bench.context.dialogs[-1], CitationDialog)


async def test_the_key_line_of_the_query_names_the_removal_of_filters_only_where_there_is_one(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning")
        await bench.press("1", "escape")
        assert "x remove filter" not in bench.shown().splitlines()[-1]
        assert "j results" in bench.shown().splitlines()[-1]
        bench.context.query.field.set_text("pruning year:2022")
        await bench.settle()
        await bench.press("1", "escape")
        assert "x remove filter" in bench.shown().splitlines()[-1]
        await bench.press("x")
        assert "x remove filter" not in bench.shown().splitlines()[-1]


async def test_help_says_why_a_key_of_the_fields_does_nothing_there(start: Start) -> None:
    async with start() as bench:
        await bench.press("escape", "?")
        bench.field("lookup").insert("new line")
        await bench.press("enter")
        assert any("while you type" in told for told in bench.said)


async def test_the_list_of_keys_keeps_its_size_while_it_is_narrowed(start: Start) -> None:
    async with start() as bench:
        await bench.press("escape", "?")
        before = bench.context.dialogs[-1].region
        bench.field("lookup").insert("evid")
        await bench.settle()
        assert bench.context.dialogs[-1].region == before


async def test_what_stands_in_an_empty_field_is_text_and_fits(start: Start) -> None:
    async with start(size=(44, 20)) as bench:
        assert "…" in bench.shown().splitlines()[1]
        await bench.press("escape", "c")
        assert "[CITATION]" in bench.shown()


async def test_a_row_without_an_abstract_says_that_its_full_text_is_here(start: Start) -> None:
    engine = SmallEngine((replace(PRUNING, abstract=""), SHEARED))
    engine.annotations.save_session(Session())
    async with start(engine) as bench:
        await bench.search("structured pruning learns")
        assert "enter reads the full text" in bench.shown()


async def test_the_paper_in_the_reader_is_marked_in_the_list(start: Start) -> None:
    async with start(size=(120, 30)) as bench:
        await bench.search("pruning")
        await bench.press("enter", "2", "j", "j")
        opened = bench.context.reader.state.paper
        assert opened is not None
        marked = [line for line in bench.shown().splitlines() if "›" in line]
        assert len(marked) == 1
        assert opened.title[:12] in marked[0]
        await bench.press(">")
        now = bench.context.reader.state.paper
        assert now is not None
        assert now is not opened
        marked = [line for line in bench.shown().splitlines() if "›" in line]
        assert len(marked) == 1
        assert now.title[:12] in marked[0]


async def test_a_rejected_sentence_recedes_and_its_mark_does_not(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.evidence()
        await bench.press("n", "x")
        reader = bench.context.reader
        lines = [reader.line_at(y, 60)[0] for y in range(len(reader.page.lines))]
        roles = {role for line in lines for _, role in line}
        assert any("struck" in role.split() for role in roles)
        assert {role for role in roles if "rejected" in role.split()} <= {"rejected mark", "rejected mark viewport"}


async def test_function_words_of_the_query_are_not_marked_in_the_paper(start: Start) -> None:
    async with start() as bench:
        await bench.search("the structured pruning learns")
        await bench.press("enter")
        assert bench.context.reader.state.words == ("structured", "pruning", "learns")


def test_where_room_is_short_the_mark_of_a_full_text_and_the_year_stay() -> None:
    row = ResultRow(1, replace(PRUNING, venue="Transactions of the Association"), 1.0, "bm25")
    whole = facts_text(row, UNICODE)
    assert whole.endswith("●full")
    assert names_and_facts(row, UNICODE, 80) == ("Xia, Zhong, Chen", whole)
    for room in range(24, 60):
        names, facts = names_and_facts(row, UNICODE, room)
        assert len(names) + (3 if names else 0) + len(facts) <= room
        assert "2022 · ●" in facts
    assert names_and_facts(row, UNICODE, 30)[0] == "Xia et al."
    short = ResultRow(1, PRUNING, 1.0, "bm25", library_name="starter")
    assert names_and_facts(short, UNICODE, 24) == ("", "ACL 2022 · starter · ●")


def test_a_name_is_never_cut_within_its_et_al_and_the_year_is_never_lost() -> None:
    paper = replace(PRUNING, authors=by("Szegedy", "Zaremba", "Sutskever"), venue="International Conference")
    for starter in (False, True):
        row = ResultRow(1, paper, 1.0, "bm25", library_name="starter" if starter else "own")
        for room in range(18, 70):
            names, facts = names_and_facts(row, UNICODE, room)
            assert names in ("", "Szegedy", "Szegedy et al.", "Szegedy, Zaremba, Sutskever")
            assert "2022" in facts and not facts.endswith("…")
            assert len(names) + (3 if names else 0) + len(facts) <= room
        assert names_and_facts(row, UNICODE, 30)[0] == "Szegedy"


def test_a_card_shows_whole_words_of_what_matched_and_of_a_verdict() -> None:
    row = ResultRow(1, replace(PRUNING, retraction="corrected"), 1.0, "bm25")
    row = replace(row, matched=(("explanations", 5), ("unfaithful", 1), ("thought", 1)))
    for width in range(44, 80):
        drawn = DrawnRow(row, PaperNotes(), verdict="◇5 partly on topic")
        lines = wrapped_lines(drawn, RowStyle(UNICODE, width, WordFinder(), {"own": 1.0}, beside=True, pinned=True))
        byline, reason = (line_text(each).strip() for each in lines[-2:])
        assert "◇5 partly" in byline and "corrected" in byline
        assert set(reason.removesuffix(" · 100%").split()) <= {"explanations⁵", "unfaithful", "thought"}
    noted = DrawnRow(row, PaperNotes(status="reading"), verdict="◇5 partly on topic")
    for width in range(50, 80):
        lines = wrapped_lines(noted, RowStyle(UNICODE, width, WordFinder(), {"own": 1.0}, beside=True, pinned=True))
        byline = line_text(lines[-2])
        assert "◇5 partly" in byline and "· reading ·" in byline and "corrected" in byline


def test_in_a_narrow_row_the_verdict_leaves_the_title_more_room() -> None:
    drawn = DrawnRow(ResultRow(1, PRUNING, 1.0, "bm25"), PaperNotes(), verdict="◇2 partly on topic")
    narrow, wide = (
        "".join(
            text
            for text, _ in folded_lines(
                drawn, RowStyle(UNICODE, width, WordFinder(), {"own": 1.0}, facts=20, pinned=True)
            )[0]
        )
        for width in (78, 118)
    )
    assert "◇2 partly  " in narrow and "◇2 partly on topic" in wide
    assert narrow.index("◇2") >= 32


def test_a_paper_is_called_starter_only_among_papers_of_ones_own() -> None:
    row = ResultRow(1, PRUNING, 1.0, "bm25", library_name="starter")
    assert "starter" in facts_text(row, UNICODE)
    assert "starter" not in facts_text(row, UNICODE, mixed=False)
    for room in (24, 40, 80):
        assert "starter" not in names_and_facts(row, UNICODE, room, mixed=False)[1]


async def test_rows_name_the_starter_library_where_libraries_are_mixed(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        results = bench.context.results
        await bench.search("pruning")
        rows = [replace(row, library_name="starter") for row in results.state.rows]
        results.state = replace(results.state, rows=tuple(rows))
        await bench.settle()
        assert "starter" not in bench.shown()
        results.state = replace(results.state, rows=(replace(rows[0], library_name="own"), *rows[1:]))
        await bench.settle()
        assert bench.shown().count("starter") == len(results.rows_on_screen) - 1 > 1


async def test_sentences_are_read_whole_where_there_is_room(start: Start) -> None:
    async with start(size=(200, 60)) as bench:
        await bench.evidence("faster accuracy sparsity")
        pane = bench.context.evidence
        assert pane.state.rows
        assert pane.virtual_size.height <= pane.size.height
        told = "".join(text for y in range(pane.virtual_size.height) for text, _ in pane.line_at(y, pane.size.width)[0])
        assert "…" not in told


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_sentences_of_evidence_are_cut_only_where_lines_are_short(start: Start, size: tuple[int, int]) -> None:
    async with start(size=size) as bench:
        await bench.evidence("faster accuracy sparsity")
        pane = bench.context.evidence
        long_rows = tuple(replace(row, text=f"{row.text} " * 9) for row in pane.state.rows[:3])
        pane.state = replace(pane.state, rows=long_rows)
        await bench.settle()
        assert pane.size.height - pane.virtual_size.height < len(long_rows) or "…" not in _text_of(pane)


def _text_of(pane: EvidencePane) -> str:
    return "".join(text for y in range(pane.virtual_size.height) for text, _ in pane.line_at(y, pane.size.width)[0])


def test_the_score_of_a_row_is_not_cut_off_by_its_words() -> None:
    matched = tuple((word, 3) for word in ("structured", "pruning", "language", "models", "accurate"))
    row = ResultRow(1, PRUNING, 1.0, "bm25", matched=matched)
    drawing = row_style((row,), 40, UNICODE, beside=True, pinned=False, cover=CoverageMatrix())
    why = line_text(wrapped_lines(DrawnRow(row, PaperNotes()), drawing)[-1])
    assert why.endswith("pruning³ · 100%")


async def test_the_first_search_says_that_it_runs(start: Start) -> None:
    engine = SmallEngine()
    gate = engine.gate("pruning")
    async with start(engine) as bench:
        bench.context.query.state = QueryState()
        bench.context.query.field.set_text("pruning")
        bench.send("enter")
        await bench.pilot.pause()
        assert "searching…" in bench.shown()
        gate.set()
        await bench.settle()
        assert "searching…" not in bench.shown()


def test_a_filter_that_no_paper_fits_is_named_as_the_reason() -> None:
    ranking = Ranking(parse_query("year:1800..1801"), (), 0, "hybrid", searched=36)
    assert no_results_lines(ranking, UNICODE)[0] == "None of 36 papers matches year:1800..1801."


async def test_help_is_searched_with_a_slash_too_and_forgives_a_slip(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("2", "question_mark", "slash", *"export")
        assert "export papers" in bench.shown()
        await bench.press("ctrl+u", *"exprt")
        assert "export papers" in bench.shown()


async def test_a_list_that_nothing_matches_says_so(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("2", "question_mark", *"zzqq")
        assert "Nothing matches." in bench.shown()
        assert "0/0" in bench.shown()
        await bench.press("escape", "colon", *"zzqq")
        assert "No command or key matches." in bench.shown()
        await bench.press("ctrl+u", "9", "7")
        assert "Goes to row or sentence 97." in bench.shown()


async def test_a_command_that_takes_nothing_says_so(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("2", "colon", *"export", "space", *"/zq/zq.bib", "enter")
        assert any(":export takes nothing after it; enter it alone." in said for said in bench.said)


async def test_commands_of_earlier_days_come_back_and_go_on(start: Start) -> None:
    engine = SmallEngine()
    engine.annotations.save_session(Session(commands=("theme ansi", "home")))
    async with start(engine, size=(120, 30)) as bench:
        await bench.press("ctrl+p", "up", "up")
        assert bench.field("lookup").text == "theme ansi"
        await bench.press("down")
        assert bench.field("lookup").text == "home"
        await bench.press("down")
        assert bench.field("lookup").text == ""
        bench.field("lookup").set_text("theme ansi")
        await bench.press("enter")
        bench.controllers.session.save()
        assert engine.annotations.session().commands == ("home", "theme ansi")


@pytest.mark.parametrize("pane", ROW_ACTIONS)
def test_a_menu_has_each_action_once(pane: PaneName) -> None:
    assert len(ROW_ACTIONS[pane]) == len(set(ROW_ACTIONS[pane]))


async def test_a_menu_longer_than_the_screen_says_which_of_how_many(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        await bench.press(";")
        count = len(ROW_ACTIONS["results"])
        assert f" 1/{count} " in bench.shown()
        await bench.press("j", "j")
        assert f" 3/{count} " in bench.shown()
        await bench.pilot.resize_terminal(120, 60)
        await bench.settle()
        assert f"/{count} " not in bench.shown()


async def test_a_question_mark_lists_the_keys_of_a_dialog_without_a_field_and_is_typed_in_one_with(
    start: Start,
) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("S", "?")
        assert isinstance(bench.context.dialogs[-1], DialogHelp)
        await bench.press("escape", "escape", "t", "?")
        assert bench.field("asked").text.endswith("?")
