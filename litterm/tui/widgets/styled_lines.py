"""Lines of styled text, and the widget that draws them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from litterm.text.escape import isolate
from litterm.tui.input.keymap import BY_ID, bound_action

Piece = tuple[str, str]
"""Text and the roles it plays, separated by blanks: `match`, `strong cursor`; empty for plain reading text."""
Line = tuple[Piece, ...]

ROLES = (
    *("muted", "heading", "title", "key", "hint", "accent", "warning", "error", "match", "gutter", "viewport"),
    *(
        "cursor",
        "bar",
        "chosen",
        "hit",
        "hit-now",
        "strong",
        "proposed",
        "accepted",
        "hand",
        "annotated",
        "rejected",
        "struck",
        "chip",
        "mark",
        "insert-mode",
        "normal-mode",
    ),
)
"""Roles of text; `litterm.tcss` styles each as `.ink--ROLE`."""
INKS = frozenset(f"ink--{role}" for role in ROLES)
"""Component classes of every screen that holds line views.

They belong to the screen because Textual styles a widget's components again whenever its focus changes, and a
screen's focus never does: with them on each view a change of focus cost 10 ms more.
"""


def line(*pieces: Piece | str) -> Line:
    """Pieces in order; a bare string plays no role."""
    return tuple((piece, "") if isinstance(piece, str) else piece for piece in pieces)


def line_text(pieces: Iterable[Piece]) -> str:
    """The text of a line without its roles."""
    return "".join(text for text, _ in pieces)


class LineView(ScrollView, can_focus=True):
    """A scrollable widget that draws only the lines on the screen, each when Textual asks for it."""

    PANE: ClassVar[str] = ""
    """Name of the pane that it is, or is a part of; empty in a dialog."""
    PLACE: ClassVar[tuple[str, ...]] = ()
    """Attributes that say where in it the user is, besides how far it is scrolled."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._styles: dict[str, Style] = {}
        self._laid_out_width = 0
        """The width for which the text is arranged."""

    @property
    def cursor_line(self) -> int:
        """The line of the whole text that the cursor is on."""
        return 0

    def place(self) -> tuple[object, ...]:
        """Where in it the user is."""
        return (self.scroll_offset.y, *(getattr(self, name) for name in self.PLACE))

    def return_to(self, place: tuple[object, ...]) -> None:
        """Go back to where `place` was taken; nothing is told of it."""
        top, *values = place
        for name, value in zip(self.PLACE, values, strict=True):
            setattr(self, name, value)
        self.renew()
        if isinstance(top, int):
            self.jump(top)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        """Line `y` of the whole text at `width` cells, and the role of its background."""
        raise NotImplementedError

    def lay_out(self, width: int) -> int:
        """Arrange the text for `width` cells; the number of lines."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        """Line `y` of the widget, as Textual asks for it."""
        width = self.size.width
        # Textual may still draw a widget that has just been removed; it has no screen and no colours any more.
        if width < 1 or not self.is_attached:
            return Strip.blank(width)
        line, base = self.line_at(y + self.scroll_offset.y, width)
        return self.strip(line, base, width)

    def strip(self, line: Line, base: str, width: int) -> Strip:
        """A line in the colours of the theme, exactly `width` cells wide."""
        filler = self.style_of(base)
        # Isolated, as right-to-left letters would reorder the rest of the line.
        segments = [
            Segment(isolate(text), self.style_of(f"{base} {roles}" if base else roles)) for text, roles in line if text
        ]
        return Strip(segments).adjust_cell_length(width, filler)

    def style_of(self, roles: str) -> Style:
        """The style of text that plays `roles`; later ones win."""
        # Kept by roles, as a look-up goes through the stylesheet and a frame has hundreds of pieces.
        style = self._styles.get(roles)
        if style is None:
            style = self.rich_style
            for role in roles.split():
                style += self.screen.get_component_rich_style(f"ink--{role}", partial=True)
            self._styles[roles] = style
        return style

    def place_terminal_cursor(self) -> None:
        """Put the terminal's cursor on the current line while this has the focus; screen readers follow it."""
        inside = self.content_region
        if self.has_focus and inside.height > 0:
            row = max(0, min(self.cursor_line - self.scroll_offset.y, inside.height - 1))
            self.app.cursor_position = Offset(inside.x, inside.y + row)

    def run_later(self, action: str) -> None:
        """Run `action` as a key would."""
        # Later: the click that asks for it still has to move the cursor.
        self.call_later(self.run_action, action)

    def run_binding(self, binding_id: str) -> None:
        """Do what a key of the table does here."""
        self.run_later(bound_action(BY_ID[binding_id].action_in(self.PANE)))

    def notify_style_update(self) -> None:
        """The theme or a class changed: colours are looked up again."""
        self._styles.clear()
        super().notify_style_update()

    def renew(self) -> None:
        """Lay the text out again and draw it."""
        width = self.size.width
        if width > 0:
            self._laid_out_width = width
            self.virtual_size = Size(width, self.lay_out(width))
            self.after_layout()
        self.refresh()

    def fit_width(self) -> None:
        """Another frame leaves another width inside, which Textual calls no resize: arrange the text again for it."""
        if self.size.width != self._laid_out_width:
            self.renew()

    def after_layout(self) -> None:
        """Called when the text has been laid out and may be scrolled."""

    def on_resize(self, event: events.Resize) -> None:
        self.renew()

    def show_lines(self, top: int, bottom: int, *, margin: int = 0) -> None:
        """Scroll as little as needed to have lines `top`..`bottom` (half-open) on the screen."""
        height, scrolled = self.size.height, self.scroll_offset.y
        start, end = max(0, top - margin), bottom + margin
        if end > scrolled + height:
            scrolled = end - height
        if start < scrolled:
            scrolled = start
        self.jump(scrolled)

    def jump(self, y: int) -> None:
        """Scroll so that line `y` is the first, as far as the text reaches."""
        top = max(0, min(y, self.virtual_size.height - self.size.height))
        if top != self.scroll_offset.y:
            # `force`: the query pane hides its overflow, and Textual would refuse to scroll it.
            self.scroll_to(y=top, animate=False, force=True)
