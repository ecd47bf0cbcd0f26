"""Dialogs with a list of labels and details: to choose a row of it, or with a message above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from litterm.text.escape import plain
from litterm.text.terminal_width import clip, width_of, wrap_text
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import Line, line

T = TypeVar("T")
_MAX_HEIGHT_BELOW_CHART = 50
"""Percentage of the screen's height for the rows below a chart."""


@dataclass(frozen=True, slots=True)
class ListChoice:
    """One row of a list."""

    label: str
    detail: str = ""
    """At the right, muted."""
    indent: int = 0
    key: str = ""
    """A key at the left, for help and commands."""
    below: tuple[str, ...] = ()
    """Muted paragraphs under the label, where rows wrap."""
    role: str = ""
    max_lines: int = 0
    """Lines of a label that wraps; 0 for as many as it needs."""


class ChoiceRows(Rows):
    """Rows of label and detail."""

    def __init__(
        self, choices: Sequence[ListChoice], glyphs: Glyphs, *, wrap: bool = False, id: str = "choices"
    ) -> None:
        super().__init__(id=id)
        self._choices = tuple(choices)
        self._key_cells = max((width_of(choice.key) for choice in choices), default=0)
        self._glyphs = glyphs
        self.wraps = wrap
        """Whether long labels wrap instead of being cut."""
        self.max_height_percent = 100
        """Maximum height as a percentage of the screen's."""

    def show(self, choices: Sequence[ListChoice]) -> None:
        """Show other rows with the cursor on the first."""
        # Emptied first, so that `replace_choices` finds no row to keep the cursor on.
        self._choices, self.cursor = (), 0
        self.scroll_to(y=0, animate=False, force=True)
        self.replace_choices(choices)
        self.refresh(layout=True)

    def replace_choices(self, choices: Sequence[ListChoice]) -> None:
        """Replace the rows; the cursor stays on its row if that is still there."""
        before = self._choices[self.cursor].label if self.cursor < len(self._choices) else None
        self._choices = tuple(choices)
        self._key_cells = max((width_of(choice.key) for choice in choices), default=0)
        places = [index for index, choice in enumerate(self._choices) if choice.label == before]
        # A label may be there twice: the cursor stays where it is as long as the row there has it.
        if places and self.cursor not in places:
            self.cursor = places[0]
        self.renew()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        # A heading that grew by a line, or a row by a note, leaves less room: the row under the cursor stays whole.
        self.show_cursor()

    def count(self) -> int:
        return len(self._choices)

    def get_content_height(self, container: object, viewport: Size, width: int) -> int:
        rows = self.lay_out(max(1, width)) if self.wraps else len(self._choices)
        return max(1, min(rows, viewport.height * self.max_height_percent // 100))

    # Lists of hundreds of commands are measured without being drawn, as a row that does not wrap has one line.
    def height_of(self, index: int, width: int) -> int:
        return super().height_of(index, width) if self.wraps else 1

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        choice = self._choices[index]
        key = choice.key + " " * (self._key_cells - width_of(choice.key) + (2 if self._key_cells else 0))
        lead: Line = ((" " * (1 + 2 * choice.indent), ""), (key, "key"))
        indent = sum(width_of(text) for text, _ in lead)
        room = max(4, width - indent - 1)
        label = plain(choice.label)
        detail = clip(plain(choice.detail), max(room // 2, room - width_of(label) - 2), self._glyphs.ellipsis)
        label_width = room - width_of(detail) - 2 if detail else room
        if not self.wraps:
            return (self._row(lead, clip(label, label_width, self._glyphs.ellipsis), detail, room, choice.role),)
        texts = wrap_text(label, label_width, lines=choice.max_lines, ellipsis=self._glyphs.ellipsis) or [""]
        first_line = self._row(lead, texts[0], detail, room, choice.role)
        detail_lines = [text for paragraph in choice.below for text in wrap_text(plain(paragraph), room)]
        return (
            first_line,
            *(line(" " * indent, (text, choice.role)) for text in texts[1:]),
            *(line(" " * indent, (text, "muted")) for text in detail_lines),
        )

    def _row(self, lead: Line, label: str, detail: str, room: int, role: str) -> Line:
        gap = " " * max(1, room - width_of(label) - width_of(detail)) if detail else ""
        return line(*lead, (label, role), gap, (detail, "muted"))


class ChoiceDialog(Dialog[int]):
    """Answers with the index of the row entered."""

    def __init__(
        self,
        title: str,
        choices: Sequence[ListChoice],
        glyphs: Glyphs,
        *,
        start: int = 0,
        wrap: bool = False,
        keys: str = "choose",
    ) -> None:
        super().__init__(title, f"enter {keys} {glyphs.dot} esc leave", glyphs)
        self._start = start
        self.about = ""
        """Text above the rows."""
        self.chart: Sequence[str] = ()
        """Lines of a chart above the rows, as they are to be shown."""
        self.choices = ChoiceRows(choices, glyphs, wrap=wrap)

    def body(self) -> ComposeResult:
        if self.about:
            yield paragraph(self.about, "cause")
        if self.chart:
            yield Static(Content("\n".join(self.chart)), classes="cause")
            # The keys below the rows stay in sight on a small screen.
            self.choices.max_height_percent = _MAX_HEIGHT_BELOW_CHART
        yield self.choices

    def on_mount(self) -> None:
        self.choices.focus()
        self.choices.cursor = self._start
        self.call_after_refresh(self.choices.show_cursor)
        self.call_after_refresh(self._show_position)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_position)

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self._show_position()

    def _show_position(self) -> None:
        """Show which row of how many is current where the list does not fit."""
        rows = self.choices
        is_cut = rows.virtual_size.height > rows.size.height
        self.border_subtitle = f"{rows.cursor + 1}/{rows.count()}" if is_cut else ""

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.dismiss(event.index)

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        if event.step < 0:
            self.dismiss(None)
        else:
            self.dismiss(self.choices.cursor)


class ListDialog(Dialog[T]):
    """A message above a list, which has the focus."""

    def __init__(self, title: str, keys: str, glyphs: Glyphs, *, heading: str = "") -> None:
        super().__init__(title, keys, glyphs)
        # Held, not looked up: an answer or a report may arrive before the dialog has been composed.
        self.message = paragraph(heading, "cause")
        self.choices = ChoiceRows((), glyphs, wrap=True)

    def body(self) -> ComposeResult:
        yield self.message
        yield self.choices

    def on_mount(self) -> None:
        self.choices.focus()
