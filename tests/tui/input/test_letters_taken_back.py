"""Letters that act at once: they act before a word can be told from a command, and leave nothing when one follows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from tui.harness import Bench, Start

from litterm.core.errors import DiskFull
from litterm.library.journal import FileJournal
from litterm.tui.dialogs.text import TypedTextDialog
from litterm.tui.input.keymap import TABLE
from litterm.tui.state import PANES, PaneName
from litterm.tui.widgets.styled_lines import LineView

SMALL = (60, 14)
LETTERS = sorted(
    {name for key in TABLE if key.scope != "typing" for name in key.keys if len(name) == 1 and name.isalpha()}
)
SEEN: dict[PaneName, str] = {"results": "adsGhqe", "reader": "aGhqev", "evidence": "ahqe"}
"""Some letters that change what is shown."""
IN_ALL_PANES = "qz"
TOGETHER: tuple[tuple[PaneName, ...], ...] = (
    *(("results",), ("home",)),
    tuple(pane for pane in PANES if pane not in ("results", "home")),
)
"""Panes in which letters are tried one after the other: each start of a workbench takes its time."""
LIKE_OTHERS = "SpPLwiTtE"
"""Letters that open a dialog, as others do that are tried."""
ALWAYS_WAIT = frozenset("WMfFrRyYVQoICAX")
"""Letters that ask a service or a model, start a program, write a file or search."""


def letters_of(pane: PaneName) -> list[str]:
    """Most letters in the results; elsewhere those that do something else there, and some of the others."""
    if pane == "results":
        return [letter for letter in LETTERS if letter not in LIKE_OTHERS]
    own = {
        name
        for key in TABLE
        for name in key.keys
        if key.scope == pane or (key.scope == "all" and key.action_in(pane) != key.action_in("results"))
    }
    return [letter for letter in LETTERS if letter in own or letter in SEEN.get(pane, "") + IN_ALL_PANES]


class StoppedClock:
    """Stands still until `run_out`."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._now_s = bench, 0.0
        run = bench.app.letter_run
        run.clock, run.pause, run.max_gap_s = self, self._pause, 0.1

    def __call__(self) -> float:
        return self._now_s

    async def _pause(self, _seconds: float) -> None:
        await asyncio.sleep(0.002)

    async def run_out(self) -> None:
        """No other letter belongs to those that came so far."""
        await until_handled(self._bench)
        self._now_s += 1.0
        await self._bench.settle()


async def until_handled(bench: Bench) -> None:
    """Until the keys sent have acted, though others may still follow them."""
    quiet = 0
    while quiet < 4:
        await asyncio.sleep(0.005)
        nodes = [bench.app, *bench.screen.walk_children(with_self=True)]
        busy = bench.app._delivering or bench.context.work.jobs or any(node.message_queue_size for node in nodes)
        quiet = 0 if busy else quiet + 1


def journal_bytes(bench: Bench) -> bytes:
    file = bench.engine.settings.library / "journal" / "journal.jsonl"
    return file.read_bytes() if file.exists() else b""


def everything(bench: Bench) -> dict[str, object]:
    """What the user sees, has decided, and finds at the next start."""
    context, controllers = bench.context, bench.controllers
    controllers.session.save()
    annotations = bench.engine.annotations
    views = [view for view in context.board.query(LineView) if view.display]
    return {
        "screen": bench.shown(),
        "undo": [[event.id for event in stack] for stack in annotations.undo_log.steps()],
        "session": annotations.session(),
        "shape": context.board.shape,
        "focus": bench.app.focused,
        "history": controllers.reader.history(),
        "places": [(view.id, view.place()) for view in views],
        "states": (context.results.state, context.reader.state, context.evidence.answers(), context.matrix.state),
        "hypothesis": context.evidence.pinned_hypothesis,
        "open": (list(context.dialogs), bench.toasts),
    }


@pytest.mark.parametrize("panes", TOGETHER, ids="-".join)
async def test_a_letter_that_acts_at_once_leaves_nothing_when_a_word_follows(
    start: Start, panes: Sequence[PaneName]
) -> None:
    async with start(size=SMALL) as bench:
        await bench.evidence()
        # A step to undo and one to redo, a paper to go back to and one ahead.
        await bench.press("2", "s", "d", "u", ">", "<", "b")
        StoppedClock(bench)
        for pane in panes:
            await try_letters(bench, pane)


