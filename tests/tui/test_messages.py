"""What a calm app does: says a thing once, never fills the screen with toasts, and is not left waiting by a failure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Static
from textual.widgets._toast import Toast, ToastHolder

from litterm.build import build_engine
from litterm.core.errors import LittermError
from litterm.core.settings import from_home
from litterm.model.library import LibraryStatus
from litterm.render.names import method_words
from litterm.tui.app import MAX_TOASTS, LittermApp
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.evidence.row_lines import clip_locator
from litterm.tui.matrix.rows import fit_grid
from litterm.tui.state import StatusState
from litterm.tui.widgets.glyphs import ASCII, UNICODE
from litterm.tui.widgets.status_line import StatusLine
from tui.engines import PRUNING, SmallEngine
from tui.harness import Bench, Start


async def test_a_toast_told_again_stands_once_and_many_never_fill_the_screen(start: Start) -> None:
    async with start() as bench:
        for text in ("one", "two", "two", "three", "two", "four"):
            bench.context.tell(text)
            await bench.settle()
        assert MAX_TOASTS == 3
        assert bench.toasts == ["three", "two", "four"]


async def test_a_word_left_while_it_was_typed_is_part_of_the_hypothesis_and_highlighted(start: Start) -> None:
    async with start() as bench:
        await bench.search("structured pruning learns")
        bench.context.focus_pane("query", typing=True)
        bench.context.query.field.set_text("structured pruning learns comp")
        bench.controllers.search.search_as_typed("structured pruning learns comp")
        await bench.settle()
        await bench.press("down", "enter")
        assert bench.context.reader.state.words[-1] == "comp"
        await bench.press("e")
        assert bench.field("asked").text == "structured pruning learns comp"


@pytest.mark.parametrize("bug", [False, True])
async def test_evidence_that_could_not_be_looked_for_is_not_waited_for(start: Start, bug: bool) -> None:
    engine = SmallEngine()
    async with start(engine, raise_task_errors=False) as bench:
        await bench.read()
        engine.error = RuntimeError("oh") if bug else LittermError("The disk is on fire.")
        await bench.press("e")
        bench.field("asked").set_text("pruned model speed")
        await bench.press("enter")
        state = bench.context.evidence.state
        assert (state.busy, state.note) == ("", "The search for evidence failed; `.` tries again.")
        await bench.press("escape")
        engine.error = None
        bench.context.focus_pane("reader")
        await bench.press(".")
        assert bench.context.evidence.state.rows


async def test_a_paper_that_a_bug_kept_from_opening_is_not_waited_for(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine, raise_task_errors=False) as bench:
        await bench.search("structured pruning learns")
        engine.error = RuntimeError("oh")
        await bench.press("enter")
        assert "Opening failed." in bench.shown()
        assert "Opening…" not in bench.context.reader.state.busy


async def test_papers_that_come_in_leave_a_finished_query_finished(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        assert await _asked_again(bench) == ""
        bench.context.focus_pane("query", typing=True)
        bench.controllers.search.search_as_typed("prun")
        await bench.settle()
        assert await _asked_again(bench) == "prun"


async def _asked_again(bench: Bench) -> str:
    """The unfinished word of the query as asked after papers came in."""
    bench.context.query.state = replace(bench.context.query.state, result_count=None)
    bench.screen._library_changed()
    await bench.settle()
    query = bench.context.query.state.query
    assert query is not None
    assert bench.context.query.state.result_count is not None
    return query.unfinished


async def test_a_small_dialog_shows_the_field_before_what_is_said_about_it(start: Start) -> None:
    async with start(size=(20, 6)) as bench:
        await bench.search("structured pruning learns")
        await bench.press("e", *"zebra")
        await bench.until(lambda: "zebra" in bench.shown())


async def test_a_name_has_one_line(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("t")
        assert "new line" not in bench.shown()
        bench.field("asked").set_text("one\ntwo")
        await bench.press("enter")
        current = bench.context.results.current
        assert current is not None
        assert bench.engine.annotations.notes(current.paper.id).tags == ("one", "two")


async def test_a_hint_below_a_text_is_wrapped_not_cut(start: Start) -> None:
    async with start(size=(60, 30)) as bench:
        await bench.search("without an abstract")
        await bench.press("enter")
        await bench.resize(40, 30)
        assert "f full text" in " ".join(bench.shown().split())


def test_few_hypotheses_leave_the_titles_room() -> None:
    assert [fit_grid(118, columns, 0, 0).title for columns in (1, 2, 3)] == [90, 86, 70]
    assert [fit_grid(width, 12, 0, 0).shown for width in (78, 118, 198)] == [6, 10, 12]
    assert fit_grid(118, 1, 0, 0).cell == 16
    assert fit_grid(30, 1, 0, 0).title == 15


def test_methods_are_called_by_what_they_do_and_models_by_their_name() -> None:
    assert [method_words(name) for name in ("linear", "h1", "tiny-1")] == [
        "litterm offline",
        "offline, by words",
        "tiny-1",
    ]


def test_a_locator_is_cut_in_the_section_s_name() -> None:
    locator = "Baseline Methods and more ¶12 s2 p.6"
    assert clip_locator(locator, 24, UNICODE) == "Baseline Met… ¶12 s2 p.6"
    assert clip_locator(locator, 60, UNICODE) == locator
    assert clip_locator(locator, 12, UNICODE) == "Baseline Me…"
    assert clip_locator(locator, 24, ASCII) == "Baseline~ par.12 s2 p.6"


def test_the_status_line_says_whole_parts() -> None:
    line = StatusLine(UNICODE)
    status = LibraryStatus(1, 9, 1, by_source=(("acl", 109_000), ("doi", 12)), writer="here")
    line.set_reactive(StatusLine.state, StatusState(library=status, network="network"))
    shown = ["".join(text for text, _ in line.line_at(0, width)[0]).removesuffix("network · idle") for width in WIDTHS]
    assert [text.strip() for text in shown] == [
        "litterm  import running elsewhere · acl 109k · doi 12",
        "litterm  import running elsewhere · acl 109k",
        "litterm  import running elsewhere",
        "litterm  import runni…",
        "litterm",
    ]


WIDTHS = (80, 66, 54, 38, 27)


async def test_a_command_for_what_is_not_there_is_answered(start: Start, tmp_path: Path) -> None:
    settings = replace(from_home(tmp_path), offline=True)
    async with start(build_engine(settings), settings=settings) as bench:
        await bench.press("escape", ":", *"delete-project nowhere", "enter")
        assert bench.said[-1] == "There is no project nowhere."
        assert not bench.context.dialogs


async def test_a_theme_that_knows_nothing_of_evidence_cannot_be_chosen(start: Start) -> None:
    async with start() as bench:
        before = bench.app.theme
        await bench.press("escape", ":", *"theme nord", "enter")
        assert bench.app.theme == before
        assert "No theme 'nord'; there are ansi, colour-blind-safe, high-contrast" in bench.said[-1]
        await bench.press(",", "G")
        seen = []
        for _ in range(len(bench.app.available_themes)):
            await bench.press("enter")
            seen.append(bench.app.theme)
        assert sorted(seen) == ["ansi", "colour-blind-safe", "high-contrast", "litterm-dark", "litterm-light"]


async def test_what_is_longer_than_the_screen_can_be_scrolled(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        bench.context.open(MessageDialog("long", [f"paragraph {at}" for at in range(60)], UNICODE))
        await bench.settle()
        assert "paragraph 0" in bench.shown()
        dialog = bench.context.dialogs[-1]
        for key, first in (("G", dialog.max_scroll_y), ("g", 0), ("j", 1)):
            await bench.press(key)
            await bench.until(lambda y=first: dialog.scroll_offset.y == y)  # type: ignore[misc]
        await bench.press("q")
        assert not bench.context.dialogs


async def test_a_key_that_clashes_names_the_file(start: Start, tmp_path: Path) -> None:
    settings = replace(from_home(tmp_path), keys=(("all.bogus", "Q"), ("all.star", "n")))
    async with start(settings=settings) as bench:
        assert len(bench.said) == 1
        assert bench.said[0].startswith(
            "config.toml: keys: unknown binding 'all.bogus'.\nconfig.toml: keys: 'n' is all"
        )


async def test_why_tells_the_evidence_of_a_paper_in_words(start: Start) -> None:
    async with start(SmallEngine(verdicts={PRUNING.id: "strong"})) as bench:
        await bench.evidence("pruning model")
        count = len(bench.context.evidence.state.rows)
        await bench.press("2", "i")
        assert f"On the pinned hypothesis: {count} evidence sentences, at best" in bench.shown()
        told = bench.context.dialogs[-1].query(Static).results()
        words = " ".join(str(each.render()) for each in told)
        assert f"On the pinned hypothesis: {count} evidence sentences, at best on topic." in words


async def test_on_a_small_screen_one_notice_stands_and_on_a_larger_one_three(start: Start) -> None:
    for size, count in (((80, 24), 1), ((120, 40), 3)):
        async with start(size=size) as bench:
            for text in ("one", "two", "three", "four"):
                bench.context.tell(text)
                await bench.settle()
            assert bench.toasts == ["one", "two", "three", "four"][-count:]


async def test_a_notice_that_went_leaves_no_line_that_pushes_the_next_one_over_the_rows(tmp_path: Path) -> None:
    app = LittermApp(SmallEngine(), from_home(tmp_path), UNICODE, raise_task_errors=True)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        bench = Bench(app, pilot, SmallEngine())
        for text in ("one", "two", "three"):
            bench.context.tell(text)
            await bench.settle()
        [toast] = bench.screen.query(Toast)
        assert toast.region.y == 0
        assert len(bench.screen.query(ToastHolder)) == 1
