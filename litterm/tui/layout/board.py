"""The container of the panes: places them by `plan_layout` and lets the lines between them be dragged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events
from textual.containers import Container
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from litterm.tui.aspects.pane import AspectsPane
from litterm.tui.input.completion_list import CompletionList
from litterm.tui.layout.plan import Divider, LayoutShape, PaneRegions, plan_layout
from litterm.tui.search.query_pane import QueryPane

_MAX_LIST_WIDTH = 80
"""Cells of the list of completions."""


class BoardLayout(Layout):
    """Places the panes by `plan.plan`; a pane without a place is not drawn."""

    name: ClassVar[str] = "board"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        if not isinstance(parent, Board):
            return []
        parent.pre_layout(self)
        placed = plan_layout(parent.shape, size.width, size.height)
        parent.placed = placed
        by_id = {child.id: child for child in children}
        placements = [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, by_id[name])
            for name, region in placed.panes.items()
            if name in by_id
        ]
        query, below = placed.panes.get("query"), by_id.get("completions")
        if query is not None and below is not None and parent.completions:
            rows = max(0, min(parent.completions, size.height - query.bottom))
            region = Region(query.x, query.bottom, min(query.width, _MAX_LIST_WIDTH), rows)
            # Over the panes: a list that comes and goes while one types must not move them.
            placements.append(WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, below, order=1, overlay=True))
        return placements


class Board(Container):
    """Holds the shape of the layout and changes it when the user drags a divider."""

    shape: reactive[LayoutShape] = reactive(LayoutShape())

    @dataclass
    class Reshaped(Message):
        """The number of columns or the frame has changed."""

        placed: PaneRegions

    def __init__(self, *panes: Widget) -> None:
        super().__init__(*panes, id="board")
        self.placed = PaneRegions({})
        self.completions = 0
        """Lines of the list of completions below the query; 0 while there is none."""
        self._arranger = BoardLayout()
        self._posted_layout: tuple[int, bool] | None = None
        self._dragged: Divider | None = None

    def pane(self, name: str) -> Widget:
        """The pane with this name."""
        return next(pane for pane in self.children if pane.id == name)

    @property
    def layout(self) -> Layout:
        """The layout; given here, as the stylesheet can name only layouts of Textual's own."""
        return self._arranger

    def on_query_pane_grew(self, message: QueryPane.Grew) -> None:
        self.shape = replace(self.shape, query_lines=message.lines)

    def on_aspects_pane_grew(self, message: AspectsPane.Grew) -> None:
        self.shape = replace(self.shape, aspects=message.lines)

    def on_query_pane_completions_listed(self, message: QueryPane.CompletionsListed) -> None:
        completions = self.query_one(CompletionList)
        completions.show(message.choices, message.chosen)
        self.list_below_query(completions.rows)

    def list_below_query(self, rows: int) -> None:
        """Set the number of lines of the list of completions."""
        if rows != self.completions:
            self.completions = rows
            self._arrange_again()

    def _arrange_again(self) -> None:
        # A refresh with layout clears the cached arrangement of the ancestors of a widget, not its own.
        for pane in self.children[:1]:
            pane.refresh(layout=True)

    def watch_shape(self) -> None:
        width, height = self.size
        # The focus is part of the shape: most changes move no pane and need no layout.
        if plan_layout(self.shape, width, height) == self.placed:
            return
        self._arrange_again()
        self._post_layout()

    def on_resize(self, event: events.Resize) -> None:
        self._post_layout()

    def _post_layout(self) -> None:
        if not self.size and self._posted_layout is None:
            # Before the first layout; what would be told, one column and no frame, would be taken back at once, and
            # the styles of everything be found twice for it.
            return
        # Not `self.placed`, which is of the layout before this change.
        placed = plan_layout(self.shape, self.size.width, self.size.height)
        # Only what the stylesheet has classes for is told: a divider that is dragged changes the shape many times a
        # second.
        if (placed.columns, placed.framed) != self._posted_layout:
            self._posted_layout = placed.columns, placed.framed
            self.post_message(self.Reshaped(placed))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        x, y = event.screen_x - self.region.x, event.screen_y - self.region.y
        for divider, region in self.placed.dividers:
            if region.contains(int(x), int(y)):
                self._dragged = divider
                self.capture_mouse()
                return

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragged is None or self.app.mouse_captured is not self:
            return
        width, height = max(1, self.size.width), max(1, self.size.height)
        x, y = event.screen_x - self.region.x, event.screen_y - self.region.y
        query = self.placed.panes.get("query")
        body = max(1, height - (query.height if query else 0))
        evidence = self.placed.panes.get("evidence")
        left_width = width - (evidence.width if evidence and self.placed.columns == 3 else 0)
        match self._dragged:
            case "split":
                self.shape = replace(self.shape, split=_clamped_share(x, left_width))
            case "side":
                self.shape = replace(self.shape, side=_clamped_share(width - x, width))
            case "sheet":
                self.shape = replace(self.shape, sheet=_clamped_share(height - y, body))

    def on_mouse_up(self) -> None:
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()


def _clamped_share(cells: float, total: int) -> float:
    return min(0.95, max(0.02, cells / max(1, total)))
