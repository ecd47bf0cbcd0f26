"""The base of all dialogs: a title, content, a line of keys, and at most one answer.

Dialogs are widgets of the workbench's screen, whose keys, status line and tour they keep; a `ModalScreen` of Textual
would open and close at the same cost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from litterm.text.escape import plain, plain_lines
from litterm.tui.input.keymap import BY_ID, TABLE, bound_action, textual_key
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.key_hints import KeyHints

T = TypeVar("T")
_KEY_NAME = re.compile(r"\S|(?:ctrl|shift|alt)[+-]\S+|enter|esc|tab|space|up|down|f\d+|pgup|pgdn")
GLOBAL_KEYS = frozenset(textual_key(name) for key in TABLE if key.everywhere for name in key.keys)


def closing_keys() -> list[BindingType]:
    """`esc` and `q` close a dialog; typing `q` in a field is a letter there."""
    keys = (*BY_ID["all.back"].keys, *BY_ID["all.hide"].keys)
    return [Binding(textual_key(key), "close", "close", id=f"dialog.close-{key}") for key in keys]


def help_keys() -> list[BindingType]:
    """`?` lists the keys of a dialog, as `f1` does; in a field it is typed."""
    return [Binding(textual_key(key), "help", "help", id=f"dialog.help-{key}") for key in BY_ID["all.help"].keys]


class Dialog(Vertical, Generic[T]):
    """A title, the widgets of `body`, and a line of keys."""

    BINDINGS: ClassVar[list[BindingType]] = [*closing_keys(), *help_keys()]

    @dataclass
    class Closed(Message):
        """The dialog is to be closed; `deliver` passes its answer on, if it has one."""

        dialog: Dialog[object]
        deliver: Callable[[], None] | None

    def __init__(self, title: str, keys: str, glyphs: Glyphs) -> None:
        super().__init__(classes="dialog")
        self.border_title = Content(plain(title))
        self.glyphs = glyphs
        # Held, not looked up: it may be changed before the dialog has been composed.
        self.key_hints = KeyHints(keys.split(f" {glyphs.dot} "), glyphs.dot)
        self.on_answer: Callable[[T], None] | None = None
        """Called with the answer."""
        self.focus_before: Widget | None = None
        """The widget that had the focus when another dialog was opened over this one."""
        self._is_closed = False

    def compose(self) -> ComposeResult:
        yield from self.body()
        yield self.key_hints

    def body(self) -> ComposeResult:
        """The widgets between title and keys."""
        raise NotImplementedError

    def help_rows(self) -> Sequence[tuple[str, str]]:
        """Keys of this dialog and what they do: those of its last line, then those that it has no room to show."""
        rows = [_split_hint(hint) for hint in self.key_hints.hints]
        shown = {key for keys, _ in rows for key in keys.split()}
        hidden = (binding for binding in type(self).BINDINGS if isinstance(binding, Binding))
        return [*rows, *((key, text) for key, text in ((b.key, b.description) for b in hidden) if key not in shown)]

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Keep keys of the workbench from acting while a dialog is open."""
        return key not in GLOBAL_KEYS

    def dismiss(self, answer: T | None) -> None:
        """Close, with an answer or `None`; a second call does nothing."""
        if not self._is_closed:
            self._is_closed = True
            deliver = None if answer is None or self.on_answer is None else partial(self.on_answer, answer)
            # As a message: a handler of this dialog may still be at work, under which it must not be removed.
            self.post_message(self.Closed(self, deliver))  # type: ignore[arg-type]

    def keep_at_end(self) -> None:
        """Store what is typed and not saved: the process ends."""

    def resume(self) -> None:
        """Take the focus back when the dialog over this one was closed."""
        if self.focus_before is not None and self.focus_before.is_attached:
            self.focus_before.focus(scroll_visible=False)

    def action_close(self) -> None:
        self.dismiss(None)

    async def action_help(self) -> None:
        await self.app.run_action(bound_action(BY_ID["all.help"].action), self)

    def on_field_action_requested(self, event: Field.ActionRequested) -> None:
        event.stop()
        self.handle_field_action(event)

    def handle_field_action(self, event: Field.ActionRequested) -> None:
        """A key of a field; Textual would call a subclass's handler beside this class's, so it is a method."""
        match event.what:
            case "leave" | "cancel":
                self.dismiss(None)
            case "submit":
                self.on_text_submitted(event.field.text)
            case _:
                pass

    def on_text_submitted(self, text: str) -> None:
        """Enter was pressed in a field."""


def _split_hint(hint: str) -> tuple[str, str]:
    """`j k candidates` as keys and their meaning."""
    words = hint.split()
    count = next((index for index, word in enumerate(words) if not _KEY_NAME.fullmatch(word)), len(words))
    return " ".join(words[:count]), " ".join(words[count:])


def paragraph(text: str, kind: str = "said") -> Static:
    """A paragraph of a dialog.

    As `Content`, because Textual would read a plain string as markup, and the text may come from a service.
    """
    return Static(Content(plain_lines(text)), classes=kind)
