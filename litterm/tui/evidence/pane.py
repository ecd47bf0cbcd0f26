"""The evidence pane: sentences for a hypothesis, with the decisions on them."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.reactive import reactive

from litterm.model.evidence import CLOSENESS
from litterm.render.closeness import stance_label, strength_words
from litterm.render.names import method_words
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, pad, width_of, wrap_text
from litterm.tui.input.keymap import bindings
from litterm.tui.state import EvidenceRow, EvidenceState
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import find_ranges, styled_pieces, word_pattern
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import Line, Piece, line

EMPTY_TEXT = "No hypothesis yet. Press e on a paper: its evidence sentences appear here and are marked in the text."
FOLDED_LINES = 2
"""Lines of a sentence below its locator and away from the cursor, at least."""
UNFOLDED_LINES = 3
"""Lines of the sentence under the cursor beside its locator, at least."""
_MIN_SECTION_WIDTH = 6
"""Cells in which a section's name still says which it may be."""
_MIN_WIDTH_FOR_BOTH = 56
"""Cells from which closeness and likely stance both find room."""
LABEL_WIDTH = max(map(len, CLOSENESS.values())) + 3
"""Cells of the column that says how close a sentence comes; a longer judgement takes more."""
WIDE_PANE_WIDTH = 70
"""Cells from which a sentence is beside its locator instead of below it."""


