"""The status line and the key line, around the panes."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.reactive import reactive

from litterm.text.escape import plain
from litterm.text.terminal_width import clip, width_of
from litterm.tui.input.keymap import BY_ID, HINT_WORDS, HINTS, PAPER_HINT_WORDS, RemappedKeys
from litterm.tui.jobs.job_text import status_words
from litterm.tui.messages import library_words
from litterm.tui.state import PaneName, StatusState
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import Line, LineView, Piece

REDRAW_INTERVAL_S = 1.0
"""Seconds between two drawings of a running task, whose times change without an event."""
_HELP_BINDINGS = ("all.help", "all.help-anywhere")
"""The bindings whose hint is always shown: they lead to all the others."""
_FILTER_HINTS = (("query", "all.reject"),)
"""Hints by mode or pane that say something only while the query has a filter."""
_MIN_NAME_WIDTH = 8
"""Cells in which the beginning of a name is still recognisable."""


class StatusLine(LineView, can_focus=False):
    """What ranked, the network's state, and the job that runs with the key that cancels it."""

    state: reactive[StatusState] = reactive(StatusState())

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="status")
        self._glyphs = glyphs

    def on_mount(self) -> None:
        self.set_interval(REDRAW_INTERVAL_S, self._tick)

    def _tick(self) -> None:
        # A task that waits in silence sends no event that would redraw its time.
        if self.state.jobs:
            self.refresh()

    def watch_state(self) -> None:
        self.refresh()

    def lay_out(self, width: int) -> int:
        return 1

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        state, glyphs = self.state, self._glyphs
        dot = f" {glyphs.dot} "
        room = max(0, width - 10)
        idle = "" if state.server_trouble else "idle"
        job = status_words(state.jobs[-1], len(state.jobs) - 1, room, glyphs) if state.jobs else idle
        parts = [part for part in (_ranking_words(state), plain(state.model), state.network, job) if part]
        # Where room is short the running task, which stands last, is dropped last.
        while len(parts) > 1 and width_of(dot.join(parts)) > room:
            del parts[0]
        right = clip(dot.join(parts), room, glyphs.ellipsis)
        library_text = _join_fitting(_library_parts(state), dot, width - width_of(right) - 11, glyphs)
        gap = max(1, width - width_of(right) - width_of(library_text) - 9)
        return (("litterm", "title"), ("  ", ""), (library_text, ""), (" " * gap, ""), (right, "")), ""


def _library_parts(state: StatusState) -> list[str]:
    """The project in use, an import elsewhere, and what the library holds: the first are dropped last."""
    showing = f", showing {state.since}" if state.since else ""
    writer = f"import running elsewhere{showing}" if state.library and state.library.writer else ""
    counts = library_words(state.library) if state.library else ()
    return [part for part in (plain(state.project), writer, *counts) if part]


_ORDER_WORDS = {
    "newest": "newest first",
    "oldest": "oldest first",
    "title": "by title",
    "author": "by author",
    "citations": "most cited first",
    "added": "last added first",
    "hybrid": "by words and meaning",
    "bm25": "by words",
    "linear": "by learned weights",
}


def _join_fitting(parts: list[str], dot: str, room: int, glyphs: Glyphs) -> str:
    """Join as many of `parts` as fit; only the first may be cut."""
    while len(parts) > 1 and width_of(dot.join(parts)) > room:
        parts = parts[:-1]
    return clip(dot.join(parts), room, glyphs.ellipsis) if room >= _MIN_NAME_WIDTH else ""


def _ranking_words(state: StatusState) -> str:
    ranker = state.ranked_by
    return _ORDER_WORDS.get(ranker) or (f"by {plain(ranker)}" if ranker else "")


_KeyHint = tuple[str, str, str]
"""Key, word, id of the binding."""


def _hint_width(hint: _KeyHint) -> int:
    return width_of(hint[0]) + width_of(hint[1]) + 4


