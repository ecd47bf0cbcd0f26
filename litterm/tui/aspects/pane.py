"""The aspects of the query as a strip of chips; their scores for each paper are in the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from litterm.model.aspects import Aspect
from litterm.render.aspects import split_words
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, width_of
from litterm.tui.aspects.state import AspectsState, ChipPlace, lay_out_chips
from litterm.tui.input.keymap import bindings
from litterm.tui.part_messages import PartMessage
from litterm.tui.state import PaneName
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.styled_lines import Line, LineView, Piece

_MAX_LABEL_WIDTH, _MIN_LABEL_WIDTH, _MIN_BARE_LABEL_WIDTH = 60, 14, 4
"""Cells of a chip's text at most, and at least with and without a frame around the strip."""

_STATE_WORDS = (
    ("met", "met"),
    ("partly", "in part"),
    ("not", "not met"),
    ("muted", "muted"),
    ("unread", "no clear grade"),
)
"""What is in the matrix of papers and aspects, and what it means."""


class AspectsPane(LineView):
    """Shows the aspects; `AspectEditing` changes them."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("aspects"), *bindings("pane")]
    PANE = "aspects"
    PLACE: ClassVar[tuple[str, ...]] = ("cursor",)

    state: reactive[AspectsState] = reactive(AspectsState())

    @dataclass
    class Left(PartMessage):
        """Out of the chips, to the pane above or below."""

        to: PaneName

    @dataclass
    class Grew(Message):
        """The chips take another number of lines."""

        lines: int

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="aspects")
        self._glyphs = glyphs
        self._places: Sequence[ChipPlace] = ()
        self._lines = 0
        self.cursor = 0

    @property
    def current(self) -> Aspect | None:
        """The aspect under the cursor."""
        aspects = self.state.query.aspects
        return aspects[self.cursor] if self.cursor < len(aspects) else None

    @property
    def cursor_line(self) -> int:
        return self._places[self.cursor].line if self.cursor < len(self._places) else 0

    def watch_state(self, old: AspectsState, state: AspectsState) -> None:
        if old.text != state.text:
            self.cursor = 0
        self.cursor = max(0, min(self.cursor, len(state.query.aspects) - 1))
        self.renew()
        if not state.shown:
            self._post_line_count(0)
        elif not self._lines:
            # Not on the screen yet, so without a width to be laid out for.
            self._post_line_count(1)

    def move_to(self, index: int) -> None:
        """Put the cursor on an aspect, or on the nearest one that exists."""
        self.cursor = max(0, min(index, len(self.state.query.aspects) - 1))
        self.renew()
        self.show_lines(self.cursor_line, self.cursor_line + 1)

    def lay_out(self, width: int) -> int:
        aspects = self.state.query.aspects
        self._places = lay_out_chips(self._labels(width), width)
        lines = self._places[-1].line + 1 if self._places else 0
        self._post_line_count(lines)
        self.retitle()
        return lines if aspects else 0

    def _labels(self, width: int) -> list[str]:
        """The chip labels, cut to equal lengths unless they fit: into two lines with a frame, into one without."""
        aspects = self.state.query.aspects
        framed = bool(self.styles.border_top[0])
        longest = max((width_of(plain(aspect.text)) for aspect in aspects), default=0)
        for label_width in range(_MAX_LABEL_WIDTH, (_MIN_LABEL_WIDTH if framed else _MIN_BARE_LABEL_WIDTH) - 1, -2):
            labels = [self._label(index, label_width) for index in range(len(aspects))]
            fill = lay_out_chips(labels, width)[-1].line + 1 if labels else 0
            if fill <= (2 if framed and label_width < longest else 1):
                break
        return labels

    def _label(self, index: int, width: int) -> str:
        aspect, glyphs = self.state.query.aspects[index], self._glyphs
        weight = "" if aspect.weight == 1.0 else f" *{aspect.weight:g}"
        mark = glyphs.rejected if aspect.muted else glyphs.chosen
        text = clip(plain(aspect.text), width, glyphs.ellipsis)
        return f"{glyphs.chip_open}{index + 1} {text}{weight} {mark}{glyphs.chip_close}"

    def _post_line_count(self, lines: int) -> None:
        if lines != self._lines:
            self._lines = lines
            self.post_message(self.Grew(lines))

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        pieces: list[Piece] = []
        column = 0
        for index, place in enumerate(self._places):
            if place.line != y:
                continue
            role = "muted" if self.state.query.aspects[index].muted else "chip"
            cursor_style = " cursor" if self.has_focus and index == self.cursor else ""
            pieces += [(" " * (place.start - column), ""), (place.text, role + cursor_style)]
            column = place.start + width_of(place.text)
        return tuple(pieces), ""

    def retitle(self) -> None:
        """Update the title: the aspect under the cursor in full, and the method of the scores."""
        state, dot, aspect = self.state, self._glyphs.dot, self.current
        current_words = f" {dot} {self.cursor + 1}: {plain(aspect.text)}" if aspect and self.has_focus else ""
        parts = [f"split {split_words(state.query)}", state.busy or state.scores.by]
        if state.scores.graded_by:
            hidden = ", hidden until you grade" if state.blind else ""
            parts.append(f"graded by {state.scores.graded_by} ({state.mark}{hidden})")
        set_title(self, f"aspects{current_words}", f" {dot} ".join(part for part in parts if part), self._glyphs)
        marks = "   ".join(f"{self._glyphs.coverage_mark(coverage)} {meaning}" for coverage, meaning in _STATE_WORDS)
        self.border_subtitle = Content(marks) if state.shown else ""

    def on_focus(self) -> None:
        self.renew()

    def on_blur(self) -> None:
        self.renew()

    def action_move(self, step: int) -> None:
        """Move a line of chips up or down, or leave the pane."""
        line = self.cursor_line + step
        in_line = [index for index, place in enumerate(self._places) if place.line == line]
        if not in_line:
            self._leave(step)
            return
        start = self._places[self.cursor].start
        self.move_to(min(in_line, key=lambda index: abs(self._places[index].start - start)))

    def action_left(self) -> None:
        self.move_to(self.cursor - 1)

    def action_right(self) -> None:
        self.move_to(self.cursor + 1)

    def action_edge(self, end: int) -> None:
        self.move_to(0 if end < 0 else len(self._places) - 1)

    def action_page(self, pages: float) -> None:
        # The strip has three lines at most: a page leads out of it.
        self._leave(pages)

    def _leave(self, step: float) -> None:
        self.post_message(self.Left("results" if step > 0 else "query"))

    def on_click(self, event: events.Click) -> None:
        """A click goes to a chip; a click on the chip under the cursor mutes it."""
        inside = event.get_content_offset(self)
        if inside is None:
            return
        y = inside.y + self.scroll_offset.y
        for index, place in enumerate(self._places):
            if place.line == y and place.start <= inside.x < place.start + width_of(place.text):
                # Only a repeated click mutes: a single one may just have been meant to bring the focus here.
                if index == self.cursor and self.has_focus_within and event.chain != 1:
                    self.run_binding("all.select")
                self.move_to(index)
