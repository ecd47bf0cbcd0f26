"""The pane of home: sections of rows, in one to three columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.geometry import NULL_OFFSET, NULL_SPACING, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from litterm.text.terminal_width import wrap_text
from litterm.tui.dialogs.choose import ChoiceRows
from litterm.tui.home.layout import SECTIONS, SectionName, place_sections, section_columns
from litterm.tui.home.rows import HomeItem, HomeRow
from litterm.tui.home.sections import EMPTY_SECTION_TEXTS, HomeState, section_rows, section_title
from litterm.tui.input.keymap import bindings
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.rows import Drawn
from litterm.tui.widgets.styled_lines import line

TICK_INTERVAL_S = 1.0


class HomeSection(ChoiceRows):
    """A section of home; the cursor stays on its item when others come and go."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("home")]
    PANE = "home"

    @dataclass
    class EdgePassed(Message):
        """The cursor was moved beyond the first (-1) or last (1) row."""

        section: HomeSection
        step: int

    @dataclass
    class Resized(Message):
        """The section wants another number of lines."""

    def __init__(self, name: SectionName, glyphs: Glyphs) -> None:
        super().__init__((), glyphs, wrap=True, id=f"home-{name}")
        self.add_class("home-section")
        self.section: SectionName = name
        self.home_rows: Sequence[HomeRow] = ()
        self._title = "", ""
        self.busy = False
        """Whether its rows are still being loaded."""

    @property
    def current(self) -> HomeItem | None:
        """The thing under the cursor."""
        return self.home_rows[self.cursor].item if self.cursor < len(self.home_rows) else None

    def show_rows(self, rows: Sequence[HomeRow], title: tuple[str, str]) -> None:
        """Shows `rows` under `title`; the cursor stays where it was."""
        self._title = title
        self.home_rows = tuple(rows)
        self.replace_choices([row.choice for row in rows])
        self.retitle()

    def draw_head(self, width: int) -> Drawn:
        if self.home_rows:
            return ()
        message = f"loading{self._glyphs.ellipsis}" if self.busy else EMPTY_SECTION_TEXTS[self.section]
        return tuple(line((f" {text}", "hint")) for text in wrap_text(message, max(4, width - 2)))

    def background_role(self, index: int, under_cursor: bool) -> str:
        """Only the section with the focus shows its cursor."""
        return super().background_role(index, under_cursor) if self.has_focus else ""

    def watch_has_focus(self, _has_focus: bool) -> None:
        # Textual finds the watcher by its name, so that this one hides that of the base class.
        super().watch_has_focus(_has_focus)
        self.refresh()

    @property
    def wanted_lines(self) -> int:
        """Number of lines it wants to show."""
        return max(1, self._offsets[-1])

    def retitle(self) -> None:
        """Rewrite the title, for another width or frame."""
        set_title(self, *self._title, self._glyphs)

    def lay_out(self, width: int) -> int:
        before = self.wanted_lines
        # How many lines its rows need is known once they are wrapped; the layout has to be known from a message.
        lines = super().lay_out(width)
        if self.wanted_lines != before:
            self.post_message(self.Resized())
        return lines

    def action_move(self, step: int) -> None:
        if 0 <= self.cursor + step < self.count():
            super().action_move(step)
        else:
            self.post_message(self.EdgePassed(self, step))


class SectionsLayout(Layout):
    """Places the sections by `layout.places`."""

    name: ClassVar[str] = "home"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        if not isinstance(parent, HomePane):
            return []
        parent.pre_layout(self)
        needs = {child.section: child.wanted_lines for child in children if isinstance(child, HomeSection)}
        placed = place_sections(needs, size.width, size.height, focus=parent.focus_on)
        by_name = {child.section: child for child in children if isinstance(child, HomeSection)}
        return [WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, by_name[name]) for name, region in placed.items()]


class HomePane(Container):
    """The sections of home with one cursor, which moves between them."""

    state: reactive[HomeState | None] = reactive(None)

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="home")
        self._glyphs = glyphs
        self._arranger = SectionsLayout()
        self.focus_on: SectionName = SECTIONS[0]
        self._sections = {name: HomeSection(name, glyphs) for name in SECTIONS}

    @property
    def layout(self) -> Layout:
        """The layout; given here, as the stylesheet can name only layouts of Textual's own."""
        return self._arranger

    def compose(self) -> ComposeResult:
        yield from self._sections.values()

    def on_mount(self) -> None:
        self._show()
        self.take_focus()
        self.set_interval(TICK_INTERVAL_S, self._tick)

    def _tick(self) -> None:
        """Redraw running jobs, whose times change without an event."""
        if self.state is not None and self.state.jobs and self.region.height:
            self._show()

    @property
    def current(self) -> HomeItem | None:
        """The thing under the cursor of the section in use."""
        return self._sections[self.focus_on].current

    def take_focus(self) -> None:
        """Focus the section that had the focus last."""
        self._sections[self.focus_on].focus(scroll_visible=False)

    def watch_state(self) -> None:
        # The first state may come before there are sections to show it.
        if self.is_mounted:
            self._show()

    def _show(self) -> None:
        for name, section in self._sections.items():
            section.busy = self.state is None or self.state.overview is None
            rows = section_rows(name, self.state, self._glyphs) if self.state else ()
            section.show_rows(rows, section_title(name, rows))

    def move_to_section(self, step: int) -> None:
        """To the next section with rows (1) or the one before (-1), around the end."""
        reachable = [name for name in SECTIONS if self._sections[name].home_rows or name == self.focus_on]
        self._focus_section(reachable[(reachable.index(self.focus_on) + step) % len(reachable)])

    def move_sideways(self, step: int) -> bool:
        """To the column at the right (1) or left (-1), at about the same height; whether there is one."""
        columns = section_columns(self.size.width)
        position = next(position for position, column in enumerate(columns) if self.focus_on in column)
        if not 0 <= position + step < len(columns):
            return False
        top = self._sections[self.focus_on].region.y
        self._focus_section(min(columns[position + step], key=lambda name: abs(self._sections[name].region.y - top)))
        return True

    def _focus_section(self, name: SectionName) -> None:
        # Noted now: Textual moves the focus later, and the next key may come before.
        self.focus_on = name
        self._sections[name].focus(scroll_visible=False)
        self._rearrange()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if isinstance(event.widget, HomeSection) and event.widget.section != self.focus_on:
            self.focus_on = event.widget.section
            self._rearrange()

    def on_home_section_edge_passed(self, message: HomeSection.EdgePassed) -> None:
        message.stop()
        reachable = [name for name in SECTIONS if self._sections[name].home_rows or name == message.section.section]
        position = reachable.index(message.section.section) + message.step
        if 0 <= position < len(reachable):
            entered = self._sections[reachable[position]]
            entered.go(0 if message.step > 0 else entered.count() - 1)
            self._focus_section(reachable[position])

    def on_home_section_resized(self, message: HomeSection.Resized) -> None:
        message.stop()
        self._rearrange()

    def on_resize(self) -> None:
        self.call_after_refresh(self.retitle)

    def _rearrange(self) -> None:
        # Textual forgets the arrangement of a widget's ancestors, not its own: a child has to ask.
        self._sections[SECTIONS[0]].refresh(layout=True)

    def retitle(self) -> None:
        """Rewrite the titles."""
        for section in self._sections.values():
            section.retitle()