async def try_letters(bench: Bench, pane: PaneName) -> None:
    acted, seen, results = set(), set(), bench.context.results
    for letter in letters_of(pane):
        await bench.to(pane)
        if bench.app.letter_run.waits(letter, in_dialog=False, at_once=bench.app.acts_at_once(letter)):
            continue
        for toast in bench.app.toasts:
            # It would go by itself sooner or later.
            bench.app.drop_toast(toast)
            await bench.settle()
        # What rows say about the hypothesis comes by itself.
        await bench.until(lambda: all(results.verdict_text(row) for row in results.rows_on_screen))
        await bench.settle()
        before = everything(bench)
        bench.send(letter)
        await until_handled(bench)
        acted.add(letter)
        seen |= {letter} if everything_shown(bench) != everything_shown_of(before) else set()
        bench.send("q", "z")
        await until_handled(bench)
        assert isinstance(bench.context.dialogs[-1], TypedTextDialog), letter
        assert bench.field("typed-text").text == f"{letter}qz"
        await bench.press("escape")
        # A frame may still be on its way.
        await bench.until(lambda then=before: not differing(then, everything(bench)))
    assert not acted & ALWAYS_WAIT
    assert seen >= set(SEEN.get(pane, "z")), sorted(acted - seen)


def differing(before: dict[str, object], after: dict[str, object]) -> set[str]:
    return {name for name in before if before[name] != after[name]}


def everything_shown(bench: Bench) -> tuple[object, ...]:
    return bench.shown(), bench.context.board.shape, bench.toasts


def everything_shown_of(before: dict[str, object]) -> tuple[object, ...]:
    return before["screen"], before["shape"], before["open"][1]  # type: ignore[index]


async def test_a_decision_is_shown_at_once_and_written_by_then(start: Start) -> None:
    async with start(size=SMALL) as bench:
        await bench.search("pruning")
        clock, before = StoppedClock(bench), journal_bytes(bench)
        paper = bench.context.results.shown[0].paper.id
        bench.send("a")
        await until_handled(bench)
        assert bench.context.results.state.notes[paper].screening == "included"
        assert b"included" in journal_bytes(bench)[len(before) :]
        await clock.run_out()
        bench.send("u")
        await clock.run_out()
        assert bench.engine.annotations.notes(paper).screening is None


async def test_decisions_with_steps_between_them_are_no_word(start: Start) -> None:
    async with start(size=SMALL) as bench:
        await bench.search("pruning")
        clock = StoppedClock(bench)
        bench.send(*"ajxjs")
        await clock.run_out()
        notes = [bench.engine.annotations.notes(row.paper.id) for row in bench.context.results.shown[:3]]
        assert [(note.screening, note.starred) for note in notes] == [
            ("included", False), ("excluded", False), (None, True),
        ]  # fmt: skip
        assert bench.context.dialogs == []


async def test_another_key_makes_a_decision_stay(start: Start) -> None:
    async with start(size=SMALL) as bench:
        await bench.search("pruning")
        StoppedClock(bench)
        bench.send("a", "enter")
        await until_handled(bench)
        bench.send(*"skip")
        await until_handled(bench)
        assert bench.field("typed-text").text == "skip"
        await bench.press("escape")
        notes = bench.engine.annotations.notes(bench.context.results.shown[0].paper.id)
        assert (notes.screening, notes.starred) == ("included", False)


async def test_a_decision_that_cannot_be_taken_back_is_still_shown(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(size=SMALL) as bench:
        await bench.search("pruning")
        StoppedClock(bench)
        bench.send("a")
        await until_handled(bench)

        def fail(*_: object) -> None:
            raise DiskFull("The disk is full.")

        monkeypatch.setattr(FileJournal, "append_all", fail)
        bench.send("q", "z")
        await until_handled(bench)
        assert "The disk is full." in bench.said
        assert bench.context.results.state.notes[bench.context.results.shown[0].paper.id].screening == "included"