class KeyLine(LineView, can_focus=False):
    """The mode and its keys, with the number of failures at the right."""

    focus_on: reactive[PaneName] = reactive("query")
    typing: reactive[bool] = reactive(True)
    finding: reactive[bool] = reactive(False)
    dialog: reactive[bool] = reactive(False)
    """Whether a dialog is open, which shows its own keys."""
    judges_paper: reactive[bool] = reactive(False)
    """Whether a decision in the reader is for the paper and not for a sentence."""
    filters: reactive[bool] = reactive(False)
    """Whether the query has a filter to remove."""
    table: reactive[bool] = reactive(False)
    """Whether the reader's cursor is on a table, which `enter` shows whole."""
    failures: reactive[int] = reactive(0)

    @dataclass
    class Chosen(Message):
        """A hint was clicked."""

        binding_id: str

    def __init__(self, glyphs: Glyphs, keys: RemappedKeys) -> None:
        super().__init__(id="keys")
        self._hint_spans: list[tuple[int, int, str]] = []
        """Cells of each hint (half-open) and the id of its binding."""
        self._glyphs = glyphs
        self._remapped_keys = keys

    def watch_focus_on(self) -> None:
        self.refresh()

    def watch_typing(self) -> None:
        self.refresh()

    def watch_finding(self) -> None:
        self.refresh()

    def watch_dialog(self) -> None:
        self.refresh()

    def watch_filters(self) -> None:
        self.refresh()

    def watch_table(self) -> None:
        self.refresh()

    def watch_judges_paper(self) -> None:
        self.refresh()

    def watch_failures(self) -> None:
        self.refresh()

    def lay_out(self, width: int) -> int:
        return 1

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        mode = " INSERT " if self.typing else " NORMAL "
        right = f"!{self.failures}" if self.failures else ""
        pieces: list[Piece] = [(mode, "insert-mode" if self.typing else "normal-mode")]
        width_used = len(mode) + len(right) + 2
        self._hint_spans = []
        for key, hint, binding_id in self._fitting(width - width_used):
            cells = _hint_width((key, hint, binding_id))
            self._hint_spans.append((width_used - len(right) + 1, width_used - len(right) - 2 + cells, binding_id))
            pieces += [("   ", ""), (key, "key"), (f" {hint}", "")]
            width_used += cells
        used = sum(width_of(text) for text, _ in pieces)
        if right:
            self._hint_spans.append((width - len(right), width, "all.jobs"))
        return (*pieces, (" " * max(1, width - used - len(right)), ""), (right, "warning")), ""

    def on_click(self, event: events.Click) -> None:
        """A click on a hint does what its key does."""
        inside = event.get_content_offset(self)
        for start, end, binding_id in self._hint_spans:
            if inside is not None and binding_id and start <= inside.x < end:
                self.post_message(self.Chosen(binding_id))
                return

    def _fitting(self, room: int) -> list[_KeyHint]:
        """The first hints that fit in `room` cells, and always those of the help."""
        hints = self._hints()
        help_hints = [hint for hint in hints if hint[2] in _HELP_BINDINGS and _hint_width(hint) <= room]
        room -= sum(map(_hint_width, help_hints))
        fitting: list[_KeyHint] = []
        for hint in hints:
            if hint in help_hints:
                continue
            room -= _hint_width(hint)
            if room < 0:
                break
            fitting.append(hint)
        return fitting + help_hints

    def _hints(self) -> list[_KeyHint]:
        """Key, word and binding of each hint; in dialog and find bar the words are others and nothing is clicked."""
        if self.dialog:
            words = (("typing.leave", "leave"), ("all.commands", "commands"), ("all.help-anywhere", "help"))
            return [(self._remapped_keys.shown_key_of(name), hint, "") for name, hint in words]
        if self.finding:
            words = (("typing.run", "next"), ("typing.up", "previous"), ("typing.leave", "end"))
            return [(self._remapped_keys.shown_key_of(name), hint, "") for name, hint in words]
        context = "typing" if self.typing else self.focus_on
        hint_words = {name: HINT_WORDS.get((context, name), BY_ID[name].hint) for name in HINTS[context]}
        if context == "reader" and self.judges_paper:
            hint_words |= PAPER_HINT_WORDS
        table = [(self._remapped_keys.shown_key_of("all.enter"), "whole table", "all.enter")]
        hints = table if self.table and context == "reader" else []
        return hints + [
            (self._remapped_keys.shown_key_of(name), hint_words[name], name)
            for name in HINTS[context]
            if self.filters or (context, name) not in _FILTER_HINTS
        ]
