"""Every use of private names of Textual, in one place.

No other module names anything of Textual that begins with an underscore;
`tests/tui/platform/test_textual_compat.py` holds that, and fails when a name that is used here goes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App
from textual.css.match import match
from textual.css.model import SelectorSet
from textual.geometry import Region
from textual.keys import _character_to_key
from textual.message import Message
from textual.notifications import Notification
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets._toast import ToastRack
from textual.widgets.text_area import TextAreaTheme

CHECKED_TEXTUAL_VERSION = "8.2.8"
"""The version of Textual whose source the overrides below were written for."""


def key_name(character: str) -> str:
    """Textual's name for the key that types `character`: `question_mark` for `?`."""
    return _character_to_key(character)


class CompatApp(App[None]):
    """An application with its own toasts and its own report of a crash."""

    def crash_message(self, error: BaseException | None) -> str:
        """What the user is told when a bug in a handler ends the application."""
        raise NotImplementedError

    def drop_binding(self, key: str) -> None:
        """Remove a key that a base class binds."""
        # Textual has no public way to take back what a base class binds.
        self._bindings.key_to_bindings.pop(key, None)

    @property
    def toasts(self) -> tuple[Notification, ...]:
        """Those on the screen, oldest first."""
        return tuple(self._notifications)

    def drop_toast(self, toast: Notification) -> None:
        """Take a toast away without drawing; the next one that is shown draws all."""
        self._unnotify(toast, refresh=False)
        # Textual removes the toast and leaves its holder, an empty line that pushes the next toast down over the panes.
        for holder in self.screen.query(f"#{ToastRack._toast_id(toast)}"):
            holder.remove()

    def _fatal_error(self) -> None:
        """End with a sentence instead of the traceback that Textual prints."""
        import sys

        error = sys.exc_info()[1]
        message = self.crash_message(error)
        # Only the first error is reported: those that follow are its consequences.
        if not self._exit_renderables:
            self.panic(Text(message))
        # Without waiting, as it may be called from a handler, which the queue waits for.
        self._close_messages_no_wait()


@dataclass(frozen=True, slots=True)
class PartHandler:
    """A method with `@on` of an object that is no ancestor of the widgets whose messages it handles."""

    method: Callable[..., Any]
    selectors: Mapping[str, tuple[SelectorSet, ...]]
    """What a widget named by an attribute of the message has to match."""

    def handles(self, message: Message) -> bool:
        """Whether the widgets of `message` are those that are meant."""
        return all(match(selector, getattr(message, attribute)) for attribute, selector in self.selectors.items())


def part_handlers(part: object) -> Iterator[tuple[type[Message], PartHandler]]:
    """The methods of `part` with `@on`, each with the class of its messages."""
    for kind in type(part).__mro__:
        for function in vars(kind).values():
            for message_type, selectors in getattr(function, "_textual_on", ()):
                yield message_type, PartHandler(function.__get__(part), selectors)


class CompatScreen(Screen[None]):
    """A screen that restyles one widget instead of its whole tree when the focus moves.

    Its messages reach parts that are no widgets, too.
    """

    FOCUS_SHOWN_BY: ClassVar[str] = ""
    """Selector of the one widget around a focused one that looks different for it."""

    def handlers_of(self, message: Message) -> Sequence[PartHandler]:
        """The methods of parts with `@on` for the class of a message that has come up to the screen."""
        return ()

    def _get_dispatch_methods(
        self, method_name: str, message: Message
    ) -> Iterable[tuple[type, Callable[[Message], Awaitable[object]]]]:
        """The screen's own handlers, then those of the parts."""
        yield from super()._get_dispatch_methods(method_name, message)
        for handler in self.handlers_of(message):
            if not message._no_default_action and handler.handles(message):
                yield type(self), handler.method

    def _update_focus_styles(self, focused: Widget | None = None, blurred: Widget | None = None) -> None:
        """Restyle that widget alone; Textual restyles every ancestor of both widgets with all their children."""
        target = self.query_one(self.FOCUS_SHOWN_BY)
        if any(widget is not None and target in widget.ancestors_with_self for widget in (focused, blurred)):
            self.app.stylesheet.update_nodes([target])


class CompatTextArea(TextArea):
    """A text area that reads its colours from the stylesheet when they change, not at every drawing of a line."""

    colours_theme: TextAreaTheme | None = None
    """The theme into which the colours of now were read."""

    def notify_style_update(self) -> None:
        """The theme or a class changed: the colours are read again."""
        self.colours_theme = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """What the base class does, without its reading of eight components' styles (1 ms) each time."""
        if self.colours_theme is not self._theme:
            self._theme.apply_css(self)
            self.colours_theme = self._theme
        return ScrollView.render_lines(self, crop)