class EvidencePane(Rows):
    """Draws evidence sentences, more lines of each where there is room."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("evidence")]
    PANE = "evidence"

    state: reactive[EvidenceState] = reactive(EvidenceState())

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="evidence")
        self._glyphs = glyphs
        self._line_limit = FOLDED_LINES
        """Lines of a sentence away from the cursor; 0: all of them, where there is room for that."""

    @property
    def current(self) -> EvidenceRow | None:
        """The row under the cursor."""
        return self.state.rows[self.cursor] if self.cursor < len(self.state.rows) else None

    def watch_state(self, old: EvidenceState, state: EvidenceState) -> None:
        sentence = old.rows[self.cursor].index if self.cursor < len(old.rows) else None
        # Sentences arrive section by section: a cursor not yet moved stays on the best of them.
        untouched = bool(old.busy) and self.cursor == 0
        keeps_cursor = old.hypothesis == state.hypothesis and sentence is not None and not untouched
        self.cursor = (
            next((index for index, row in enumerate(state.rows) if row.index == sentence), 0) if keeps_cursor else 0
        )
        self.renew()
        self.call_after_refresh(self.show_cursor)

    def select(self, sentence: int) -> None:
        """Put the cursor on the row of a sentence, if there is one, without posting a message."""
        index = next((index for index, row in enumerate(self.state.rows) if row.index == sentence), None)
        if index is not None and index != self.cursor:
            self.cursor = index
            self.renew()
            self.show_cursor()

    def count(self) -> int:
        return len(self.state.rows)

    def lay_out(self, width: int) -> int:
        # The title is cut to the width, which is known only here.
        self.retitle()
        # Whole sentences if all of them fit on the screen, else as many lines of each as do, but a few at least.
        self._line_limit = 0
        height = super().lay_out(width)
        if height > self.size.height:
            self._line_limit = self._fitting_limit(width)
            height = super().lay_out(width)
        return height

    def _fitting_limit(self, width: int) -> int:
        """The most lines of each sentence with which all fit; known from the rows of whole sentences."""
        is_below = width < WIDE_PANE_WIDTH
        heights = [end - start for start, end in pairwise(self._offsets)]
        # Below its locator, the sentence under the cursor is whole.
        kept = heights.pop(self.cursor) if is_below and heights else 0
        room = self.size.height - len(self._head) - kept
        least = FOLDED_LINES if is_below else 1
        limits = range(max(heights, default=0), least, -1)
        return next((limit for limit in limits if sum(min(h, limit + is_below) for h in heights) <= room), least)

    def draw_head(self, width: int) -> Drawn:
        state = self.state
        notices = [state.note, *state.notices] if state.asked else [] if state.rows or state.busy else [EMPTY_TEXT]
        lines = [line((f" {text}", "hint")) for part in notices if part for text in wrap_text(part, max(4, width - 2))]
        return tuple(lines)

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        row = self.state.rows[index]
        mark: Piece = (self._glyphs.dot, "muted")
        if row.part:
            mark = "!", "warning"
        elif row.role:
            mark = self._glyphs.strong_mark(row.role), f"{row.role} mark"
        bar = (self._glyphs.bar if under_cursor else " ", "bar")
        lead: list[Piece] = [bar, mark, (f" {row.rank:<3}" if row.rank else "    ", "muted")]
        return (
            self._beside(row, lead, width, under_cursor)
            if width >= WIDE_PANE_WIDTH
            else self._below(row, lead, width, under_cursor)
        )

    def _beside(self, row: EvidenceRow, lead: list[Piece], width: int, under_cursor: bool) -> Drawn:
        place = pad(self._place(row, 24), 24, self._glyphs.ellipsis)
        strength = f"  {_judgement(row, width)} ".rjust(LABEL_WIDTH)
        room = max(8, width - 6 - 26 - width_of(strength))
        texts = wrap_text(
            plain(row.text),
            room,
            lines=max(UNFOLDED_LINES, self._line_limit) if under_cursor and self._line_limit else self._line_limit,
            ellipsis=self._glyphs.ellipsis,
        )
        first_line = self._styled_text(row, texts[0] if texts else "")
        fill = " " * max(0, room - width_of(texts[0] if texts else ""))
        lines: list[Line] = [line(*lead, (place + "  ", "muted"), *first_line, fill, (strength, "muted"))]
        lines += [line(" " * 32, *self._styled_text(row, text)) for text in texts[1:]]
        return (*lines, *self._reason(row, 32, width)) if under_cursor else tuple(lines)

    def _below(self, row: EvidenceRow, lead: list[Piece], width: int, under_cursor: bool) -> Drawn:
        strength = _judgement(row, width)
        place = self._place(row, max(4, width - 9 - width_of(strength)))
        gap = " " * max(1, width - 8 - width_of(place) - width_of(strength))
        lines = [line(*lead, (place, "muted"), gap, (strength, "muted"))]
        for text in wrap_text(plain(row.text), max(4, width - 7), lines=0 if under_cursor else self._line_limit):
            lines.append(line(" " * 6, *self._styled_text(row, text)))
        return (*lines, *self._reason(row, 6, width)) if under_cursor else tuple(lines)

    def _place(self, row: EvidenceRow, room: int) -> str:
        """The locator in `room` cells: the section's name is cut, not the paragraph and the page."""
        place = self._glyphs.place(plain(row.locator))
        name, sign, paragraph = place.rpartition(self._glyphs.place(" ¶"))
        if not sign or width_of(sign + paragraph) + _MIN_SECTION_WIDTH > room:
            return clip(place, room, self._glyphs.ellipsis)
        return clip(name, room - width_of(sign + paragraph), self._glyphs.ellipsis) + sign + paragraph

    def _reason(self, row: EvidenceRow, indent: int, width: int) -> Drawn:
        """The model's reason for the sentence under the cursor, set apart from the paper's own text."""
        if not row.reason:
            return ()
        texts = wrap_text(f"model: {plain(row.reason)}", max(4, width - indent - 1))
        return tuple(line(" " * indent, (text, "hint")) for text in texts)

    def _styled_text(self, row: EvidenceRow, text: str) -> list[Piece]:
        role = "struck" if row.role == "rejected" else "warning" if row.part else ""
        return styled_pieces(text, 0, len(text), find_ranges(text, word_pattern(row.terms)), role)

    def retitle(self) -> None:
        """Update the title after a change of width, frame or position."""
        state, glyphs = self.state, self._glyphs
        proposed = sum(row.rank is not None and row.role is not None and not row.negated for row in state.rows)
        heading = f'4 evidence {glyphs.dot} "{state.hypothesis}"' if state.hypothesis else "4 evidence"
        right = state.busy or (f"{proposed} {glyphs.dot} {method_words(state.by)}" if state.asked else "")
        set_title(self, heading, right, glyphs)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show_cursor)


def _judgement(row: EvidenceRow, width: int) -> str:
    """The stance where a model judged one, else how close the sentence comes to the hypothesis.

    A stance that only the wording suggests is beside that, in a narrow pane instead of it.
    """
    if row.part or row.stance:
        return "failed" if row.part else row.stance or ""
    parts = (strength_words(row.strength), stance_label(None, row.likely))
    return ", ".join(filter(None, parts if width >= _MIN_WIDTH_FOR_BOTH else parts[1:] if parts[1] else parts))
