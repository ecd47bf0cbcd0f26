"""Selecting rows, the pinned hypothesis above them, and what the user keeps about a paper."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from tui.engines import PRUNING
from tui.harness import Start

from litterm.tui.annotations.text_editor import PaperTextEditor, edit_outside


async def test_v_selects_at_once_and_the_range_grows_until_v_again(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        rows = [row.paper.id for row in bench.context.results.shown]
        await bench.press("v")
        assert bench.context.results.state.chosen == {rows[0]}
        assert "1 selected" in bench.shown()
        await bench.press("j", "j")
        assert bench.context.results.state.chosen == set(rows[:3])
        await bench.press("k")
        assert bench.context.results.state.chosen == set(rows[:2])
        await bench.press("v", "j", "j")
        assert bench.context.results.state.chosen == set(rows[:2])
        await bench.press("escape")
        assert bench.context.results.state.chosen == frozenset()
        assert "selected" not in bench.shown()


async def test_a_range_that_esc_dropped_does_not_go_on(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("v", "escape", "j", "j")
        assert bench.context.results.state.chosen == frozenset()


async def test_what_is_done_to_a_selection_says_to_how_many(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("v", "j", "j", "s")
        assert any("3 selected papers" in said for said in bench.said)
        await bench.press("t")
        assert "3 selected papers" in bench.shown()


async def test_the_pinned_hypothesis_stands_above_the_rows_and_is_dropped(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.evidence("pruned model speed")
        await bench.press("2")
        assert "hypothesis: pruned model speed" in bench.shown()
        await bench.press("X")
        assert "hypothesis: pruned model speed" not in bench.shown()
        assert bench.context.evidence.pinned_hypothesis == ""


async def test_a_note_is_added_to_and_shows_in_row_and_reader(start: Start) -> None:
    async with start() as bench:
        bench.engine.annotations.note(PRUNING.id, "first line")
        await bench.read()
        await bench.press("m", "ctrl+j", *"more", "enter")
        assert bench.engine.annotations.notes(PRUNING.id).note == "first line\nmore"
        assert "note: first line more" in bench.shown()
        await bench.press("2")
        assert " note " in bench.shown()


async def test_the_editor_of_the_user_changes_the_note(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho 'from outside' >> $1\n")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("VISUAL", str(editor))
    async with start() as bench:
        await bench.read()
        await bench.press("m", *"mine", "ctrl+e")
        assert isinstance(bench.context.dialogs[-1], PaperTextEditor)
        await bench.press("enter")
        assert bench.engine.annotations.notes(PRUNING.id).note == "minefrom outside"


def test_an_editor_that_is_not_there_leaves_the_note_and_says_so() -> None:
    text, trouble = edit_outside("mine", "/no/such/editor")
    assert text == "mine"
    assert "$EDITOR" in trouble


def test_an_editor_that_fails_leaves_the_note() -> None:
    assert edit_outside("mine", "false") == ("mine", "The editor 'false' ended with status 1; the note is unchanged.")


async def test_ctrl_u_clears_the_whole_query(start: Start) -> None:
    async with start() as bench:
        await bench.press("1")
        bench.context.query.field.set_text("one two\nthree " * 30)
        await bench.press("ctrl+u")
        assert bench.context.query.field.text == ""


async def test_an_unknown_filter_is_named_while_it_is_typed(start: Start) -> None:
    async with start() as bench:
        bench.controllers.search.search_as_typed("pruning foo:bar")
        await bench.settle()
        assert "Unknown filter" in bench.context.query.state.fault
        bench.controllers.search.search_as_typed("pruning year:20")
        await bench.settle()
        assert bench.context.query.state.fault == ""


async def test_the_menu_of_a_row_does_what_is_chosen(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press(";")
        assert "fetch the full text of this paper" in bench.shown()
        await bench.press("j", "j", "enter")
        assert bench.engine.annotations.included_papers() == (bench.context.results.shown[0].paper.id,)


async def test_the_command_list_shows_no_binding_ids_and_finds_by_letters(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press(":", *"fttpr")
        assert "fetch the full text of this paper" in bench.shown()
        assert "all.full-text" not in bench.shown()
        await bench.press("esc", ":", *"prisma")
        assert "No command or key matches." in bench.shown(), "letters anywhere are no match"


async def test_the_command_list_is_short_and_has_groups_until_something_is_typed(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning")
        await bench.press(":")
        rows = [line for line in bench.shown().splitlines() if "│ :" in line or " :" in line[:20]]
        groups = [row.rstrip(" │").rsplit("  ", 1)[-1].strip() for row in rows]
        assert len(groups) > 20 and sorted(groups, key=groups.index) == groups
        assert groups[0] == "search" and "fetch the full text of this paper" not in bench.shown()
        assert bench.shown().index(":add") < bench.shown().index(":remove-import")


async def test_earlier_commands_come_back(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press(":", *"3", "enter", ":", "up")
        assert bench.field("lookup").text == "3"


async def test_the_help_scrolls_with_the_usual_keys(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        await bench.press("?")
        [dialog] = bench.context.dialogs
        for key in ("pagedown", "ctrl+d", "end"):
            before = dialog.choices.cursor  # type: ignore[attr-defined]
            await bench.press(key)
            assert dialog.choices.cursor > before, key  # type: ignore[attr-defined]
