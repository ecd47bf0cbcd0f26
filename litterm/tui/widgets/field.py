"""A text field of one or more lines, in which every printable key is a letter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from litterm.text.escape import plain_lines
from litterm.tui.input.keymap import COMMAND_KEYS, bindings
from litterm.tui.platform.textual_compat import CompatTextArea


class Field(CompatTextArea):
    """The text field of litterm: its keys come from the key table, and pasted text is made harmless."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("field")]

    @dataclass
    class Edited(Message):
        """The user has changed the text."""

        field: Field
        text: str

    @dataclass
    class ActionRequested(Message):
        """A key of the field that does not type.

        `submit`, `leave`, `below`, `above`, `complete`, `before`, `online`, `correction` or `cancel`.
        """

        field: Field
        what: str

    def __init__(self, text: str = "", *, placeholder: str = "", id: str | None = None, single: bool = False) -> None:
        # As content: a placeholder that is a string would be read as markup.
        super().__init__(text, placeholder=Content(placeholder), id=id, soft_wrap=True, highlight_cursor_line=False)
        # A blinking cursor would draw the field twice a second while nothing happens.
        self.cursor_blink = False
        self._is_single_line = single
        # The text last set or reported: TextArea reports every change, also those made by `set_text`.
        self._reported_text = text
        self._marked_span: tuple[int, int] | None = None
        self._mark_role = ""

    def mark(self, span: tuple[int, int] | None, role: str = "error") -> None:
        """Underline the characters of `span` in the ink of `role`; `None` marks none."""
        if (span, role) != (self._marked_span, self._mark_role):
            self._marked_span, self._mark_role = span, role
            # Drops the lines that TextArea has cached.
            self.notify_style_update()
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A line as Textual draws it, with the characters that are marked."""
        drawn_line = super().get_line(line_index)
        if self._marked_span is not None and self.is_attached:
            before = sum(len(self.document.get_line(line)) + 1 for line in range(line_index))
            start, end = (max(0, offset - before) for offset in self._marked_span)
            style = self.screen.get_component_rich_style(f"ink--{self._mark_role}", partial=True)
            drawn_line.stylize(style + Style(underline=True, bold=self._mark_role == "error"), start, end)
        return drawn_line

    def set_text(self, text: str) -> None:
        """Replace the text without saying so; the cursor goes to its end."""
        self._reported_text = text
        self.text = text
        self.move_cursor(self.document.end)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.text != self._reported_text:
            self._reported_text = self.text
            self.post_message(self.Edited(self, self.text))

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Only redraw: Textual would restyle the field and its eight components, which look the same."""
        self.refresh()

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Letters are letters, and keys of command mode do nothing while typing."""
        return key in COMMAND_KEYS or super().check_consume_key(key, character)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines to draw; blank for a field just removed, which has no styles any more and would raise."""
        return super().render_lines(crop) if self.is_attached else [Strip.blank(crop.width)] * crop.height

    async def on_key(self, event: events.Key) -> None:
        # Enter is an action here, a new line is ctrl+j: the base class must not see it.
        if event.key == "enter":
            event.prevent_default()

    async def on_paste(self, event: events.Paste) -> None:
        # The base class would insert control characters and, in a field of one line, line breaks.
        event.prevent_default()
        event.stop()
        text = plain_lines(event.text)
        inserted = " ".join(text.split("\n")) if self._is_single_line else text
        result = self.replace(inserted, *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def action_submit(self) -> None:
        self.post_message(self.ActionRequested(self, "submit"))

    def action_leave(self) -> None:
        self.post_message(self.ActionRequested(self, "leave"))

    def action_complete(self) -> None:
        self.post_message(self.ActionRequested(self, "complete"))

    def action_before(self) -> None:
        self.post_message(self.ActionRequested(self, "before"))

    def action_online(self) -> None:
        self.post_message(self.ActionRequested(self, "online"))

    def action_correction(self) -> None:
        self.post_message(self.ActionRequested(self, "correction"))

    def action_new_line(self) -> None:
        if not self._is_single_line:
            self.insert("\n")

    def action_copy(self) -> None:
        # Textual binds ctrl+c to copying; with nothing to copy it is the key that stops a job.
        if self.selected_text:
            super().action_copy()
        else:
            self.post_message(self.ActionRequested(self, "cancel"))

    def action_clear(self) -> None:
        """Delete all text; `ctrl+_` restores it."""
        self.delete((0, 0), self.document.end)

    def action_below(self) -> None:
        if self.navigator.is_last_wrapped_line(self.cursor_location):
            self.post_message(self.ActionRequested(self, "below"))
        else:
            self.action_cursor_down()

    def action_above(self) -> None:
        if self.navigator.is_first_wrapped_line(self.cursor_location):
            self.post_message(self.ActionRequested(self, "above"))
        else:
            self.action_cursor_up()
